#include "stack.hpp"

namespace weft::where {
namespace {

struct Frame {
  Dwarf_Addr pc = 0;
  bool interrupted = false;  // pc is where a signal came, not where a call returns to
};

constexpr std::size_t kMostFrames = 64;  // a recursion without end has far more, and they are all alike

int take_frame(Dwfl_Frame* frame, void* argument) {
  auto& frames = *static_cast<std::vector<Frame>*>(argument);
  Frame next;
  if (!dwfl_frame_pc(frame, &next.pc, &next.interrupted)) return DWARF_CB_ABORT;
  // Outermost of the handler's frames was the last one: what came before does not concern anybody.
  if (next.interrupted) frames.clear();
  frames.push_back(next);
  return frames.size() < kMostFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

// OpenMP's library calls functions of the program: the bodies of regions and tasks.
bool is_openmp(const Session& session, const Frame& frame) {
  return session.is_in(frame.pc, "/libweft_omp") || session.is_in(frame.pc, "/libweft_image");
}

// The first frame that is worth telling. How the C library goes about abort() is its own business: its outermost frame
// says enough. What a thread does inside of Weft concerns nobody who looks at the program.
std::size_t first_told(const Session& session, const std::vector<Frame>& frames, bool with_weft) {
  std::size_t first = 0;
  for (std::size_t k = 0; !with_weft && k + 1 < frames.size(); ++k) {
    const bool is_inside = k == first || !is_openmp(session, frames[k]);
    if (session.is_in(frames[k].pc, "/libweft") && is_inside) first = k + 1;
    if (k == first && session.in_libc(frames[k].pc) && is_openmp(session, frames[k + 1])) first = k + 1;
  }
  while (first + 1 < frames.size() && session.in_libc(frames[first].pc) && session.in_libc(frames[first + 1].pc)) {
    ++first;
  }
  return first;
}

}  // namespace

base::Result<std::vector<std::string>> stack_of(const Session& session, pid_t pid, pid_t thread, bool with_weft) {
  const int problem = dwfl_linux_proc_attach(session.get(), pid, false);
  if (problem != 0) {
    return base::Error::make("cannot attach to process %d: %s", static_cast<int>(pid), dwfl_errmsg(-1));
  }
  std::vector<Frame> frames;
  (void)dwfl_getthread_frames(session.get(), thread, take_frame, &frames);
  if (frames.empty()) {
    return base::Error::make("cannot see the stack of thread %d: %s", static_cast<int>(thread), dwfl_errmsg(-1));
  }
  std::vector<std::string> lines;
  bool after_openmp = false;
  for (std::size_t k = first_told(session, frames, with_weft); k < frames.size(); ++k) {
    const Frame& frame = frames[k];
    // Nor what begins a thread of a team.
    after_openmp = after_openmp || is_openmp(session, frame);
    if (is_openmp(session, frame) || (after_openmp && session.in_libc(frame.pc))) continue;
    for (std::string& line : session.describe(frame.pc, !frame.interrupted)) lines.push_back(std::move(line));
    // What comes before main is the C library's.
    if (lines.back().rfind("main at ", 0) == 0 || lines.back().rfind("main+", 0) == 0) break;
  }
  return lines;
}

}  // namespace weft::where

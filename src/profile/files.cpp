#include "profile/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdio>

#include "os/recorded.hpp"

namespace weft::profile {
namespace {

using base::Result;

struct Path {
  char text[PATH_MAX];
};

Path path_in(const char* folder, const char* file) noexcept {
  Path path;
  (void)std::snprintf(path.text, sizeof path.text, "%s/%s", folder, file);
  return path;
}

Path path_of_pe(const char* folder, int pe) noexcept {
  char name[32];
  (void)std::snprintf(name, sizeof name, kPeFile, pe);
  return path_in(folder, name);
}

}  // namespace

Result<Header*> make_recording(const char* folder, int pe, int n_pes, std::uint32_t trace_room) noexcept {
  const auto mapped = os::map_recorded(path_of_pe(folder, pe).text, O_CREAT | O_TRUNC, 0, kHeaderBytes);
  if (!mapped) {
    return mapped.error();
  }
  auto* header = static_cast<Header*>(*mapped);
  header->layout = kLayout;
  header->pe = pe;
  header->n_pes = n_pes;
  header->pid = ::getpid();
  header->state = State::kRunning;
  header->trace_room = trace_room;
  header->part_bytes = part_bytes(n_pes, trace_room);
  header->magic = kMagic;
  return header;
}

ThreadPart* add_part(const char* folder, Header* header) noexcept {
  const std::uint32_t number = header->parts.load(std::memory_order_relaxed);
  if (number == kMaxThreads) {
    return nullptr;
  }
  const auto mapped = os::map_recorded(path_of_pe(folder, header->pe).text, 0,
                                       kHeaderBytes + number * header->part_bytes, header->part_bytes);
  if (!mapped) {
    return nullptr;
  }
  auto* part = static_cast<ThreadPart*>(*mapped);
  part->inside_site = kNotInside;
  part->line.shift = TimeLine::kFirstShift;
  part->line.origin = header->first.ticks;
  header->parts.store(number + 1, std::memory_order_release);
  return part;
}

void forget_meetings(const char* folder) noexcept { (void)::unlink(path_in(folder, kJobFile).text); }

Result<Meetings*> open_meetings(const char* folder) noexcept {
  const auto mapped = os::map_recorded(path_in(folder, kJobFile).text, O_CREAT, 0, sizeof(Meetings));
  if (!mapped) {
    return mapped.error();
  }
  return static_cast<Meetings*>(*mapped);
}

}  // namespace weft::profile

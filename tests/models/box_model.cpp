// The box of a pair of PEs (src/msg/box.hpp): what is read is what was written under that number, also where a line
// holds old data that looks like the next number.
#include "models/explore.hpp"
#include "models/replaced.hpp"
#include "msg/box.hpp"

namespace {

using namespace weft;
using explore::Fault;

constexpr std::uint32_t kLines = 4;
// Of a box with short rounds.
constexpr std::uint32_t kMore = 8;
constexpr std::uint32_t kTurn = 2;

struct Memory {
  msg::BoxHead head;
  msg::Line lines[kMore];
  std::atomic<std::uint32_t> data[kMore];  // of the entry that begins there
} g_memory;

void set_up() {
  explore::share(g_memory.head.taken, "taken");
  for (std::uint32_t k = 0; k < kMore; ++k) {
    explore::share(g_memory.lines[k].sequence, "sequence");
    explore::share(g_memory.data[k], "data");
  }
}

// How many lines each message has.
using Sizes = const std::uint32_t*;
// Two lines, then ones round to where the second was: what stood there is the number of the message that comes there.
constexpr std::uint32_t kOldData[] = {2, 1, 1, 1, 1, 0};
// The third does not fit at the end.
constexpr std::uint32_t kSkips[] = {2, 1, 2, 1, 0};
constexpr std::uint32_t kOnes[] = {1, 1, 1, 1, 1, 0};
// Two rounds, which are short ones where the reader keeps up; where it stops at the turn the line there is passed over.
constexpr std::uint32_t kTurns[] = {1, 1, 1, 1, 2, 0};

struct Box {
  std::uint32_t lines = kLines;
  std::uint32_t turn = msg::turn_of(kLines);
};

void write_all(Sizes sizes, Box box) {
  msg::BoxWriter writer;
  writer.open(&g_memory.head, box.lines, box.turn);
  for (std::uint32_t sequence = 1; sizes[sequence - 1] != 0; ++sequence) {
    const std::uint32_t lines = sizes[sequence - 1];
    msg::Line* line = writer.reserve(lines, sequence);
    while (line == nullptr) {
      ::sched_yield();
      line = writer.reserve(lines, sequence);
    }
    g_memory.data[line - g_memory.lines].store(sequence, std::memory_order_relaxed);
    if (lines == 2) {
      line[1].sequence.store(sequence + kLines, std::memory_order_relaxed);
    }
    writer.publish(line, lines, sequence);
  }
}

const msg::Line* wait_for(const msg::BoxReader& reader, std::uint32_t sequence) {
  const msg::Line* line = reader.look(sequence);
  while (line == nullptr) {
    ::sched_yield();
    line = reader.look(sequence);
  }
  return line;
}

// What an entry that says where to go on has in `bytes`, which is no word that is modelled. One in a short round stands
// before the turn, and leads behind the line there.
std::uint32_t lines_to_pass(const msg::BoxReader& reader, const msg::Line* line, std::uint32_t lines,
                            std::uint32_t sequence, Box box) {
  const auto at = static_cast<std::uint32_t>(line - g_memory.lines);
  if (box.lines == kLines) {
    return lines > reader.to_end() ? reader.to_end() : 0;
  }
  if (g_memory.data[at].load(std::memory_order_relaxed) == sequence) {
    return 0;
  }
  return at < box.turn ? box.turn + 1 - at : reader.to_end();
}

void read_all(Sizes sizes, Box box) {
  msg::BoxReader reader;
  reader.open(&g_memory.head, box.lines);
  for (std::uint32_t sequence = 1; sizes[sequence - 1] != 0; ++sequence) {
    const msg::Line* line = wait_for(reader, sequence);
    if (const std::uint32_t passed = lines_to_pass(reader, line, sizes[sequence - 1], sequence, box); passed > 0) {
      reader.take(passed);
      line = wait_for(reader, sequence);
    }
    explore::check(g_memory.data[line - g_memory.lines].load(std::memory_order_relaxed) == sequence,
                   "an entry is not what was written under its number");
    reader.take(sizes[sequence - 1]);
  }
}

bool run(int pe, Sizes sizes, Box box = {}) {
  pe == 0 ? write_all(sizes, box) : read_all(sizes, box);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<explore::Model> models = {
      {"old data in a line", 2, set_up, [](int pe, int) { return run(pe, kOldData); }, true},
      {"an entry that does not fit", 2, set_up, [](int pe, int) { return run(pe, kSkips); }, true},
      {"entries of one line", 2, set_up, [](int pe, int) { return run(pe, kOnes); }, true},
      {"a short round", 2, set_up,
       [](int pe, int) {
         return run(pe, kTurns, {kMore, kTurn});
       },
       true},
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* box = "msg/box.hpp";
  std::vector<explore::NamedFault> faults = {
      {"old data is not cleared", {{box, "lines_[line].sequence.store(gone", kOmitted}}},
      {"the reader does not say what it has read", {{box, "head_->taken.store(next_", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  faults.push_back({"an entry is published before it is written", {{box, "entry->sequence.store(sequence"}}});
  faults.push_back({"an entry is read before its number", {{box, "line->sequence.load("}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}

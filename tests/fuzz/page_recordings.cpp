// What PEs have recorded of their shared pages. The bytes are what is different from a sound recording: how much of its
// end is missing, and then places in it with the eight bytes that are there instead.
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "report/hints.hpp"
#include "report/json.hpp"
#include "report/load.hpp"
#include "report/merge.hpp"
#include "report/pages.hpp"
#include "report/summary.hpp"
#include "tests/unit/report/recorded_pages.hpp"

using namespace weft;
using fuzz::must;

namespace {

report::RecordedPages sound(int pe) {
  report::RecordedPages made(pe);
  made.fetch(1 - pe, 1, 12'000);
  made.fetch(1 - pe, 6, 2);
  made.got(100, 2 * 4096, 0x1000);
  made.send(1 - pe, 7, 3, 12);
  made.count(dsm::Count::kFaultTime, 300'000'000);
  made.count(dsm::Count::kLocks, 5);
  made.count(dsm::Count::kLockTime, 100'000'000);
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  report::RecordedPages zero = sound(0);
  report::RecordedPages one = sound(1);
  fuzz::Bytes rest(data, size);
  const std::size_t whole = one.size();
  const std::size_t there = whole - rest.take<std::uint32_t>() % (whole + 1);
  std::byte* const bytes = one.at();
  while (!rest.rest().empty()) {
    const std::size_t at = rest.take<std::uint32_t>() % (whole - 7);
    const auto eight = rest.take<std::uint64_t>();
    std::memcpy(bytes + at, &eight, sizeof eight);
  }
  // In a place of its own, so that a look behind its end is seen.
  std::vector<std::byte> copy(there + 64);
  auto* at = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(copy.data()) + 63) / 64 * 64);
  std::memcpy(at, bytes, there);
  report::Raw raw;
  const auto read = report::read_pages_of_job({zero.bytes(), {at, there, "pages.1.weft"}}, &raw);
  if (!read) {
    fuzz::must_be_a_line(read.error().text());
    return 0;
  }
  must(raw.pes.size() == 2 && raw.pages.size() == 2, "a job has bounds");
  report::Profile profile = report::merge(raw);
  const report::MovedMemory memory = report::moved_memory(raw);
  const std::vector<std::string> some(memory.statics.size() / 2, "u");
  report::name_moved(raw, {.statics = some, .sites = {"main"}}, &profile);
  const std::vector<std::string> hints = report::hints(profile);
  must(!report::summary(profile, hints).empty(), "there is a summary");
  must(!report::to_json(profile, hints, "0").empty(), "there are pages");
  return 0;
}

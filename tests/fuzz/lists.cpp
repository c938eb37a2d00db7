// Lists of processors and PEs: "0-3,8".
#include "fuzz.hpp"
#include "launch/command/ranges.hpp"
#include "launch/processes/bindings.hpp"

using weft::fuzz::must;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = weft::fuzz::Bytes(data, size).rest();
  constexpr int kBelow = 64;
  if (const auto numbers = weft::launch::command::read_ranges(text, kBelow); numbers) {
    int last = -1;
    for (const int number : *numbers) {
      must(number > last && number < kBelow, "numbers ascend and have a bound");
      last = number;
    }
  }
  if (const auto cpus = weft::launch::processes::read_cpu_list(text); cpus) {
    const auto again = weft::launch::processes::read_cpu_list(weft::launch::processes::cpu_list(*cpus));
    must(again && CPU_EQUAL(&*again, &*cpus) != 0, "a list that is written is the one that was read");
  } else {
    weft::fuzz::must_be_a_line(cpus.error().text());
  }
  return 0;
}

// Files of words for the command line; the first line is one of -soft.
#include "fuzz.hpp"
#include "launch/command/option_file.hpp"
#include "launch/command/soft.hpp"

using weft::fuzz::must;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::Bytes bytes(data, size);
  constexpr int kMost = 4096;
  if (const auto soft = weft::launch::command::largest_soft(bytes.line(), kMost)) {
    must(*soft >= 0 && *soft <= kMost, "as many PEs as a job may have");
  }
  const auto lines = weft::launch::command::read_words(bytes.rest(), "file");
  if (!lines) {
    weft::fuzz::must_be_a_line(lines.error().text());
    return 0;
  }
  for (const weft::launch::command::Words& words : *lines) must(!words.empty(), "a line has words");
  return 0;
}

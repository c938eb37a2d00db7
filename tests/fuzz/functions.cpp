// The file of a program, of which its functions are looked for: ranges are code that the file has, in order and apart
// from each other, and places in them are theirs, whatever instructions are.
#include <algorithm>

#include "fuzz.hpp"
#include "omp/sites/functions.hpp"
#include "omp/sites/sites.hpp"

namespace {

using namespace weft::omp::sites;
using weft::fuzz::must;

// Instructions of a machine that is made up: length and kind are in the first byte, a target near it in the second.
bool decode(const std::byte* code, std::size_t bytes, std::uint64_t at, Instruction& found) noexcept {
  const auto first = static_cast<unsigned>(code[0]);
  found = {};
  found.length = static_cast<std::uint8_t>(1 + first % 8);
  found.kind = static_cast<Kind>(first / 8 % 7);
  found.target = at + (bytes > 1 ? static_cast<std::uint64_t>(static_cast<signed char>(code[1])) : 0);
  return first != 0xff && found.length <= bytes;
}

void run(std::span<const std::byte> file) {
  const auto functions = find_functions(file);
  if (!functions) {
    weft::fuzz::must_be_a_line(functions.error().text());
    return;
  }
  std::uint64_t end = 0;
  for (const Function& each : functions->ranges) {
    must(each.from >= end && each.to > each.from, "functions are in order and apart");
    must(loaded_at(file, each.from).size() >= each.to - each.from, "functions are in the file");
    end = each.to;
  }
  must(std::is_sorted(functions->entries.begin(), functions->entries.end()), "entries are in order");
  end = 0;
  for (const Site& site : find_sites(file, *functions, decode).sites) {
    must(site.at >= end, "places are in order, and what they take is theirs");
    must(site.taken == site.is.length || (site.taken >= kJumpBytes && site.n_moved > 0),
         "a place has room or is alone");
    must(loaded_at(file, site.at).size() >= site.taken, "places are in the file");
    end = site.at + site.taken;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}

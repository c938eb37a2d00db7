// What another node sends of a page's changes: nothing beside the page is touched, nothing at all where it is no
// difference, and what is taken in is what encode() makes of it again.
#include "dsm/protocol/diff.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "fuzz.hpp"

namespace {

using namespace weft::dsm::protocol;
using weft::fuzz::must;

struct Room {
  alignas(kLineBytes) std::byte before[kLineBytes];
  alignas(kLineBytes) std::byte page[kPageBytes];
  alignas(kLineBytes) std::byte behind[kLineBytes];
};

void run(const std::byte* data, std::size_t size) {
  // In memory of its own size, where the sanitizer sees who reads on.
  const auto coded = std::make_unique<std::byte[]>(size);
  std::copy_n(data, size, coded.get());
  // Two pages that differ in each byte: what both have is what came.
  const auto one = std::make_unique<Room>();
  const auto two = std::make_unique<Room>();
  std::memset(static_cast<void*>(one.get()), 0x00, sizeof(Room));
  std::memset(static_cast<void*>(two.get()), 0xff, sizeof(Room));
  const std::size_t length = apply_coded(one->page, {coded.get(), size});
  must(apply_coded(two->page, {coded.get(), size}) == length, "a difference has one length");
  must(length <= size, "a difference ends where its bytes end");
  Changes changes;
  for (std::size_t line = 0; line < kLines; ++line) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < kLineBytes; ++k) {
      bits |= static_cast<std::uint64_t>(one->page[line * kLineBytes + k] == two->page[line * kLineBytes + k]) << k;
    }
    changes.bytes[line] = bits;
    changes.lines |= static_cast<std::uint64_t>(bits != 0) << line;
  }
  for (const auto& room : {one.get(), two.get()}) {
    const std::byte filled = room == one.get() ? std::byte{0} : std::byte{0xff};
    must(std::all_of(room->before, room->before + kLineBytes, [&](std::byte b) { return b == filled; }) &&
             std::all_of(room->behind, room->behind + kLineBytes, [&](std::byte b) { return b == filled; }),
         "nothing beside the page is touched");
  }
  must(length != 0 || changes.lines == 0, "what is no difference changes nothing");
  std::byte again[kMostDiffBytes];
  must(encode(one->page, changes, again) <= std::max(length, sizeof(std::uint64_t)),
       "what is taken in is no more than what came");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run(reinterpret_cast<const std::byte*>(data), size);
  return 0;
}

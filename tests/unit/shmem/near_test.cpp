// What a short operation of the library tests in one step must be what the exact test says.
#include "shmem/near.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "shmem/typed.hpp"

namespace weft::shmem {
namespace {

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST(NearObjects, HoldsOfWhatIsShortNothingElse) {
  constexpr std::uintptr_t kHeap = 0x100000;
  constexpr std::uintptr_t kStatics = 0x800000;
  for (const std::size_t heap_bytes :
       {std::size_t{0}, std::size_t{8}, copy::kSmall - 1, copy::kSmall, std::size_t{8192}}) {
    for (const std::size_t statics_bytes : {std::size_t{0}, std::size_t{3}, std::size_t{5000}}) {
      const NearObjects objects{kHeap, heap_bytes, NearObjects::starts_in(heap_bytes), kStatics, statics_bytes};
      for (const std::uintptr_t begin : {kHeap, kStatics}) {
        const std::size_t size = begin == kHeap ? heap_bytes : statics_bytes;
        for (const std::size_t bytes :
             {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{16}, copy::kSmall - 1, copy::kSmall}) {
          for (std::uintptr_t address = begin - 20; address < begin + size + 20; ++address) {
            const bool in_it = objects.hold(at(address), bytes);
            const bool near_the_end = begin == kHeap && address - begin + copy::kSmall > heap_bytes;
            ASSERT_EQ(objects.hold_short(at(address), bytes), in_it && !near_the_end)
                << bytes << " bytes at " << address - begin << " of " << size;
          }
        }
      }
    }
  }
}

TEST(NearObjects, HoldsNothingWhileItIsEmpty) {
  EXPECT_FALSE(NearObjects{}.hold_short(nullptr, 8));
  EXPECT_FALSE(NearObjects{}.hold_short(at(0x1000), 8));
}

TEST(ShortCopies, AreShort) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{8}, std::size_t{16}, std::size_t{32}}) {
    EXPECT_FALSE(is_short(0, size)) << size;
    for (std::size_t nelems = 1; nelems < 3000; ++nelems)
      EXPECT_EQ(is_short(nelems, size), nelems * size < copy::kSmall) << nelems << " of " << size;
    for (const std::size_t nelems : {SIZE_MAX, SIZE_MAX / size, SIZE_MAX / size + 1, SIZE_MAX / 2})
      EXPECT_FALSE(is_short(nelems, size)) << nelems << " of " << size;
  }
}

TEST(ShortCopies, CopyAllLengthsAndNothingBeside) {
  for (std::size_t bytes = 1; bytes < copy::kSmall; bytes += bytes < 100 ? 1 : 97) {
    std::vector<unsigned char> from(bytes);
    std::vector<unsigned char> to(bytes + 2, 0x5A);
    for (std::size_t k = 0; k < bytes; ++k) from[k] = static_cast<unsigned char>(k * 7 + bytes);
    copy::copy_short(to.data() + 1, from.data(), bytes);
    EXPECT_EQ(std::memcmp(to.data() + 1, from.data(), bytes), 0) << bytes;
    EXPECT_EQ(to.front(), 0x5A) << bytes;
    EXPECT_EQ(to.back(), 0x5A) << bytes;
  }
}

}  // namespace
}  // namespace weft::shmem

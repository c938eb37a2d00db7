#include "omp/tasks/reductions.hpp"

#include <cstdlib>
#include <cstring>

#include "omp/image/image.hpp"
#include "omp/sync/fatal.hpp"

namespace weft::omp {

namespace {

// The words of a description, as compilers have them: how many variables, bytes of a thread's copies, their alignment
// and later where the copies are, an allocator, the next description, a word of ours, the end of the copies; then for
// each variable its address, where in the copies it is, and a word.
constexpr std::size_t kCount = 0;
constexpr std::size_t kBytes = 1;
constexpr std::size_t kCopies = 2;
constexpr std::size_t kNext = 4;
constexpr std::size_t kLast = 5;  // ours: the last one that was registered together
constexpr std::size_t kEnd = 6;
constexpr std::size_t kVariables = 7;
constexpr std::size_t kWords = 3;

std::uintptr_t* next_of(const std::uintptr_t* data) noexcept { return reinterpret_cast<std::uintptr_t*>(data[kNext]); }

const std::uintptr_t* variable(const std::uintptr_t* data, std::size_t k) noexcept {
  return data + kVariables + k * kWords;
}

// A thread of another process may be the one that uses it.
void* memory_of_team(std::size_t bytes, std::size_t alignment) noexcept {
  if (image::far() == nullptr) {
    return need_memory(bytes, alignment);
  }
  constexpr std::size_t kWhole = 64;  // what the image's blocks are aligned to
  void* const memory = alignment <= kWhole ? image::allocate(bytes != 0 ? bytes : 1) : nullptr;
  if (memory == nullptr) {
    die("Out of memory allocating %lu bytes", static_cast<unsigned long>(bytes));
  }
  return memory;
}

}  // namespace

void register_reductions(std::uintptr_t* data, std::uintptr_t* outer, const std::uintptr_t* first,
                         unsigned threads) noexcept {
  for (std::uintptr_t* each = data;; each = next_of(each)) {
    if (first != nullptr) {
      each[kCopies] = first[kCopies];
      each[kEnd] = first[kEnd];
      first = next_of(first);
    } else {
      const std::size_t bytes = each[kBytes] * threads;
      void* const copies = memory_of_team(bytes, each[kCopies]);
      std::memset(copies, 0, bytes);
      each[kCopies] = reinterpret_cast<std::uintptr_t>(copies);
      each[kEnd] = each[kCopies] + bytes;
    }
    each[kLast] = 0;
    if (each[kNext] == 0) {
      each[kLast] = 1;
      each[kNext] = reinterpret_cast<std::uintptr_t>(outer);
      return;
    }
  }
}

void adopt_reductions(std::uintptr_t* data, const std::uintptr_t* first) noexcept {
  for (std::uintptr_t* each = data;; each = next_of(each), first = next_of(first)) {
    each[kCopies] = first[kCopies];
    each[kEnd] = first[kEnd];
    if (each[kLast] != 0) {
      return;
    }
  }
}

void unregister_reductions(std::uintptr_t* data) noexcept {
  for (std::uintptr_t* each = data; each != nullptr; each = next_of(each)) {
    std::free(reinterpret_cast<void*>(each[kCopies]));
    if (each[kLast] != 0) {
      return;
    }
  }
}

void remap_reductions(Thread& self, std::size_t n, std::size_t n_original, void** addresses) noexcept {
  const auto me = static_cast<std::uintptr_t>(self.at.number);
  std::uintptr_t* const all = self.task->group != nullptr ? self.task->group->reductions : nullptr;
  for (std::size_t k = 0; k < n; ++k) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(addresses[k]);
    const std::uintptr_t* found = nullptr;
    std::uintptr_t offset = 0;
    for (const std::uintptr_t* each = all; each != nullptr && found == nullptr; each = next_of(each)) {
      if (wanted >= each[kCopies] && wanted < each[kEnd]) {
        found = each;
        offset = (wanted - each[kCopies]) % each[kBytes];
      }
      for (std::size_t v = 0; v < each[kCount] && found == nullptr; ++v) {
        if (variable(each, v)[0] == wanted) {
          found = each;
          offset = variable(each, v)[1];
        }
      }
    }
    if (found == nullptr) {
      die("couldn't find matching task_reduction or reduction with task modifier for %p", addresses[k]);
    }
    addresses[k] = reinterpret_cast<void*>(found[kCopies] + me * found[kBytes] + offset);
    for (std::size_t v = 0; k < n_original && v < found[kCount]; ++v) {
      if (variable(found, v)[1] == offset) {
        addresses[n + k] = reinterpret_cast<void*>(variable(found, v)[0]);
      }
    }
  }
}

}  // namespace weft::omp

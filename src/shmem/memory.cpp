#include "shmem/memory.hpp"

#include <bit>
#include <cstring>

#include "base/lines.hpp"
#include "coll/barrier.hpp"
#include "copy/copy.hpp"
#include "job/node.hpp"
#include "job/shared_area.hpp"
#include "rma/order.hpp"
#include "shmem/checks.hpp"
#include "shmem/runtime.hpp"
#include "shmem/shortage.hpp"

namespace weft::shmem {
namespace {

void quiet_barrier() noexcept {
  rma::quiet();
  coll::barrier();
}

std::byte* at(std::uint64_t offset) noexcept {
  return reinterpret_cast<std::byte*>(job::node().space.heap().lo + offset);
}

// Programs get null, as the standard has it. What they make of it is theirs, but those that crash are told why.
void refused(std::size_t size, std::size_t alignment) noexcept {
  const std::size_t heap_bytes = job::node().space.heap().bytes();
  std::uint64_t would_do = book().bytes_that_would_do(size, alignment);
  if (would_do != 0) {
    would_do += heap_bytes - book().bytes();  // the library's own part
  }
  note_shortage(job::current_call(), size, heap_bytes, would_do);
  base::debug(
      "symmetric heap: no room for %zu bytes (alignment %zu); %llu of %llu bytes are in use in %zu blocks; "
      "SHMEM_SYMMETRIC_SIZE=%lluM would do for it",
      size, alignment, static_cast<unsigned long long>(book().in_use()),
      static_cast<unsigned long long>(book().bytes()), book().blocks(),
      static_cast<unsigned long long>((would_do + (1U << 20) - 1) >> 20));
}

// So that people can be told which call gave a block.
void sign(std::uint64_t offset) noexcept { book().sign(offset, {job::site_in_program(), job::t_entered.call}); }

// Null when the heap has no room: on every PE alike, since every PE keeps the same book.
std::byte* take(std::size_t size, std::size_t alignment) noexcept {
  const auto offset = book().allocate(size, alignment);
  if (!offset) {
    refused(size, alignment);
    return nullptr;
  }
  sign(*offset);
  return at(*offset);
}

std::uint64_t offset_in_heap(void* ptr) noexcept {
  return reinterpret_cast<std::uintptr_t>(ptr) - job::node().space.heap().lo;
}

std::uint64_t offset_of_block(void* ptr) noexcept {
  const memory::Range heap = job::node().space.heap();
  const auto address = reinterpret_cast<std::uintptr_t>(ptr);
  const std::uint64_t offset = offset_in_heap(ptr);
  if (!heap.holds(address) || !book().size_of(offset)) {
    base::fail(job::current_call(),
               "%p is not the address of an allocated block of the symmetric heap; was it freed "
               "before, or is it inside a block?",
               ptr);
  }
  return offset;
}

// Programs that align what they were given free what they made of it. Other libraries let that pass, so we do: one of
// the node says so, once, and nothing is freed, which is the same on all PEs.
bool is_inside_a_block(void* ptr) noexcept {
  const std::uint64_t offset = offset_in_heap(ptr);
  const auto start = book().block_start(offset);
  if (!start || *start == offset) {
    return false;
  }
  // Relaxed: nothing else goes with it.
  if (job::shared_head(job::node().job).inside_told.exchange(1, std::memory_order_relaxed) == 0) {
    base::say(
        job::current_call(),
        "%p is inside a block, %llu bytes behind its beginning; nothing is freed. Free what shmem_malloc returned; "
        "shmem_align gives memory that is aligned",
        ptr, static_cast<unsigned long long>(offset - *start));
  }
  return true;
}

}  // namespace

void* heap_malloc(std::size_t size) noexcept { return heap_align(memory::Allocator::kUnit, size); }

// Every word of the heap is reached by loads, stores and the processor's atomics: no hint could make it faster.
void* heap_malloc_with_hints(std::size_t size, long /*hints*/) noexcept { return heap_malloc(size); }

void* heap_align(std::size_t alignment, std::size_t size) noexcept {
  need_ready();
  if (!std::has_single_bit(alignment)) {
    base::fail(job::current_call(), "alignment is %zu; give a power of two, such as 64 or 4096", alignment);
  }
  if (size == 0) {
    return nullptr;
  }
  void* block = take(size, alignment);
  quiet_barrier();
  return block;
}

void* heap_calloc(std::size_t count, std::size_t size) noexcept {
  need_ready();
  std::size_t bytes = 0;
  const bool overflow = __builtin_mul_overflow(count, size, &bytes);
  if (bytes == 0 && !overflow) {
    return nullptr;
  }
  std::byte* block = overflow ? nullptr : take(bytes, memory::Allocator::kUnit);
  if (block != nullptr) {
    std::memset(block, 0, bytes);
  }
  quiet_barrier();
  return block;
}

// The block grows where it stands when there is room behind it. A failure leaves it as it was, on every PE.
void* heap_realloc(void* ptr, std::size_t size) noexcept {
  need_ready();
  if (ptr == nullptr) {
    return heap_malloc(size);
  }
  if (size == 0) {
    heap_free(ptr);
    return nullptr;
  }
  const std::uint64_t old = offset_of_block(ptr);
  const std::size_t old_size = *book().size_of(old);
  // Nobody may still be putting into the block when it moves.
  quiet_barrier();
  if (book().resize(old, size)) {
    sign(old);
  } else {
    std::byte* moved = take(size, memory::Allocator::kUnit);
    if (moved != nullptr) {
      copy::copy(moved, ptr, old_size < size ? old_size : size);
      book().release(old);
    }
    ptr = moved;
  }
  quiet_barrier();
  return ptr;
}

void heap_free(void* ptr) noexcept {
  need_ready();
  if (ptr == nullptr) {
    return;
  }
  if (is_inside_a_block(ptr)) {
    quiet_barrier();
    return;
  }
  const std::uint64_t offset = offset_of_block(ptr);
  quiet_barrier();
  book().release(offset);
}

}  // namespace weft::shmem

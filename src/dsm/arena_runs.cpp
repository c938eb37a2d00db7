// The book's runs of whole pages: which are free, by their length, and what is known of those that were given back.
#include <algorithm>
#include <bit>

#include "dsm/arena.hpp"

namespace weft::dsm {
namespace {

int bin_of(std::uint32_t pages) noexcept { return static_cast<int>(std::bit_width(pages)) - 1; }

}  // namespace

void Arena::put_free(std::uint32_t first, std::uint32_t pages) noexcept {
  PageNote& begin = note(first);
  note(first + pages - 1).pages = pages;
  begin.pages = pages;
  std::uint32_t& head = bins_[bin_of(pages)];
  begin.prev = 0;
  begin.next = head;
  if (head != 0) {
    note(head - 1).prev = first + 1;
  }
  head = first + 1;
  free_pages_.fetch_add(pages, std::memory_order_relaxed);
}

void Arena::take_free(std::uint32_t first) noexcept {
  const PageNote& begin = note(first);
  if (begin.pages == 0 || begin.pages > pages_ - first) [[unlikely]] {
    spoilt();
  }
  (begin.prev != 0 ? note(begin.prev - 1).next : bins_[bin_of(begin.pages)]) = begin.next;
  if (begin.next != 0) {
    note(begin.next - 1).prev = begin.prev;
  }
  free_pages_.fetch_sub(begin.pages, std::memory_order_relaxed);
}

// The first run that has `pages` behind a multiple of `alignment` pages, which is written to `at`. Of its own bin any
// may be too short; of the next ones all are long enough but for the alignment.
std::uint32_t Arena::find_free(std::uint32_t pages, std::uint32_t alignment, std::uint32_t* at) noexcept {
  for (int bin = bin_of(pages); bin < kBins; ++bin) {
    for (std::uint32_t link = bins_[bin]; link != 0; link = note(link - 1).next) {
      const std::uint32_t first = link - 1;
      const std::uint64_t begin = (static_cast<std::uint64_t>(first) + alignment - 1) / alignment * alignment;
      if (begin + pages <= static_cast<std::uint64_t>(first) + note(first).pages) {
        *at = static_cast<std::uint32_t>(begin);
        return link;
      }
    }
  }
  return 0;
}

std::uint64_t Arena::take_run(std::uint32_t pages, std::uint32_t alignment) noexcept {
  std::uint32_t at = 0;
  const std::uint32_t link = find_free(pages, alignment, &at);
  if (link == 0) {
    return kNone;
  }
  const std::uint32_t first = link - 1;
  const std::uint32_t end = first + note(first).pages;
  take_free(first);
  if (at > first) {
    put_free(first, at - first);
  }
  if (at + pages < end) {
    put_free(at + pages, end - at - pages);
  }
  return at;
}

// Behind the lists.
std::uint64_t* Arena::ring() noexcept {
  return reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(this) +
                                          bytes_for(pages_, static_cast<int>(pes_))) -
         kReturns;
}

// `block`: what it was until now.
void Arena::give_run(std::uint32_t first, std::uint32_t pages, const Lost& block) noexcept {
  for (std::uint32_t page = first; page < first + pages; ++page) {
    PageNote& here = note(page);
    here.kind.store(Kind::kFree, std::memory_order_relaxed);
    here.pe = static_cast<std::uint32_t>(block.pe) + 1;
    here.bytes = block.bytes;
    here.begin = block.begin;
  }
  if (guarded_ != 0) {
    const std::uint64_t number = returns_.load(std::memory_order_relaxed);
    ring()[number % kReturns] = first | std::uint64_t{pages} << 32;
    // Release: who sees the number finds the pages free. Who looks at the ring has the lock.
    returns_.store(number + 1, std::memory_order_release);
  }
  std::uint32_t end = first + pages;
  if (end < pages_ && note(end).kind.load(std::memory_order_relaxed) == Kind::kFree) {
    const std::uint32_t more = note(end).pages;
    take_free(end);
    end += more;
  }
  if (first > 0 && note(first - 1).kind.load(std::memory_order_relaxed) == Kind::kFree) {
    const std::uint32_t more = note(first - 1).pages;
    if (more == 0 || more > first) [[unlikely]] {
      spoilt();
    }
    first -= more;
    take_free(first);
  }
  put_free(first, end - first);
}

}  // namespace weft::dsm

#include "dsm/pushes.hpp"

#include <atomic>
#include <mutex>

#include "dsm/protocol/diff.hpp"
#include "dsm/protocol/pushes.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {
namespace {

// What is asked for all the time is whether there is any: without the lock. Relaxed: who would see too little has a
// subscription that this thread or one that it has a lock in common with has made.
struct Reader {
  std::mutex mutex;
  protocol::Pushes<kPageBytes> pushes;
  std::atomic<bool> any = false;
};
struct Home {
  std::mutex mutex;
  protocol::Subscribers subscribers;
};
Reader& reader() noexcept {
  static Reader& made = *new Reader;  // handlers may come late
  return made;
}
Home& home() noexcept {
  static Home& made = *new Home;
  return made;
}

}  // namespace

std::uint64_t subscribe(std::uint32_t first, std::uint32_t pages) noexcept {
  Reader& here = reader();
  const std::scoped_lock lock(here.mutex);
  const std::uint64_t number = here.pushes.subscribe(first, pages);
  here.any.store(!here.pushes.empty(), std::memory_order_relaxed);
  return number;
}

std::uint64_t subscribe_by_fault(std::uint32_t page) noexcept {
  Reader& here = reader();
  const std::scoped_lock lock(here.mutex);
  const std::uint64_t number = here.pushes.subscribe_by_fault(page);
  here.any.store(true, std::memory_order_relaxed);
  return number;
}

void unsubscribe(std::uint32_t first, std::uint32_t pages) noexcept {
  Reader& here = reader();
  if (!here.any.load(std::memory_order_relaxed)) {
    return;
  }
  const std::scoped_lock lock(here.mutex);
  here.pushes.forget({first, pages});
  here.any.store(!here.pushes.empty(), std::memory_order_relaxed);
}

bool take_pushed(int home, std::uint32_t page, std::byte* to) noexcept {
  Reader& here = reader();
  if (!here.any.load(std::memory_order_relaxed)) {
    return false;
  }
  const std::scoped_lock lock(here.mutex);
  const std::byte* const contents = here.pushes.find(home, page);
  if (contents != nullptr) {
    protocol::copy_words(to, contents, kPageBytes);
  }
  return contents != nullptr;
}

void begin_comparing() noexcept {
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  here.subscribers.begin_comparing();
}

void find_subscribed(int pe, std::span<const Run> runs, std::vector<ToPush>* found) noexcept {
  found->clear();
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  if (here.subscribers.empty()) {
    return;
  }
  for (const Run run : runs) {
    here.subscribers.each(pe, run, [&](std::uint32_t page, std::uint64_t number, bool by_twin) {
      if (found->size() == kMostPushed) {
        return false;
      }
      found->push_back({page, number, by_twin});
      return true;
    });
  }
}

void note_refused(int pe, const ToPush& pushed) noexcept {
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  here.subscribers.refused(pe, pushed.page, pushed.number);
}

void forget_subscribers(std::uint32_t first, std::uint32_t pages) noexcept {
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  for (int pe = 0; !here.subscribers.empty() && pe < g.n_pes; ++pe) {
    here.subscribers.forget(pe, {first, pages});
  }
}

void forget_pushes() noexcept {
  unsubscribe(0, UINT32_MAX);
  forget_subscribers(0, UINT32_MAX);
}

void note_subscriber(int pe, const Question& question, std::uint32_t pages) noexcept {
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  here.subscribers.add(pe, question.first, pages, question.a);
}

void note_announced(int pe, Run run, std::uint64_t round) noexcept {
  Reader& here = reader();
  if (!here.any.load(std::memory_order_relaxed)) {
    return;
  }
  const std::scoped_lock lock(here.mutex);
  here.pushes.announced(pe, run, round);
}

std::uint64_t take_push(const Question& question, const transport::Arrival& arrival) noexcept {
  const bool is_good = question.first < g.pages && question.count > 0 && question.count <= kPagesOfMessage &&
                       question.count <= g.pages - question.first &&
                       arrival.bytes == std::uint64_t{question.count} * kPageBytes;
  if (!is_good) {
    fail_of(arrival.pe, "contents of pages that there are not");
  }
  Reader& here = reader();
  const std::scoped_lock lock(here.mutex);
  std::uint64_t refused = 0;
  const auto* from = static_cast<const std::byte*>(arrival.landing.at);
  for (std::uint32_t k = 0; k < question.count; ++k, from += kPageBytes) {
    std::byte* const room = here.pushes.place(arrival.pe, question.first + k, question.a, question.b);
    if (room != nullptr) {
      protocol::copy_words(room, from, kPageBytes);
    } else {
      refused |= std::uint64_t{1} << k;
    }
  }
  static_assert(kPagesOfMessage <= 64);
  return refused;
}

}  // namespace weft::dsm

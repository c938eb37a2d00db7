#include "dsm/requests.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "dsm/counts.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/notes.hpp"
#include "dsm/questions.hpp"
#include "job/notes.hpp"

namespace weft::dsm {
namespace {

struct Request {
  std::uint64_t lock = 0;
  LockWords* words = nullptr;  // null: they are on another node
  std::uint32_t ticket = 0;
  std::uint64_t token = 0;  // of the question
  std::atomic<std::uint32_t> left = 1;

  // Acquire: pairs with who had it before, or with the answer.
  bool has_come() const noexcept {
    return words != nullptr ? is_turn(*words, ticket) : left.load(std::memory_order_acquire) == 0;
  }
};

struct Requests {
  std::mutex mutex;
  std::map<std::uint64_t, std::unique_ptr<Request>> all;
  std::uint64_t last = 0;
};
// Never destroyed: threads may be at it while the process ends.
Requests& requests() noexcept {
  static Requests& made = *new Requests;
  return made;
}

Request* find(std::uint64_t number) noexcept {
  Requests& here = requests();
  const std::scoped_lock lock(here.mutex);
  const auto found = here.all.find(number);
  return found == here.all.end() ? nullptr : found->second.get();
}

void finish(std::uint64_t number, Request& request) noexcept {
  const std::uint64_t lock = request.lock;
  if (request.words != nullptr) {
    hold(*request.words, g.me);
  } else {
    end_lock_elsewhere(request.token);  // whose home has written down that it is held
  }
  {
    Requests& here = requests();
    const std::scoped_lock all(here.mutex);
    here.all.erase(number);
  }
  enter(lock, 0);
}

}  // namespace

std::uint64_t begin_lock(std::uint64_t lock) noexcept {
  if (lock_requests() >= kMostRequests) {
    return 0;
  }
  auto made = std::make_unique<Request>();
  int home = 0;
  made->lock = lock;
  made->words = words_of(lock, &home);
  if (made->words != nullptr) {
    made->ticket = draw_ticket(*made->words);
  } else {
    made->token = begin_lock_elsewhere(home, lock, made->left);
  }
  Requests& here = requests();
  const std::scoped_lock held(here.mutex);
  here.all.emplace(++here.last, std::move(made));
  return here.last;
}

Tested test_lock(std::uint64_t number) noexcept {
  Request* const request = find(number);
  if (request == nullptr) {
    return Tested::kNone;
  }
  if (!request->has_come()) {
    // Who only tests lets the network go on by it.
    if (const auto poll = coll::patience().poll; poll != nullptr) {
      poll();
    }
    if (!request->has_come()) {
      return Tested::kNotYet;
    }
  }
  finish(number, *request);
  return Tested::kTaken;
}

bool wait_for_lock(std::uint64_t number) noexcept {
  Request* const request = find(number);
  if (request == nullptr) {
    return false;
  }
  if (request->words != nullptr) {
    wait_for_turn(*request->words, request->ticket, request->lock);
  } else {
    const Timed timed(Count::kLockTime);
    count_if_recorded(Count::kLocksWaitedFor);
    const sync::WaitNote note = note_of_lock(request->lock);
    wait_until([&] { return request->has_come(); }, note, EndedBy::kPrograms);
  }
  finish(number, *request);
  return true;
}

std::size_t lock_requests() noexcept {
  Requests& here = requests();
  const std::scoped_lock lock(here.mutex);
  return here.all.size();
}

}  // namespace weft::dsm

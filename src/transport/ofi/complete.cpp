// Letting the network go on: what is complete, what failed, and what is to be tried again.
#include <rdma/fi_errno.h>

#include <cstring>
#include <utility>

#include "transport/ofi/ofi.hpp"

namespace weft::transport::ofi {
namespace {

constexpr const char* kDoingNames[] = {"a put",
                                       "a get",
                                       "an atomic operation",
                                       "a message",
                                       "the receipt of a message",
                                       "a message",
                                       "the receipt of a message"};

constexpr int kAtATime = 16;  // completions read in one call

}  // namespace

// Whoever finds that another thread is at it has nothing to add: completions are taken in the order in which they come,
// and handlers run one at a time.
void Ofi::progress() noexcept {
  const Turn turn(*this, std::try_to_lock);
  if (!turn.is_mine()) {
    return;
  }
  fi_cq_msg_entry entries[kAtATime];
  take(entries, fi_cq_read(endpoint_.completions.get(), entries, kAtATime));
  // After the completions, which may just have brought some.
  if (has_to_retry_.load(std::memory_order_relaxed)) {
    retry();
  }
  go_on_with_messages();
  if (beats_.are_on()) [[unlikely]] {
    look_at_beats();
  }
}

void Ofi::take(const fi_cq_msg_entry* entries, ssize_t came) noexcept {
  for (ssize_t k = 0; k < came; ++k) {
    auto* posted = static_cast<Posted*>(entries[k].op_context);
    if (posted == nullptr) {
      continue;
    }
    switch (posted->doing) {
      case Doing::kLetterOut: letters_out_.give_back(reinterpret_cast<Letter*>(posted)); break;
      case Doing::kLetterIn: letter_is_here(reinterpret_cast<Letter*>(posted), entries[k].len); break;
      case Doing::kLargeIn: part_is_here(reinterpret_cast<Operation*>(posted), entries[k].len); break;
      case Doing::kLargeOut: part_is_sent(reinterpret_cast<Operation*>(posted)); break;
      default: complete(reinterpret_cast<Operation*>(posted));
    }
  }
  if (came < 0 && came != -FI_EAGAIN) {
    read_error();
  }
}

void Ofi::complete(Operation* operation) noexcept {
  if (operation->temporary != nullptr) {
    (void)fi_close(&std::exchange(operation->temporary, nullptr)->fid);
  }
  if (operation->then) {
    operation->then = false;
    operation->posted.doing = Doing::kAtomic;
    const std::scoped_lock lock(mutex_);
    operation->next = nullptr;
    (to_retry_ == nullptr ? to_retry_ : last_to_retry_->next) = operation;
    last_to_retry_ = operation;
    has_to_retry_.store(true, std::memory_order_relaxed);
    return;
  }
  if (operation->deliver_to != nullptr) {
    const void* from =
        operation->posted.doing == Doing::kAtomic ? static_cast<const void*>(&operation->fetched) : operation->bounce;
    std::memcpy(operation->deliver_to, from, operation->deliver_bytes);
  }
  Pending::Count* count = operation->count;
  pool_.give_back(operation);
  count->end();
}

// Those whose turn has come, without the lock: libfabric may call for progress. In the order in which they came:
// nothing promises one, but programs that forget a fence shall not see signals of one PE backwards.
void Ofi::retry() noexcept {
  Operation* list = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    list = std::exchange(to_retry_, nullptr);
    has_to_retry_.store(false, std::memory_order_relaxed);
  }
  while (list != nullptr) {
    Operation* next = list->next;  // one that is posted may be complete, and serve another, at once
    const long error = post_atomic(*list);
    if (error == -FI_EAGAIN) {
      break;
    }
    if (error != 0) {
      fail(list->posted, error);
    }
    list = next;
  }
  if (list != nullptr) {
    Operation* last = list;
    while (last->next != nullptr) {
      last = last->next;
    }
    const std::scoped_lock lock(mutex_);
    last->next = to_retry_;
    if (to_retry_ == nullptr) {
      last_to_retry_ = last;
    }
    to_retry_ = list;
    has_to_retry_.store(true, std::memory_order_relaxed);
  }
}

void Ofi::read_error() noexcept {
  fi_cq_err_entry error{};
  if (fi_cq_readerr(endpoint_.completions.get(), &error, 0) != 1) {
    return;
  }
  const auto* posted = static_cast<const Posted*>(error.op_context);
  if (posted == nullptr) {
    setup_.failed("a message", -1, fi_strerror(error.err));
    return;
  }
  fail(*posted, error.err);
}

void Ofi::fail(const Posted& posted, long error) noexcept {
  setup_.failed(kDoingNames[static_cast<int>(posted.doing)], posted.pe,
                fi_strerror(static_cast<int>(error < 0 ? -error : error)));
}

bool Ofi::sleep(int timeout_ms) noexcept {
  if (has_to_retry_.load(std::memory_order_relaxed) || has_to_go_on_.load(std::memory_order_relaxed)) {
    return true;
  }
  // Who only looks may miss what is here already; who sleeps may not.
  if (timeout_ms == 0 && !endpoint_.waits.ready(0)) {
    return false;
  }
  // Takes back, too, what has been told of completions that are read by now.
  fid* waits_for[] = {&endpoint_.completions->fid};
  if (fi_trywait(endpoint_.fabric.get(), waits_for, 1) != FI_SUCCESS) {
    return true;
  }
  if (endpoint_.waits.changed()) {
    const Turn turn(*this, std::try_to_lock);
    if (!turn.is_mine()) {
      return true;
    }
    constexpr int kShortestMs = 1;
    fi_cq_msg_entry entries[kAtATime];
    take(entries, fi_cq_sread(endpoint_.completions.get(), entries, kAtATime, nullptr, kShortestMs));
    return true;
  }
  return endpoint_.waits.ready(timeout_ms);
}

}  // namespace weft::transport::ofi

// Messages on libfabric. They come into buffers that are always ready for them; of a large one comes the head alone
// (large.cpp).
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "transport/ofi/ofi.hpp"

namespace weft::transport::ofi {
namespace {

using base::Result;

constexpr std::size_t kLettersOut = 128;
// Of all PEs together; beyond, libfabric keeps what comes, which kMostTold bounds.
constexpr std::size_t kLeastLettersIn = 64;
constexpr std::size_t kMostLettersIn = 512;
constexpr std::size_t kLettersOfEach = 16;

// Less than all, so that the sender need not wait for that.
std::uint32_t tell_of_taken(const Setup& setup) noexcept { return std::max(setup.most_told / 4, 1U); }

}  // namespace

struct Ofi::Held {
  Held* next;
  int pe;
  Frame frame;
  std::byte data[Letter::kMostData];
};

// How a handler answers. The asker has a buffer for it; where libfabric has none for now, the answer is kept.
class Ofi::Replier final : public Answerer {
 public:
  Replier(Ofi& ofi, const Arrival& arrival, bool* answered) noexcept
      : ofi_(ofi), arrival_(arrival), answered_(answered) {}

  bool answer(const Message& what) noexcept override {
    if (is_over() || what.bytes > kMostAnswer || what.head_bytes > kMostHead) {
      return false;
    }
    *answered_ = true;
    ofi_.say_answer(arrival_.pe, what);
    return true;
  }
  Owed* keep() noexcept override {
    Owed* owed = is_over() ? nullptr : ofi_.LateAnswers::keep(arrival_.pe, 0);
    *answered_ = *answered_ || owed != nullptr;
    return owed;
  }

 private:
  bool is_over() const noexcept { return arrival_.is_answer || *answered_; }

  Ofi& ofi_;
  const Arrival& arrival_;
  bool* answered_;
};

void Ofi::say_answer(int pe, const Message& what) noexcept {
  Frame frame = frame_of(What::kAnswer, what);
  if (what.bytes <= Letter::kMostData) {
    say(pe, frame, what.data);
    return;
  }
  const LargeOut* large = make_large(pe, what, true);
  if (large == nullptr) {
    no_memory_for_answer(pe);
    return;
  }
  frame.large = large->tag;
  say(pe, frame, nullptr);
}

// An endpoint has no connections of its own.
void Ofi::send_late(int pe, std::uint64_t /*connection*/, const Message& what) noexcept { say_answer(pe, what); }

void Ofi::no_memory_for_answer(int pe) noexcept { setup_.failed("an answer", pe, "no memory"); }

Result<void> Ofi::make_letters() noexcept {
  const std::size_t pes = setup_.job->job_pes;
  const std::size_t most = std::clamp(endpoint_.info->rx_attr->size / 2, kLeastLettersIn / 4, kMostLettersIn);
  const std::size_t in = std::min(std::clamp(pes * kLettersOfEach, kLeastLettersIn, kMostLettersIn), most);
  if (!letters_in_.make(in, Doing::kLetterIn) || !letters_out_.make(kLettersOut, Doing::kLetterOut)) {
    return refused("make room for messages", FI_ENOMEM);
  }
  for (const bool comes : {true, false}) {
    const Memory memory = comes ? letters_in_.memory() : letters_out_.memory();
    const int error = local_keys_ ? fi_mr_reg(endpoint_.domain.get(), memory.at, memory.bytes, FI_SEND | FI_RECV, 0, 0,
                                              0, (comes ? in_key_ : out_key_).out(), nullptr)
                                  : 0;
    if (error != 0) {
      return refused("register buffers", error);
    }
  }
  for (Letter* letter = letters_in_.take(); letter != nullptr; letter = letters_in_.take()) {
    receive_letter(letter);
  }
  return {};
}

void Ofi::receive_letter(Letter* letter) noexcept {
  const long error = fi_recv(endpoint_.ep.get(), letter->bytes, Letter::kBytes,
                             local_keys_ ? fi_mr_desc(in_key_.get()) : nullptr, FI_ADDR_UNSPEC, letter);
  if (error == 0) {
    return;
  }
  if (error != -FI_EAGAIN) {
    fail(letter->posted, error);
  }
  letter->next = unposted_;
  unposted_ = letter;
  has_to_go_on_.store(true, std::memory_order_relaxed);
}

// --- what this PE tells ----------------------------------------------------------------------------------------------

Frame Ofi::frame_of(What what, const Message& message) const noexcept {
  Frame frame{};
  std::copy(std::begin(setup_.job->key), std::end(setup_.job->key), std::begin(frame.key));
  frame.from = setup_.me;
  frame.what = what;
  frame.kind = message.kind;
  frame.head_bytes = static_cast<std::uint8_t>(std::min(message.head_bytes, kMostHead));
  frame.bytes = message.bytes;
  if (frame.head_bytes > 0) {
    std::memcpy(frame.head, message.head, frame.head_bytes);
  }
  return frame;
}

bool Ofi::send(int pe, const Frame& frame, const void* data, std::size_t leaving) noexcept {
  Letter* letter = letters_out_.take(leaving);
  if (letter == nullptr) {
    return false;
  }
  const std::size_t behind = data != nullptr ? static_cast<std::size_t>(frame.bytes) : 0;
  std::memcpy(letter->bytes, &frame, sizeof frame);
  if (behind > 0) {
    std::memcpy(letter->bytes + sizeof frame, data, behind);
  }
  letter->posted.pe = pe;
  const long error = fi_send(endpoint_.ep.get(), letter->bytes, sizeof frame + behind,
                             local_keys_ ? fi_mr_desc(out_key_.get()) : nullptr, address_of(pe), letter);
  if (error == 0) {
    return true;
  }
  if (error != -FI_EAGAIN) {
    fail(letter->posted, error);
  }
  letters_out_.give_back(letter);
  return false;
}

void Ofi::say(int pe, const Frame& frame, const void* data) noexcept {
  if (send(pe, frame, data, 0)) {
    return;
  }
  auto* held = new (std::nothrow) Held;
  if (held == nullptr) {
    setup_.failed("an answer", pe, "no memory");
    return;
  }
  held->pe = pe;
  held->frame = frame;
  // Whether there is data behind it is said by the frame alone, when it goes.
  if (data != nullptr && frame.bytes > 0) {
    std::memcpy(held->data, data, static_cast<std::size_t>(frame.bytes));
  }
  held->next = std::exchange(held_, held);
  has_to_go_on_.store(true, std::memory_order_relaxed);
}

Told Ofi::tell(int pe, const Message& what, Pending& pending) noexcept {
  const bool is_large = what.bytes > Letter::kMostData;
  Frame frame = frame_of(What::kTell, what);
  Peer& peer = peers_[static_cast<std::size_t>(pe)];
  const std::scoped_lock lock(peer.mutex);
  if (peer.may_tell == 0) {
    return Told::kAgain;
  }
  LargeOut* large = is_large ? make_large(pe, what, false) : nullptr;
  if (is_large) {
    if (large == nullptr) {
      return Told::kAgain;
    }
    large->count = pending.begin();
    frame.large = large->tag;
  }
  frame.number = peer.told;
  if (!send(pe, frame, is_large ? nullptr : what.data, kForAnswers)) {
    if (is_large) {
      take_back_large(large);
    }
    return Told::kAgain;
  }
  ++peer.told;
  --peer.may_tell;
  return is_large ? Told::kPosted : Told::kDone;
}

// --- what it is told -------------------------------------------------------------------------------------------------

// As a predicate about who sends it; null: nothing.
const char* Ofi::wrong_with(const Frame& frame, std::size_t length) const noexcept {
  if (static_cast<int>(frame.what) >= kWhats || frame.head_bytes > kMostHead || frame.kind >= kKinds) {
    return "tells what is no message";
  }
  const bool has_data = (frame.what == What::kTell || frame.what == What::kAnswer) && frame.large == 0;
  if (length - sizeof frame != (has_data ? frame.bytes : 0)) {
    return "tells what has another length";
  }
  const std::uint64_t most = frame.what == What::kAnswer ? kMostAnswer : kMostData;
  return frame.bytes > most || (frame.large != 0 && frame.bytes == 0 && frame.what <= What::kAnswer)
             ? "tells more than there can be"
             : nullptr;
}

void Ofi::letter_is_here(Letter* letter, std::size_t length) noexcept {
  letter->length = length;
  const Frame frame = length < sizeof(Frame) ? Frame{} : letter->frame();
  const bool of_the_job = length >= sizeof(Frame) && length <= Letter::kBytes &&
                          std::equal(std::begin(frame.key), std::end(frame.key), std::begin(setup_.job->key)) &&
                          frame.from >= 0 && frame.from < static_cast<std::int32_t>(setup_.job->job_pes);
  const char* const wrong = of_the_job ? wrong_with(frame, length) : nullptr;
  if (wrong != nullptr && setup_.refused != nullptr) {
    setup_.refused(frame.from, wrong);
  }
  bool is_free = true;
  if (of_the_job && wrong == nullptr) {
    Peer& peer = peers_[static_cast<std::size_t>(frame.from)];
    switch (frame.what) {
      case What::kTell: is_free = told(peer, letter, frame); break;
      case What::kAnswer: place(frame, letter->data()); break;
      case What::kGo:
      case What::kSkip: wanted(frame); break;
      case What::kBeat: beat_is_here(frame.from); break;
      case What::kRoom: {
        const std::scoped_lock lock(peer.mutex);
        peer.may_tell +=
            static_cast<std::uint32_t>(std::min<std::uint64_t>(frame.number, setup_.most_told - peer.may_tell));
      }
    }
  }
  if (is_free) {
    receive_letter(letter);
  }
}

// In order, whatever libfabric makes of it: it promises one of messages, and not of their completions.
bool Ofi::told(Peer& peer, Letter* letter, const Frame& frame) noexcept {
  if (frame.number != peer.next_told) {
    if (frame.number - peer.next_told >= setup_.most_told) {
      if (setup_.refused != nullptr) {
        setup_.refused(frame.from, "tells more than it may");
      }
      return true;
    }
    letter->next = std::exchange(peer.early, letter);
    return false;
  }
  ++peer.next_told;
  place(frame, letter->data());
  for (Letter** at = &peer.early; *at != nullptr;) {
    Letter* early = *at;
    const Frame next = early->frame();
    if (next.number != peer.next_told) {
      at = &early->next;
      continue;
    }
    *at = early->next;
    ++peer.next_told;
    place(next, early->data());
    receive_letter(early);
    at = &peer.early;
  }
  return true;
}

void Ofi::place(const Frame& frame, const std::byte* data) noexcept {
  const Handler* handler = setup_.kinds == nullptr ? nullptr : setup_.kinds->find(frame.kind);
  if (handler == nullptr) {
    if (setup_.refused != nullptr) {
      setup_.refused(frame.from, "tells what nobody here has a handler for");
    }
    return;
  }
  Arrival arrival{frame.from, frame.kind, frame.what == What::kAnswer, frame.head_bytes, frame.bytes, {}, {}};
  std::memcpy(arrival.head, frame.head, kMostHead);
  bool answered = false;
  Replier replier(*this, arrival, &answered);
  arrival.landing = handler->place(handler->self, arrival, replier);
  if (frame.large != 0) {
    begin_large(frame, arrival, *handler, answered);
    return;
  }
  if (arrival.landing.at != nullptr && arrival.bytes > 0) {
    std::memcpy(arrival.landing.at, data, arrival.bytes);
  }
  handler->arrived(handler->self, arrival, replier);
  if (!arrival.is_answer) {
    taken(arrival.pe);
  }
}

// The large data is here, or was not wanted.
void Ofi::finish(LargeIn* large) noexcept {
  Replier replier(*this, large->arrival, &large->answered);
  large->handler->arrived(large->handler->self, large->arrival, replier);
  if (!large->arrival.is_answer) {
    taken(large->arrival.pe);
  }
  delete large;
}

void Ofi::taken(int pe) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(pe)];
  if (++peer.taken < tell_of_taken(setup_)) {
    return;
  }
  Frame frame = frame_of(What::kRoom, {});
  frame.number = std::exchange(peer.taken, 0);
  say(pe, frame, nullptr);
}

// What there was no room for.
void Ofi::go_on_with_messages() noexcept {
  if (!has_to_go_on_.load(std::memory_order_relaxed)) [[likely]] {
    return;
  }
  has_to_go_on_.store(false, std::memory_order_relaxed);
  for (Letter* letter = std::exchange(unposted_, nullptr); letter != nullptr;) {
    receive_letter(std::exchange(letter, letter->next));
  }
  for (Held* held = std::exchange(held_, nullptr); held != nullptr;) {
    Held* now = std::exchange(held, held->next);
    const bool behind = now->frame.large == 0 && now->frame.bytes > 0;
    say(now->pe, now->frame, behind ? now->data : nullptr);
    delete now;
  }
  go_on_with_large();
}

}  // namespace weft::transport::ofi

// Messages on libfabric. Small ones come into buffers that are always ready for them. Of a large one comes the head,
// and when its handler has said where the data goes, a place is made ready there and the sender told to send it: by
// tag, as libfabric's own way to receive what is waited for.
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

// Out of which those that answer have more than those that only tell.
constexpr std::size_t kLettersOut = 128;
constexpr std::size_t kForAnswers = 64;
// Of all PEs together; beyond, libfabric keeps what comes, which kMostTold bounds.
constexpr std::size_t kLeastLettersIn = 64;
constexpr std::size_t kMostLettersIn = 512;
constexpr std::size_t kLettersOfEach = 16;

constexpr std::uint32_t kTellOfTaken = kMostTold / 4;

// Tags of data are smaller, and then begin again: those of a PE that are under way are not so many.
constexpr std::uint64_t kTags = (std::uint64_t{1} << kTagBits) - 1;

template <class Item>
void take_out(Item** at, const Item* item) noexcept {
  while (*at != item) {
    at = &(*at)->next;
  }
  *at = item->next;
}

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
    if (arrival_.is_answer || *answered_ || what.bytes > kMostAnswer || what.head_bytes > kMostHead) {
      return false;
    }
    *answered_ = true;
    Frame frame = ofi_.frame_of(What::kAnswer, what);
    if (what.bytes <= Letter::kMostData) {
      ofi_.say(arrival_.pe, frame, what.data);
      return true;
    }
    const LargeOut* large = ofi_.make_large(arrival_.pe, what, true);
    if (large == nullptr) {
      ofi_.setup_.failed("an answer", arrival_.pe, "no memory");
      return true;
    }
    frame.large = large->tag;
    ofi_.say(arrival_.pe, frame, nullptr);
    return true;
  }

 private:
  Ofi& ofi_;
  const Arrival& arrival_;
  bool* answered_;
};

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

LargeOut* Ofi::make_large(int pe, const Message& what, bool copies) noexcept {
  auto* large = static_cast<LargeOut*>(std::malloc(sizeof(LargeOut) + (copies ? what.bytes : 0)));
  if (large == nullptr) {
    return nullptr;
  }
  const std::uint64_t tag = 1 + last_large_.fetch_add(1, std::memory_order_relaxed) % kTags;
  *large = {nullptr, tag, pe, static_cast<const std::byte*>(what.data), what.bytes, 0, 0, nullptr};
  if (copies) {
    auto* behind = reinterpret_cast<std::byte*>(large + 1);
    std::memcpy(behind, what.data, what.bytes);
    large->at = behind;
  }
  const std::scoped_lock lock(large_mutex_);
  large->next = std::exchange(offered_, large);
  return large;
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
      {
        const std::scoped_lock offers(large_mutex_);
        take_out(&offered_, large);
      }
      large->count->end();
      std::free(large);
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
      case What::kRoom: {
        const std::scoped_lock lock(peer.mutex);
        peer.may_tell += static_cast<std::uint32_t>(std::min<std::uint64_t>(frame.number, kMostTold - peer.may_tell));
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
    if (frame.number - peer.next_told >= kMostTold) {
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

void Ofi::taken(int pe) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(pe)];
  if (++peer.taken < kTellOfTaken) {
    return;
  }
  Frame frame = frame_of(What::kRoom, {});
  frame.number = std::exchange(peer.taken, 0);
  say(pe, frame, nullptr);
}

// --- large data ------------------------------------------------------------------------------------------------------

void Ofi::begin_large(const Frame& frame, const Arrival& arrival, const Handler& handler, bool answered) noexcept {
  auto* large = new (std::nothrow) LargeIn{nullptr, frame.large, 0, 0, answered, &handler, arrival};
  if (large == nullptr) {
    setup_.failed("the receipt of a message", arrival.pe, "no memory");
    return;
  }
  if (arrival.landing.at == nullptr) {
    Frame skip = frame_of(What::kSkip, {});
    skip.large = frame.large;
    say(arrival.pe, skip, nullptr);
    finish(large);
    return;
  }
  if (!receive_parts(*large)) {
    large->next = std::exchange(receiving_, large);
    has_to_go_on_.store(true, std::memory_order_relaxed);
  }
}

// The data may come as soon as there is a place for all of it. False: not for all of it now.
bool Ofi::receive_parts(LargeIn& large) noexcept {
  const Arrival& arrival = large.arrival;
  while (large.begun < arrival.bytes) {
    Operation* operation = pool_.take(false);
    if (operation == nullptr) {
      return false;
    }
    const std::uint64_t part = std::min<std::uint64_t>(arrival.bytes - large.begun, most_bytes_);
    auto* at = static_cast<std::byte*>(arrival.landing.at) + large.begun;
    operation->posted.doing = Doing::kLargeIn;
    operation->posted.pe = arrival.pe;
    operation->large = &large;
    operation->deliver_bytes = part;
    void* here = descriptor(at, part, *operation);
    const long error = fi_trecv(endpoint_.ep.get(), at, part, here, address_of(arrival.pe), large.tag, 0, operation);
    if (!has_begun(operation, error)) {
      return false;
    }
    large.begun += part;
    ++large.under_way;
  }
  Frame go = frame_of(What::kGo, {});
  go.large = large.tag;
  say(arrival.pe, go, nullptr);
  return true;
}

void Ofi::part_is_here(Operation* operation, std::size_t length) noexcept {
  auto* large = static_cast<LargeIn*>(operation->large);
  if (length != operation->deliver_bytes) {
    setup_.failed("the receipt of a message", operation->posted.pe, "its data has another length");
  }
  forget(operation);
  if (--large->under_way == 0 && large->begun == large->arrival.bytes) {
    finish(large);
  }
}

void Ofi::finish(LargeIn* large) noexcept {
  Replier replier(*this, large->arrival, &large->answered);
  large->handler->arrived(large->handler->self, large->arrival, replier);
  if (!large->arrival.is_answer) {
    taken(large->arrival.pe);
  }
  delete large;
}

void Ofi::wanted(const Frame& frame) noexcept {
  LargeOut* large = nullptr;
  {
    const std::scoped_lock lock(large_mutex_);
    LargeOut** at = &offered_;
    while (*at != nullptr && ((*at)->tag != frame.large || (*at)->pe != frame.from)) {
      at = &(*at)->next;
    }
    large = *at;
    if (large != nullptr) {
      *at = large->next;
    }
  }
  if (large == nullptr) {
    if (setup_.refused != nullptr) {
      setup_.refused(frame.from, "wants data that it was not told of");
    }
    return;
  }
  if (frame.what == What::kSkip) {
    large->begun = large->bytes;
  }
  if (!send_parts(*large)) {
    large->next = std::exchange(sending_, large);
    has_to_go_on_.store(true, std::memory_order_relaxed);
  }
}

// False: not all of it now. Else it may be gone.
bool Ofi::send_parts(LargeOut& large) noexcept {
  while (large.begun < large.bytes) {
    Operation* operation = pool_.take(false);
    if (operation == nullptr) {
      return false;
    }
    const std::uint64_t part = std::min<std::uint64_t>(large.bytes - large.begun, most_bytes_);
    const std::byte* at = large.at + large.begun;
    operation->posted.doing = Doing::kLargeOut;
    operation->posted.pe = large.pe;
    operation->large = &large;
    void* here = descriptor(at, part, *operation);
    const long error = fi_tsend(endpoint_.ep.get(), at, part, here, address_of(large.pe), large.tag, operation);
    if (!has_begun(operation, error)) {
      return false;
    }
    large.begun += part;
    ++large.under_way;
  }
  if (large.under_way == 0) {
    end_large(&large);
  }
  return true;
}

void Ofi::part_is_sent(Operation* operation) noexcept {
  auto* large = static_cast<LargeOut*>(operation->large);
  forget(operation);
  if (--large->under_way == 0 && large->begun == large->bytes) {
    end_large(large);
  }
}

void Ofi::end_large(LargeOut* large) noexcept {
  Pending::Count* count = large->count;
  std::free(large);
  if (count != nullptr) {
    count->end();
  }
}

// False: there is no room for it now, and it is forgotten.
bool Ofi::has_begun(Operation* operation, long error) noexcept {
  if (error == 0) {
    return true;
  }
  if (error != -FI_EAGAIN) {
    fail(operation->posted, error);
  }
  forget(operation);
  return false;
}

void Ofi::forget(Operation* operation) noexcept {
  if (operation->temporary != nullptr) {
    (void)fi_close(&std::exchange(operation->temporary, nullptr)->fid);
  }
  pool_.give_back(operation);
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
  for (LargeIn* large = std::exchange(receiving_, nullptr); large != nullptr;) {
    LargeIn* now = std::exchange(large, large->next);
    if (!receive_parts(*now)) {
      now->next = std::exchange(receiving_, now);
    }
  }
  for (LargeOut* large = std::exchange(sending_, nullptr); large != nullptr;) {
    LargeOut* now = std::exchange(large, large->next);
    if (!send_parts(*now)) {
      now->next = std::exchange(sending_, now);
    }
  }
  if (receiving_ != nullptr || sending_ != nullptr) {
    has_to_go_on_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace weft::transport::ofi

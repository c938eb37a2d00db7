#include "transport/tagged.hpp"

#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "transport/allowance.hpp"

namespace weft::transport {
namespace {

// Lives as long as the process: the thread that serves others may still tell it something when a program ends as it
// likes.
union Lasting {
  constexpr Lasting() : tagged{} {}
  ~Lasting() {}
  Tagged tagged;
};
constinit Lasting g_lasting{};

}  // namespace

Tagged& tagged() noexcept { return g_lasting.tagged; }

Tagged::~Tagged() {
  for (std::size_t pe = 0; pe < pes_; ++pe) {
    delete known(static_cast<int>(pe));
  }
}

Tagged::Peer::~Peer() {
  while (offers != nullptr) {
    delete std::exchange(offers, offers->next);
  }
  while (first_waiting != nullptr) {
    delete std::exchange(first_waiting, first_waiting->next);
  }
}

bool Tagged::begin(Transport& network, const Setup& setup, Kinds& kinds) noexcept {
  const std::size_t pes = setup.job->job_pes;
  network_ = &network;
  setup_ = setup;
  allowance_ = Allowance::of_each(pes);
  peers_.reset(new (std::nothrow) std::atomic<Peer*>[pes] {});
  pes_ = peers_ != nullptr ? pes : 0;
  return peers_ != nullptr && kinds.add(kKind, {place, arrived, lost, this});
}

Tagged::Peer* Tagged::peer_of(int pe) noexcept {
  Peer* peer = known(pe);
  if (peer != nullptr) [[likely]] {
    return peer;
  }
  auto* made = new (std::nothrow) Peer;
  if (made == nullptr) {
    setup_.failed("a message", pe, "no memory");
    return nullptr;
  }
  made->allowance = allowance_;
  // Release for known(), acquire where another thread was faster.
  if (peers_[static_cast<std::size_t>(pe)].compare_exchange_strong(peer, made, std::memory_order_acq_rel,
                                                                   std::memory_order_acquire)) {
    return made;
  }
  delete made;
  return peer;
}

// --- what this PE says -----------------------------------------------------------------------------------------------

Told Tagged::tell(int pe, const Head& head, const void* data, std::uint64_t bytes, Pending& pending) noexcept {
  return network_->tell(pe, {kKind, &head, sizeof head, data, bytes}, pending);
}

// Behind what waits, as messages of one tag keep their order.
void Tagged::say(Peer& peer, int pe, const Head& head, const void* data, std::uint64_t bytes,
                 Pending* pending) noexcept {
  if (peer.first_waiting == nullptr &&
      tell(pe, head, data, bytes, pending != nullptr ? *pending : nobodys_) != Told::kAgain) {
    return;
  }
  auto* waiting = new (std::nothrow) Waiting{nullptr, head, data, bytes, pending, nullptr};
  if (waiting == nullptr) {
    setup_.failed("a message", pe, "no memory");
    return;
  }
  if (pending != nullptr) {
    waiting->count = pending->begin();
  }
  *std::exchange(peer.end_waiting, &waiting->next) = waiting;
  waiting_.fetch_add(1, std::memory_order_relaxed);
}

void Tagged::tell_waiting() noexcept {
  for (int pe = 0; pe < static_cast<int>(pes_); ++pe) {
    Peer* const peer = known(pe);
    if (peer == nullptr) {
      continue;
    }
    const std::scoped_lock lock(peer->mutex);
    while (peer->first_waiting != nullptr) {
      Waiting* waiting = peer->first_waiting;
      Pending& pending = waiting->pending != nullptr ? *waiting->pending : nobodys_;
      if (tell(pe, waiting->head, waiting->data, waiting->bytes, pending) == Told::kAgain) {
        break;
      }
      peer->first_waiting = waiting->next;
      if (peer->first_waiting == nullptr) {
        peer->end_waiting = &peer->first_waiting;
      }
      if (waiting->count != nullptr) {
        waiting->count->end();
      }
      delete waiting;
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

void Tagged::send(int pe, Tag tag, const void* from, std::size_t bytes, Pending& pending) noexcept {
  Peer* peer = peer_of(pe);
  if (peer == nullptr) {
    return;
  }
  const std::scoped_lock lock(peer->mutex);
  const std::uint64_t cost = Allowance::cost(bytes);
  if (bytes <= Allowance::largest(allowance_) && cost <= peer->allowance) {
    peer->allowance -= cost;
    say(*peer, pe, {tag, bytes, 0, What::kMessage, 0}, from, bytes, &pending);
    return;
  }
  auto* offer = new (std::nothrow) Offer{peer->offers, ++peer->last_offer, from, bytes, &pending, nullptr};
  if (offer == nullptr) {
    setup_.failed("a message", pe, "no memory");
    return;
  }
  offer->count = pending.begin();
  peer->offers = offer;
  say(*peer, pe, {tag, bytes, offer->number, What::kOffer, 0}, nullptr, 0, nullptr);
}

void Tagged::receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept {
  Peer* peer = peer_of(pe);
  if (peer == nullptr) {
    return;
  }
  const std::scoped_lock lock(peer->mutex);
  const Mailbox::Meeting meeting = peer->mailbox.receive(tag, to, bytes, pending);
  switch (meeting.met) {
    case Mailbox::Met::kNotYet: return;
    case Mailbox::Met::kOtherLength:
    case Mailbox::Met::kNoMemory: fail_receipt(pe, meeting.met, meeting.bytes, bytes); return;
    case Mailbox::Met::kOffered:
      --peer->offers_here;
      say(*peer, pe, {tag, bytes, meeting.offer, What::kWanted, 0}, nullptr, 0, nullptr);
      return;
    case Mailbox::Met::kHere: break;
  }
  peer->unexpected -= Allowance::cost(bytes);
  if (const std::uint64_t room = give_back(*peer, Allowance::cost(bytes)); room != 0) {
    say(*peer, pe, {0, 0, room, What::kTaken, 0}, nullptr, 0, nullptr);
  }
}

std::uint64_t Tagged::give_back(Peer& peer, std::uint64_t cost) const noexcept {
  peer.taken += cost;
  return peer.taken >= Allowance::largest(allowance_) ? std::exchange(peer.taken, 0) : 0;
}

// --- what it is told -------------------------------------------------------------------------------------------------

void Tagged::refuse(int pe, const char* why) noexcept {
  if (setup_.refused != nullptr) {
    setup_.refused(pe, why);
  }
}

void Tagged::fail_receipt(int pe, Mailbox::Met why, std::uint64_t came, std::uint64_t wanted) noexcept {
  char text[96];
  (void)std::snprintf(text, sizeof text,
                      why == Mailbox::Met::kNoMemory ? "no memory" : "it has %llu bytes, expected are %llu",
                      static_cast<unsigned long long>(came), static_cast<unsigned long long>(wanted));
  setup_.failed("the receipt of a message", pe, text);
}

Landing Tagged::place(void* self, const Arrival& arrival, Answerer& answerer) noexcept {
  Tagged& tagged = *static_cast<Tagged*>(self);
  Head head{};
  if (arrival.head_bytes != sizeof head) {
    tagged.refuse(arrival.pe, "sends a message that is none");
    return {};
  }
  std::memcpy(&head, arrival.head, sizeof head);
  Peer* peer = tagged.peer_of(arrival.pe);
  if (peer == nullptr) {
    return {};
  }
  const std::scoped_lock lock(peer->mutex);
  switch (head.what) {
    case What::kMessage: return tagged.place_message(*peer, arrival, head, answerer);
    case What::kOffer: return tagged.place_offer(*peer, arrival, head, answerer);
    case What::kWantedData: return tagged.place_wanted_data(*peer, arrival, head);
    case What::kWanted: tagged.send_wanted(*peer, arrival.pe, head.number); return {};
    case What::kTaken:
      if (head.number > tagged.allowance_ - peer->allowance) {
        tagged.refuse(arrival.pe, "gives back more room for messages than it got");
      } else {
        peer->allowance += head.number;
      }
      return {};
  }
  tagged.refuse(arrival.pe, "sends a message that is none");
  return {};
}

Landing Tagged::place_message(Peer& peer, const Arrival& arrival, const Head& head, Answerer& answerer) noexcept {
  const std::uint64_t bytes = arrival.bytes;
  if (bytes == 0 || bytes != head.bytes || bytes > Allowance::largest(allowance_)) {
    refuse(arrival.pe, bytes == 0 ? "sends a message of no bytes" : "sends a message that it had to offer first");
    return {};
  }
  const std::uint64_t cost = Allowance::cost(bytes);
  const Mailbox::Meeting meeting = peer.mailbox.begin(head.tag, bytes, 0);
  switch (meeting.met) {
    case Mailbox::Met::kOtherLength:
    case Mailbox::Met::kNoMemory: fail_receipt(arrival.pe, meeting.met, bytes, meeting.bytes); return {};
    case Mailbox::Met::kHere:
      if (const std::uint64_t room = give_back(peer, cost); room != 0) {
        const Head taken{0, 0, room, What::kTaken, 0};
        (void)answerer.answer({kKind, &taken, sizeof taken, nullptr, 0});
      }
      break;
    case Mailbox::Met::kOffered:
    case Mailbox::Met::kNotYet:
      if ((peer.unexpected += cost) > allowance_) {
        peer.mailbox.abandon(meeting.letter);
        refuse(arrival.pe, "sends more messages that nobody waits for than it may");
        return {};
      }
  }
  return {meeting.letter->to, meeting.letter};
}

Landing Tagged::place_offer(Peer& peer, const Arrival& arrival, const Head& head, Answerer& answerer) noexcept {
  if (head.number == 0 || head.bytes == 0 || arrival.bytes != 0) {
    refuse(arrival.pe, "offers a message that is none");
    return {};
  }
  const Mailbox::Meeting meeting = peer.mailbox.begin(head.tag, head.bytes, head.number);
  switch (meeting.met) {
    case Mailbox::Met::kOtherLength:
    case Mailbox::Met::kNoMemory: fail_receipt(arrival.pe, meeting.met, head.bytes, meeting.bytes); break;
    case Mailbox::Met::kOffered: {
      const Head wanted{head.tag, head.bytes, head.number, What::kWanted, 0};
      (void)answerer.answer({kKind, &wanted, sizeof wanted, nullptr, 0});
      break;
    }
    case Mailbox::Met::kHere:
    case Mailbox::Met::kNotYet:
      if (++peer.offers_here > Allowance::kOffers) {
        refuse(arrival.pe, "sends more messages that nobody waits for than it may");
      }
  }
  return {};
}

Landing Tagged::place_wanted_data(Peer& peer, const Arrival& arrival, const Head& head) noexcept {
  Mailbox::Letter* letter = peer.mailbox.begin_wanted(head.number, arrival.bytes);
  if (letter == nullptr) {
    refuse(arrival.pe, "sends a message that it was not told is wanted");
    return {};
  }
  return {letter->to, letter};
}

void Tagged::send_wanted(Peer& peer, int pe, std::uint64_t number) noexcept {
  Offer** at = &peer.offers;
  while (*at != nullptr && (*at)->number != number) {
    at = &(*at)->next;
  }
  Offer* offer = *at;
  if (offer == nullptr) {
    refuse(pe, "wants a message that it was not offered");
    return;
  }
  *at = offer->next;
  say(peer, pe, {0, offer->bytes, number, What::kWantedData, 0}, offer->from, offer->bytes, offer->pending);
  offer->count->end();
  delete offer;
}

void Tagged::arrived(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
  if (arrival.landing.cookie != nullptr) {
    Peer& peer = *static_cast<Tagged*>(self)->known(arrival.pe);
    const std::scoped_lock lock(peer.mutex);
    peer.mailbox.end(static_cast<Mailbox::Letter*>(arrival.landing.cookie));
  }
}

void Tagged::lost(void* self, const Arrival& arrival) noexcept {
  if (arrival.landing.cookie != nullptr) {
    Peer& peer = *static_cast<Tagged*>(self)->known(arrival.pe);
    const std::scoped_lock lock(peer.mutex);
    peer.mailbox.abandon(static_cast<Mailbox::Letter*>(arrival.landing.cookie));
  }
}

}  // namespace weft::transport

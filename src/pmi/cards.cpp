#include "pmi/cards.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "boot/changes.hpp"
#include "os/futex.hpp"
#include "pmi/arrays.hpp"
#include "pmi/session.hpp"

namespace weft::pmi {
namespace {

constexpr std::uint64_t kLookNs = 250'000'000;

struct Key {
  char text[32];
};
Key key_of(std::uint32_t round, std::size_t piece) noexcept {
  Key key{};
  (void)std::snprintf(key.text, sizeof key.text, "cards%u.%zu", round, piece);
  return key;
}

base::Error too_early() noexcept { return base::Error::make("a PE of this node has ended before all PEs had started"); }

void write_card(boot::PeerCard* place, const boot::PeerCard& card) noexcept {
  const std::uint32_t node = place->node;
  const std::uint32_t local = place->local;
  *place = card;
  place->node = node;
  place->local = local;
}

// The PEs of all nodes, those of each side by side, in their order.
class Order {
 public:
  explicit Order(boot::JobHeader* job) noexcept
      : n_pes_(static_cast<int>(job->job_pes)),
        n_nodes_(static_cast<int>(job->n_nodes)),
        pes_(make_array<std::int32_t>(n_pes_)),
        begins_(make_array<std::int32_t>(n_nodes_ + 1)) {
    if (!there()) {
      return;
    }
    for (int pe = 0; pe < n_pes_; ++pe) {
      ++begins_[boot::peer_card(job, pe)->node + 1];
    }
    for (int node = 0; node < n_nodes_; ++node) {
      begins_[node + 1] += begins_[node];
    }
    for (int pe = 0; pe < n_pes_; ++pe) {
      const boot::PeerCard& card = *boot::peer_card(job, pe);
      pes_[begins_[card.node] + static_cast<int>(card.local)] = pe;
    }
  }
  ~Order() {
    if (pes_ != nullptr) drop_array(pes_, n_pes_);
    if (begins_ != nullptr) drop_array(begins_, n_nodes_ + 1);
  }
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  bool there() const noexcept { return pes_ != nullptr && begins_ != nullptr; }
  std::span<const std::int32_t> of(int node) const noexcept {
    return {pes_ + begins_[node], static_cast<std::size_t>(begins_[node + 1] - begins_[node])};
  }
  int largest() const noexcept {
    int most = 0;
    for (int node = 0; node < n_nodes_; ++node) {
      most = std::max(most, begins_[node + 1] - begins_[node]);
    }
    return most;
  }

 private:
  int n_pes_;
  int n_nodes_;
  std::int32_t* pes_;
  std::int32_t* begins_;  // of each node, and the end
};

// A first piece tells how many bytes there are; the others are as long as a value may be, but for the last one.
base::Result<void> put_pieces(Manager& manager, std::uint32_t round, std::span<const std::byte> bytes) noexcept {
  auto done = put(manager, key_of(round, 0).text, static_cast<std::uint32_t>(bytes.size()));
  for (std::size_t piece = 1; done && !bytes.empty(); ++piece) {
    const std::size_t count = std::min(bytes.size(), kMostValue);
    done = manager.put(key_of(round, piece).text, bytes.first(count));
    bytes = bytes.subspan(count);
  }
  return done;
}

// Into `room`; how many bytes.
base::Result<std::size_t> get_pieces(Manager& manager, int pe, std::uint32_t round,
                                     std::span<std::byte> room) noexcept {
  const auto bytes = get<std::uint32_t>(manager, pe, key_of(round, 0).text);
  if (!bytes) {
    return bytes.error();
  }
  if (*bytes > room.size()) {
    return base::Error::make("PE %d says that the cards of its node have %u bytes; do all PEs run the same Weft?", pe,
                             *bytes);
  }
  for (std::size_t at = 0, piece = 1; at < *bytes; at += kMostValue, ++piece) {
    const std::size_t count = std::min(*bytes - at, kMostValue);
    if (const auto got = manager.get(pe, key_of(round, piece).text, room.subspan(at, count)); !got) {
      return got.error();
    }
  }
  return std::size_t{*bytes};
}

// As the first PE of a node, whose others have filled in their cards or are about to.
base::Result<void> give_cards(Manager& manager, boot::JobHeader* job, std::uint32_t round, const Order& order,
                              std::span<std::byte> room) noexcept {
  const std::uint32_t wanted = job->n_pes * (round + 1);
  // Acquire: the cards were filled in before.
  for (std::uint32_t filled = job->cards_filled.load(std::memory_order_acquire); filled != wanted;
       filled = job->cards_filled.load(std::memory_order_acquire)) {
    os::futex_wait(job->cards_filled, filled, kLookNs);
    if (find_lost_pe() >= 0) {
      return too_early();
    }
  }
  const std::size_t bytes =
      boot::pack_cards(boot::peer_card(job, 0), order.of(static_cast<int>(job->node)), room.data());
  return put_pieces(manager, round, room.first(bytes));
}

base::Result<void> take_cards(Manager& manager, boot::JobHeader* job, std::uint32_t round, const Order& order,
                              std::span<std::byte> room) noexcept {
  for (int node = 0; node < static_cast<int>(job->n_nodes); ++node) {
    if (node == static_cast<int>(job->node)) {
      continue;
    }
    const std::span<const std::int32_t> pes = order.of(node);
    const auto bytes = get_pieces(manager, pes[0], round, room);
    if (!bytes) {
      return bytes.error();
    }
    if (!boot::unpack_cards(room.first(*bytes), boot::peer_card(job, 0), pes)) {
      return base::Error::make("the cards of PE %d's node came back damaged; do all PEs run the same Weft?", pes[0]);
    }
  }
  // Release: who sees the number sees the cards.
  job->cards_here.fetch_add(1, std::memory_order_release);
  os::futex_wake_all(job->cards_here);
  return {};
}

// For all PEs of the node.
base::Result<void> speak(Manager& manager, boot::JobHeader* job, std::uint32_t round) noexcept {
  const Order order(job);
  const int bytes = order.there() ? order.largest() * static_cast<int>(boot::kMostPackedCard) : 0;
  std::byte* const memory = bytes > 0 ? make_array<std::byte>(bytes) : nullptr;
  if (memory == nullptr) {
    return no_memory(manager.size());
  }
  const std::span<std::byte> room(memory, static_cast<std::size_t>(bytes));
  auto done = give_cards(manager, job, round, order, room);
  done = done ? manager.fence() : done;
  done = done ? take_cards(manager, job, round, order, room) : done;
  drop_array(memory, bytes);
  return done;
}

}  // namespace

base::Result<void> exchange_cards(Manager& manager, boot::JobHeader* job, int pe, int local,
                                  const boot::PeerCard& mine) noexcept {
  // This round cannot end without this PE, so the number of rounds so far is the same wherever it is read.
  const std::uint32_t round = job->cards_here.load(std::memory_order_acquire);
  write_card(boot::peer_card(job, pe), mine);
  // Release: the card is there for who counts all of them; acquire, as boot::publish has it.
  const std::uint32_t filled = job->cards_filled.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (filled % job->n_pes == 0) {
    os::futex_wake_all(job->cards_filled);
  }
  if (local == 0) {
    return speak(manager, job, round);
  }
  if (const auto met = manager.fence(); !met) {
    return met;
  }
  while (job->cards_here.load(std::memory_order_acquire) == round) {
    os::futex_wait(job->cards_here, round, kLookNs);
    if (find_lost_pe() >= 0) {
      return too_early();
    }
  }
  return {};
}

}  // namespace weft::pmi

// How the cards of all PEs come to each node: a node's go up the tree when its PEs have filled them in, and from oshrun
// down to all, each node's as they come. Of a card goes what differs from that of the PE before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "boot/job.hpp"

namespace weft::launch::tree {

/// The cards of a node's PEs, of which these are the numbers in the job. Up.
std::string pack_cards(const boot::PeerCard* table, const std::vector<int>& pes);
/// The same on their way down: with the node they are of.
std::string cards_of_node(std::uint32_t node, std::string_view packed);

/// At a node: the cards of all, as they come in each round. Each shmem_init is one.
class Cards {
 public:
  /// `early`: what comes goes into the table at once. Else it waits for the rest of its round, as PEs may read the
  /// table until they have given their cards of that.
  explicit Cards(std::size_t n_nodes, bool early = false) : pieces_(n_nodes), come_(n_nodes, false), early_(early) {}

  enum class Taken { kDamaged, kSome, kAll };
  /// What cards_of_node() made, for the table, but for node and local, which are there. `pes_of(node)` gives the
  /// numbers of its PEs. kAll: this was the last node of the round, and the next one begins.
  template <class PesOf>
  Taken take(std::string_view payload, boot::PeerCard* table, PesOf&& pes_of) {
    const std::size_t node = node_of(payload);
    if (payload.size() < sizeof(std::uint32_t) || node >= come_.size() || come_[node]) return Taken::kDamaged;
    if (early_ && !unpack_cards(payload, table, pes_of(node))) return Taken::kDamaged;
    if (!early_) pieces_[node] = payload;
    come_[node] = true;
    if (++n_come_ < come_.size()) return Taken::kSome;
    come_.assign(come_.size(), false);
    n_come_ = 0;
    bool fine = true;
    for (std::size_t k = 0; !early_ && k < pieces_.size(); ++k) {
      fine = fine && unpack_cards(std::exchange(pieces_[k], {}), table, pes_of(k));
    }
    return fine ? Taken::kAll : Taken::kDamaged;
  }

 private:
  static std::size_t node_of(std::string_view payload);
  static bool unpack_cards(std::string_view payload, boot::PeerCard* table, const std::vector<int>& pes);

  std::vector<std::string> pieces_;
  std::vector<bool> come_;
  bool early_;
  std::size_t n_come_ = 0;
};

}  // namespace weft::launch::tree

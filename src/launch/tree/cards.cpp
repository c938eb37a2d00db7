#include "launch/tree/cards.hpp"

#include <array>
#include <cstdint>

#include "boot/changes.hpp"
#include "launch/tree/frames.hpp"

namespace weft::launch::tree {

std::string pack_cards(const boot::PeerCard* table, const std::vector<int>& pes) {
  const boot::PeerCard none{};
  const boot::PeerCard* before = &none;
  std::array<std::byte, boot::kMostPackedCard> packed;
  std::string bytes;
  for (const int pe : pes) {
    const std::size_t count = boot::pack_card(*before, table[pe], packed.data());
    bytes.append(reinterpret_cast<const char*>(packed.data()), count);
    before = &table[pe];
  }
  return bytes;
}

std::string cards_of_node(std::uint32_t node, std::string_view packed) {
  return Packer().put(node).raw(packed).bytes();
}

std::size_t Cards::node_of(std::string_view payload) { return Unpacker(payload).get<std::uint32_t>(); }

bool Cards::unpack_cards(std::string_view payload, boot::PeerCard* table, const std::vector<int>& pes) {
  const auto* from = reinterpret_cast<const std::byte*>(payload.data());
  const std::byte* const end = from + payload.size();
  from += sizeof(std::uint32_t);
  boot::PeerCard before{};
  for (const int pe : pes) {
    from = boot::unpack_card(from, end, &before, &table[pe]);
    if (from == nullptr) return false;
  }
  return from == end;
}

}  // namespace weft::launch::tree

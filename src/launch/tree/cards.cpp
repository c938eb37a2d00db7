#include "launch/tree/cards.hpp"

#include <algorithm>
#include <cstdint>

#include "boot/changes.hpp"
#include "launch/tree/frames.hpp"

namespace weft::launch::tree {

std::string pack_cards(const boot::PeerCard* table, const std::vector<int>& pes) {
  std::string bytes(pes.size() * boot::kMostPackedCard, '\0');
  bytes.resize(boot::pack_cards(table, pes, reinterpret_cast<std::byte*>(bytes.data())));
  return bytes;
}

std::string cards_of_node(std::uint32_t node, std::string_view packed) {
  return Packer().put(node).raw(packed).bytes();
}

std::size_t Cards::node_of(std::string_view payload) { return Unpacker(payload).get<std::uint32_t>(); }

bool Cards::unpack_cards(std::string_view payload, boot::PeerCard* table, const std::vector<int>& pes) {
  const std::string_view packed = payload.substr(std::min(payload.size(), sizeof(std::uint32_t)));
  return boot::unpack_cards({reinterpret_cast<const std::byte*>(packed.data()), packed.size()}, table, pes);
}

}  // namespace weft::launch::tree

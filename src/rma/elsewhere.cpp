#include "rma/elsewhere.hpp"

namespace weft::rma {

void get(void* dest, const transport::Remote& from, std::size_t bytes) noexcept {
  transport::Pending pending;
  job::node().network->get(dest, from, bytes, pending);
  wait_for_network(pending);
}

void put_blocks(transport::Remote to, const void* source, const Blocks& blocks, transport::Pending& pending) noexcept {
  const auto* from = static_cast<const std::byte*>(source);
  for (std::size_t k = 0; k < blocks.count; ++k, to.offset += blocks.there_step, from += blocks.here_step) {
    job::node().network->put(to, from, blocks.bytes, transport::Source::kInARow, pending);
  }
}

void get_blocks(void* dest, transport::Remote from, const Blocks& blocks) noexcept {
  auto* to = static_cast<std::byte*>(dest);
  transport::Pending pending;
  for (std::size_t k = 0; k < blocks.count; ++k, from.offset += blocks.there_step, to += blocks.here_step) {
    job::node().network->get(to, from, blocks.bytes, pending);
  }
  wait_for_network(pending);
}

}  // namespace weft::rma

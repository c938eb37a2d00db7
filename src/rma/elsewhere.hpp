// put and get with PEs of other nodes. On the node both are copies between mappings, which need nothing from here.
#pragma once

#include <cstddef>

#include "rma/target.hpp"

namespace weft::rma {

/// Returns when the value is here.
void get(void* dest, const transport::Remote& from, std::size_t bytes) noexcept;

/// Blocks one by one, each of so many bytes, and from one to the next so many bytes. A put is counted by `pending`, a
/// get returns when all are here.
struct Blocks {
  std::size_t bytes;
  std::size_t count;
  std::size_t there_step;
  std::size_t here_step;
};
void put_blocks(transport::Remote to, const void* source, const Blocks& blocks, transport::Pending& pending) noexcept;
void get_blocks(void* dest, transport::Remote from, const Blocks& blocks) noexcept;

}  // namespace weft::rma

// The memory that this PE has lent to others: registered with libfabric, whose keys they are.
#pragma once

#include <rdma/fi_domain.h>

#include <cstddef>
#include <memory>
#include <mutex>

#include "transport/ofi/endpoint.hpp"
#include "transport/ofi/handles.hpp"
#include "transport/transport.hpp"

namespace weft::transport::ofi {

inline bool lies_in(const Memory& memory, const void* at, std::size_t bytes) noexcept {
  const std::size_t distance = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(memory.at);
  return distance <= memory.bytes && bytes <= memory.bytes - distance;
}

class Regions {
 public:
  Regions() = default;
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;
  ~Regions() { take_back_all(); }

  base::Result<RegionKey> lend(const Endpoint& endpoint, const Memory& memory) noexcept;
  void take_back(const RegionKey& key) noexcept;
  void take_back_all() noexcept;
  /// What libfabric wants beside a local address that lies in one of them; null: it lies in none.
  void* descriptor(const void* at, std::size_t bytes) const noexcept;

 private:
  struct Region {
    Region* next = nullptr;
    Memory memory;
    RegionKey key;
    Handle<fid_mr> registered;
  };
  mutable std::mutex mutex_;  // nothing is locked under it
  Region* first_ = nullptr;
};

}  // namespace weft::transport::ofi

// The algorithms of api/algorithms.def: one function each, one file each in the folder of its operation.
#pragma once

#include <cstdint>

#include "coll/collectives.hpp"

namespace weft::coll {

/// Where the members' blocks lie in the target of a collect.
class Blocks {
 public:
  explicit Blocks(std::uint64_t each) noexcept : each_(each) {}
  /// ends[k] is where block k ends.
  explicit Blocks(const std::uint64_t* ends) noexcept : ends_(ends) {}
  std::uint64_t begin(int member) const noexcept {
    if (ends_ == nullptr) {
      return static_cast<std::uint64_t>(member) * each_;
    }
    return member == 0 ? 0 : ends_[member - 1];
  }
  std::uint64_t bytes(int member) const noexcept { return ends_ == nullptr ? each_ : ends_[member] - begin(member); }

 private:
  std::uint64_t each_ = 0;
  const std::uint64_t* ends_ = nullptr;
};

struct Collect {
  std::byte* dest;
  const std::byte* source;
  Blocks blocks;
};

#define WEFT_BROADCAST(name, text) void broadcast_##name(Party& party, const Broadcast& call) noexcept;
#define WEFT_COLLECT(name, text) void collect_##name(Party& party, const Collect& call) noexcept;
#define WEFT_ALLTOALL(name, text) void alltoall_##name(Party& party, const Alltoall& call) noexcept;
#define WEFT_REDUCE(name, text) void reduce_##name(Party& party, const Reduce& call) noexcept;
#define WEFT_SCAN(name, text) void scan_##name(Party& party, const Scan& call) noexcept;
#include "api/algorithms.def"

}  // namespace weft::coll

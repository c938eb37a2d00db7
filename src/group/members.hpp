// Which PEs: an arithmetic progression, as all teams and active sets of OpenSHMEM are, or a table in any order.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.hpp"

namespace weft::group {

/// PEs in any order, each once, and where each of them stands. Several may use one table; it goes with the last.
class RankTable {
 public:
  /// With one user. Null without memory. The PEs are all different.
  static RankTable* make(const int* pes, int size) noexcept;
  void keep() const noexcept;
  void drop() const noexcept;

  const int* pes() const noexcept { return reinterpret_cast<const int*>(this + 1); }
  int pe(int member) const noexcept { return pes()[member]; }
  int find(int pe) const noexcept;
  /// The same PEs in ascending order.
  const int* sorted() const noexcept { return pes() + size_; }

 private:
  explicit RankTable(int size) noexcept : size_(size) {}
  int* room() noexcept { return reinterpret_cast<int*>(this + 1); }
  // Behind those: which member each of them is.
  const int* numbers() const noexcept { return sorted() + size_; }

  mutable std::atomic<std::uint32_t> users_{1};
  int size_;
};

/// Member k is PE start + k * stride of the job, or the table's k-th. Copies are views: who keeps members that may have
/// a table calls keep() and drop().
struct Members {
  int start = 0;
  int stride = 1;
  int size = 0;
  const RankTable* table = nullptr;

  int pe(int member) const noexcept { return table == nullptr ? start + member * stride : table->pe(member); }
  /// Number of a PE of the job among the members; -1 when it is none.
  int find(int pe) const noexcept;
  /// Every step-th of these members, which have no table, from `first` on. The members asked for exist.
  Members part(int first, int step, int count) const noexcept {
    // One member needs no stride, and the one given may be anything.
    return {pe(first), count == 1 ? 1 : step * stride, count};
  }
  bool operator==(const Members& other) const noexcept;

  void keep() const noexcept {
    if (table != nullptr) {
      table->keep();
    }
  }
  void drop() const noexcept {
    if (table != nullptr) {
      table->drop();
    }
  }
};

/// These PEs in this order: a progression where they are one, else a table, which is the caller's to drop. An error:
/// one of them is there twice, or there is no memory.
base::Result<Members> members_of(const int* pes, int size) noexcept;

}  // namespace weft::group

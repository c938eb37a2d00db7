#include "group/members.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>

namespace weft::group {
namespace {

bool is_progression(const int* pes, int size) noexcept {
  for (int k = 2; k < size; ++k) {
    if (pes[k] - pes[k - 1] != pes[1] - pes[0]) {
      return false;
    }
  }
  return true;
}

}  // namespace

RankTable* RankTable::make(const int* pes, int size) noexcept {
  const auto n = static_cast<std::size_t>(size);
  void* memory = std::malloc(sizeof(RankTable) + 3 * n * sizeof(int));
  if (memory == nullptr) {
    return nullptr;
  }
  auto* table = new (memory) RankTable(size);
  int* room = table->room();
  int* sorted = room + n;
  int* numbers = sorted + n;
  std::copy(pes, pes + n, room);
  std::iota(numbers, numbers + n, 0);
  std::sort(numbers, numbers + n, [pes](int a, int b) { return pes[a] < pes[b]; });
  std::transform(numbers, numbers + n, sorted, [pes](int number) { return pes[number]; });
  return table;
}

// Relaxed: who passes a table on to another thread does so by means that order it.
void RankTable::keep() const noexcept { users_.fetch_add(1, std::memory_order_relaxed); }

void RankTable::drop() const noexcept {
  // acq_rel: the last one to go frees what all others have read before they went.
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    std::free(const_cast<RankTable*>(this));  // its destructor does nothing
  }
}

int RankTable::find(int pe) const noexcept {
  const int* end = sorted() + size_;
  const int* at = std::lower_bound(sorted(), end, pe);
  return at == end || *at != pe ? -1 : numbers()[at - sorted()];
}

int Members::find(int pe) const noexcept {
  const int distance = pe - start;
  if (stride == 1) {  // nearly always, and a division costs as much as the rest of a short call
    return distance >= 0 && distance < size ? distance : -1;
  }
  if (table != nullptr) [[unlikely]] {
    return table->find(pe);
  }
  if (stride == 0 || distance % stride != 0) {
    return distance == 0 && size > 0 ? 0 : -1;
  }
  const int member = distance / stride;
  return member >= 0 && member < size ? member : -1;
}

bool Members::operator==(const Members& other) const noexcept {
  if (size != other.size || start != other.start || stride != other.stride) {
    return false;
  }
  if (table == nullptr || other.table == nullptr) {
    return table == other.table;
  }
  return std::equal(table->pes(), table->pes() + size, other.table->pes());
}

base::Result<Members> members_of(const int* pes, int size) noexcept {
  if (size == 0) {
    return Members{};
  }
  if (is_progression(pes, size) && (size == 1 || pes[1] != pes[0])) {
    return Members{pes[0], size == 1 ? 1 : pes[1] - pes[0], size};
  }
  RankTable* table = RankTable::make(pes, size);
  if (table == nullptr) {
    return base::Error::make("no memory for a table of %d PEs", size);
  }
  for (int k = 0; k < size; ++k) {
    if (table->find(pes[k]) != k) {
      table->drop();
      return base::Error::make("PE %d is there twice", pes[k]);
    }
  }
  // A stride that no progression of several has: find() asks for 1 first, and notes tell tables by it.
  return Members{pes[0], 0, size, table};
}

}  // namespace weft::group

#include "mpi/groups.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "job/node.hpp"
#include "mpi/errors.hpp"

namespace weft::mpi {
namespace {

// Never destroyed: programs may ask while they exit.
Group* g_empty = nullptr;

using Pes = std::vector<int>;

int give(const Pes& pes, MPI_Group* newgroup) noexcept {
  const auto members = group::members_of(pes.data(), static_cast<int>(pes.size()));
  return members ? give_group(*members, newgroup) : raise(nullptr, MPI_ERR_NO_MEM, "%s", members.error().text());
}

// 0: all of them are ranks of the group, each once.
int check_ranks(const Group& group, const std::vector<int>& ranks, const char* argument) noexcept {
  std::vector<bool> seen(static_cast<std::size_t>(group.members.size));
  for (const int rank : ranks) {
    if (rank < 0 || rank >= group.members.size) {
      return raise(nullptr, MPI_ERR_RANK, "%s: %d is no rank of the group, which has %d", argument, rank,
                   group.members.size);
    }
    if (seen[static_cast<std::size_t>(rank)]) {
      return raise(nullptr, MPI_ERR_RANK, "%s: %d is there twice", argument, rank);
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return MPI_SUCCESS;
}

// The ranks of the program's array. False, with the call's result: they cannot be read.
bool read_ranks(const Group& group, int n, const int* ranks, std::vector<int>* read, int* result) noexcept {
  if (n < 0 || (n > 0 && ranks == nullptr)) {
    *result =
        n < 0 ? raise(nullptr, MPI_ERR_ARG, "n: %d is negative", n) : raise(nullptr, MPI_ERR_ARG, "ranks: is null");
    return false;
  }
  read->assign(ranks, ranks + n);
  *result = check_ranks(group, *read, "ranks");
  return *result == MPI_SUCCESS;
}

// The ranks that ranges of (first, last, stride) stand for; false as above.
bool read_ranges(const Group& group, int n, const int (*ranges)[3], std::vector<int>* read, int* result) noexcept {
  if (n < 0 || (n > 0 && ranges == nullptr)) {
    *result =
        n < 0 ? raise(nullptr, MPI_ERR_ARG, "n: %d is negative", n) : raise(nullptr, MPI_ERR_ARG, "ranges: is null");
    return false;
  }
  for (int k = 0; k < n; ++k) {
    const auto [first, last, stride] = ranges[k];
    const bool empty = stride == 0 || (stride > 0 ? first > last : first < last);
    const auto is_rank = [&group](int rank) { return rank >= 0 && rank < group.members.size; };
    if (empty || !is_rank(first) || !is_rank(last)) {
      *result = raise(nullptr, empty ? MPI_ERR_ARG : MPI_ERR_RANK, "ranges: (%d, %d, %d) is no range of its %d ranks",
                      first, last, stride, group.members.size);
      return false;
    }
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      read->push_back(static_cast<int>(rank));
      if (read->size() > static_cast<std::size_t>(group.members.size)) {
        break;  // one is there twice, which the next line finds
      }
    }
  }
  *result = check_ranks(group, *read, "ranges");
  return *result == MPI_SUCCESS;
}

int include(const Group& group, const std::vector<int>& ranks, MPI_Group* newgroup) noexcept {
  Pes pes(ranks.size());
  std::transform(ranks.begin(), ranks.end(), pes.begin(), [&](int rank) { return group.members.pe(rank); });
  return give(pes, newgroup);
}

int exclude(const Group& group, const std::vector<int>& ranks, MPI_Group* newgroup) noexcept {
  std::vector<bool> out(static_cast<std::size_t>(group.members.size));
  for (const int rank : ranks) {
    out[static_cast<std::size_t>(rank)] = true;
  }
  Pes pes;
  for (int rank = 0; rank < group.members.size; ++rank) {
    if (!out[static_cast<std::size_t>(rank)]) {
      pes.push_back(group.members.pe(rank));
    }
  }
  return give(pes, newgroup);
}

// Those of the one that are in the other, or are not, in the order of the one.
Pes those(const Group& one, const Group& other, bool in) noexcept {
  Pes pes;
  for (int rank = 0; rank < one.members.size; ++rank) {
    const int pe = one.members.pe(rank);
    if ((other.members.find(pe) >= 0) == in) {
      pes.push_back(pe);
    }
  }
  return pes;
}

}  // namespace

int compare_members(const group::Members& one, const group::Members& other) noexcept {
  if (one.size != other.size) {
    return MPI_UNEQUAL;
  }
  bool same_order = true;
  for (int rank = 0; rank < one.size; ++rank) {
    const int there = other.find(one.pe(rank));
    if (there < 0) {
      return MPI_UNEQUAL;
    }
    same_order = same_order && there == rank;
  }
  return same_order ? MPI_IDENT : MPI_SIMILAR;
}

int give_group(const group::Members& members, MPI_Group* group) noexcept {
  if (members.size == 0) {
    *group = MPI_GROUP_EMPTY;
    return MPI_SUCCESS;
  }
  auto* const made = new (std::nothrow) Group;
  if (made == nullptr) {
    members.drop();
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for a group");
  }
  made->members = members;
  return publish(made, group) ? MPI_SUCCESS : raise(nullptr, MPI_ERR_NO_MEM, "there are too many groups");
}

void set_up_groups() noexcept {
  g_empty = new Group;
  g_empty->number = number_of(MPI_GROUP_EMPTY);
  set_predefined(HandleKind::kGroup, g_empty->number, g_empty);
}

int group_compare(const Group& group1, const Group& group2, int* result) noexcept {
  *result = compare_members(group1.members, group2.members);
  return MPI_SUCCESS;
}

int group_difference(const Group& group1, const Group& group2, MPI_Group* newgroup) noexcept {
  return give(those(group1, group2, false), newgroup);
}

int group_excl(const Group& group, int n, const int* ranks, MPI_Group* newgroup) noexcept {
  std::vector<int> read;
  int result = MPI_SUCCESS;
  return read_ranks(group, n, ranks, &read, &result) ? exclude(group, read, newgroup) : result;
}

int group_free(MPI_Group* group) noexcept {
  auto* const found = find<Group>(*group);
  if (found == nullptr) {
    return raise_handle(nullptr, HandleKind::kGroup, *group, "group");
  }
  if (is_predefined(found->number)) {
    *group = MPI_GROUP_NULL;  // constructors give it too, and what they give is freed
    return MPI_SUCCESS;
  }
  retire(*found, group);
  return MPI_SUCCESS;
}

int group_incl(const Group& group, int n, const int* ranks, MPI_Group* newgroup) noexcept {
  std::vector<int> read;
  int result = MPI_SUCCESS;
  return read_ranks(group, n, ranks, &read, &result) ? include(group, read, newgroup) : result;
}

int group_intersection(const Group& group1, const Group& group2, MPI_Group* newgroup) noexcept {
  return give(those(group1, group2, true), newgroup);
}

int group_range_excl(const Group& group, int n, const int (*ranges)[3], MPI_Group* newgroup) noexcept {
  std::vector<int> read;
  int result = MPI_SUCCESS;
  return read_ranges(group, n, ranges, &read, &result) ? exclude(group, read, newgroup) : result;
}

int group_range_incl(const Group& group, int n, const int (*ranges)[3], MPI_Group* newgroup) noexcept {
  std::vector<int> read;
  int result = MPI_SUCCESS;
  return read_ranges(group, n, ranges, &read, &result) ? include(group, read, newgroup) : result;
}

int group_rank(const Group& group, int* rank) noexcept {
  const int found = group.members.find(job::node().me);
  *rank = found < 0 ? MPI_UNDEFINED : found;
  return MPI_SUCCESS;
}

int group_size(const Group& group, int* size) noexcept {
  *size = group.members.size;
  return MPI_SUCCESS;
}

int group_translate_ranks(const Group& group1, int n, const int* ranks1, const Group& group2, int* ranks2) noexcept {
  if (n < 0 || (n > 0 && (ranks1 == nullptr || ranks2 == nullptr))) {
    return n < 0 ? raise(nullptr, MPI_ERR_ARG, "n: %d is negative", n)
                 : raise(nullptr, MPI_ERR_ARG, "%s: is null", ranks1 == nullptr ? "ranks1" : "ranks2");
  }
  for (int k = 0; k < n; ++k) {
    const int rank = ranks1[k];
    if (rank == MPI_PROC_NULL) {
      ranks2[k] = MPI_PROC_NULL;
      continue;
    }
    if (rank < 0 || rank >= group1.members.size) {
      return raise(nullptr, MPI_ERR_RANK, "ranks1: %d is no rank of the group, which has %d", rank,
                   group1.members.size);
    }
    const int there = group2.members.find(group1.members.pe(rank));
    ranks2[k] = there < 0 ? MPI_UNDEFINED : there;
  }
  return MPI_SUCCESS;
}

int group_union(const Group& group1, const Group& group2, MPI_Group* newgroup) noexcept {
  Pes pes;
  for (int rank = 0; rank < group1.members.size; ++rank) {
    pes.push_back(group1.members.pe(rank));
  }
  const Pes more = those(group2, group1, false);
  pes.insert(pes.end(), more.begin(), more.end());
  return give(pes, newgroup);
}

}  // namespace weft::mpi

// Groups: processes of the job in any order.
#pragma once

#include <mpi.h>

#include "group/members.hpp"
#include "mpi/objects.hpp"

namespace weft::mpi {

struct Group : Object {
  using Handle = MPI_Group;
  static constexpr HandleKind kKind = HandleKind::kGroup;
  Group() noexcept = default;
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { members.drop(); }
  group::Members members;
};

/// How two groups, or the groups of two communicators, are alike: MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare_members(const group::Members& one, const group::Members& other) noexcept;
/// Gives the program a group of these, which it takes over. Returns what the call does.
int give_group(const group::Members& members, MPI_Group* group) noexcept;

void set_up_groups() noexcept;

int group_compare(const Group& group1, const Group& group2, int* result) noexcept;
int group_difference(const Group& group1, const Group& group2, MPI_Group* newgroup) noexcept;
int group_excl(const Group& group, int n, const int* ranks, MPI_Group* newgroup) noexcept;
int group_free(MPI_Group* group) noexcept;
int group_incl(const Group& group, int n, const int* ranks, MPI_Group* newgroup) noexcept;
int group_intersection(const Group& group1, const Group& group2, MPI_Group* newgroup) noexcept;
int group_range_excl(const Group& group, int n, const int (*ranges)[3], MPI_Group* newgroup) noexcept;
int group_range_incl(const Group& group, int n, const int (*ranges)[3], MPI_Group* newgroup) noexcept;
int group_rank(const Group& group, int* rank) noexcept;
int group_size(const Group& group, int* size) noexcept;
int group_translate_ranks(const Group& group1, int n, const int* ranks1, const Group& group2, int* ranks2) noexcept;
int group_union(const Group& group1, const Group& group2, MPI_Group* newgroup) noexcept;

}  // namespace weft::mpi

// The target of a one-sided call: where in a member's memory it is, and whether it may be there.
#pragma once

#include <mpi.h>

#include "mpi/datatypes.hpp"
#include "mpi/memory.hpp"
#include "mpi/requests.hpp"
#include "mpi/windows.hpp"
#include "reach/way.hpp"
#include "win/member.hpp"

namespace weft::mpi {

/// What a call says of it.
struct Aim {
  int rank;
  MPI_Aint disp;
  MPI_Count count;
  const Datatype& type;
};

/// What comes of that.
struct Target {
  win::Member* member = nullptr;
  /// The address that the displacement names, as win::Spot::at: the datatype's data lies from there on.
  std::byte* at = nullptr;
  win::Way way = win::Way::kMapped;
  const win::Far* far = nullptr;  // as in win::Spot
};

int find_target_slowly(Win& win, const Aim& aim, Target* target) noexcept;

/// So many bytes at a displacement in the part of a member that is open. False: it is not so, or none of the commonest.
inline bool find_close(win::Window& window, int rank, MPI_Aint at, std::uint64_t bytes, Target* target) noexcept {
  constexpr std::uint64_t kFew = std::uint64_t{1} << 40;
  if (static_cast<unsigned>(rank) >= static_cast<unsigned>(window.size())) [[unlikely]] {
    return false;
  }
  win::Member& member = window.member(rank);
  const auto disp = static_cast<std::uint64_t>(at);
  const auto unit = static_cast<std::uint64_t>(member.unit);
  if (!window.is_open(member) || disp >= kFew || unit >= kFew >> 20) [[unlikely]] {
    return false;
  }
  const std::uint64_t begin = disp * unit;
  if (begin > member.bytes || bytes > member.bytes - begin) [[unlikely]] {
    return false;
  }
  *target = {&member, member.base + begin, member.way, nullptr};
  return true;
}

/// MPI_SUCCESS with a null member: the rank is MPI_PROC_NULL. Else the call's result. The datatype is committed.
inline int find_target(Win& win, const Aim& aim, Target* target) noexcept {
  // The commonest: a few elements, as they lie, within the member's part.
  const type::Bounds& bounds = aim.type.type->bounds();
  const std::int64_t extent = bounds.ub;
  constexpr std::uint64_t kFew = std::uint64_t{1} << 30;
  if (bounds.lb == 0 && bounds.true_lb == 0 && bounds.true_ub <= extent && static_cast<std::uint64_t>(extent) < kFew &&
      static_cast<std::uint64_t>(aim.count) < kFew &&
      find_close(win.window, aim.rank, aim.disp, static_cast<std::uint64_t>(aim.count * extent), target)) [[likely]] {
    return MPI_SUCCESS;
  }
  return find_target_slowly(win, aim, target);
}

/// Origin and target of a call: datatypes that can be used, and no more bytes than there is room for on the side where
/// they go.
enum class Goes : bool { kThere, kHere };
int check_ends(Win& win, const Memory& origin, const Aim& aim, Goes goes) noexcept;
/// What has begun at a member of another node is complete: for requests that are so when they are given.
void complete_far(Win& win, const Aim& aim) noexcept;
/// A copy has come to an end that is none.
int raise_moved(Win& win, const Aim& aim, const reach::Moved& moved) noexcept;

/// A request that is complete; MPI_SUCCESS, or the call's result.
int give_complete(MPI_Request* request) noexcept;

}  // namespace weft::mpi

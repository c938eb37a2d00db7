#include "mpi/win_moves.hpp"

#include <array>
#include <cstring>

#include "copy/copy.hpp"
#include "mpi/win_safe.hpp"
#include "mpi/win_target.hpp"
#include "mpi/win_together.hpp"
#include "win/far.hpp"
#include "win/moves.hpp"

namespace weft::mpi {
namespace {

enum class Does : bool { kPut, kGet };

constexpr std::size_t kPieces = 64;

// Sizes of single elements as one load and one store, so that nobody sees half of one.
inline void copy_few(void* to, const void* from, std::size_t bytes) noexcept {
  switch (bytes) {
    case 4: std::memcpy(to, from, 4); return;
    case 8: std::memcpy(to, from, 8); return;
    default: copy::copy(to, from, bytes); return;
  }
}

reach::Moved move(const win::Member& member, win::Way way, const win::Move& what, Does does) noexcept {
  return does == Does::kPut ? win::put(member, way, what) : win::get(member, way, what);
}

// Rows of the same length on both sides, some pieces at a time.
reach::Moved move_pieces(const Target& target, const Memory& origin, const Aim& aim, Does does) noexcept {
  const type::Cursor here(*origin.datatype.type, origin.count);
  const type::Cursor there(*aim.type.type, aim.count);
  std::array<type::Piece, kPieces> listed{};
  std::array<reach::Piece, kPieces> ours{};
  std::array<reach::Range, kPieces> theirs{};
  const std::uint64_t bytes = does == Does::kPut ? here.bytes() : there.bytes();
  for (std::uint64_t position = 0; position < bytes;) {
    const std::uint64_t left = bytes - position;
    const std::size_t our_count = here.list(const_cast<void*>(origin.at), position, left, listed.data(), kPieces);
    std::uint64_t our_bytes = 0;
    for (std::size_t k = 0; k < our_count; ++k) {
      ours[k] = {listed[k].at, listed[k].bytes};
      our_bytes += listed[k].bytes;
    }
    const std::size_t their_count = there.list(target.at, position, our_bytes, listed.data(), kPieces);
    std::uint64_t their_bytes = 0;
    for (std::size_t k = 0; k < their_count; ++k) {
      theirs[k] = {reinterpret_cast<std::uintptr_t>(listed[k].at), listed[k].bytes};
      their_bytes += listed[k].bytes;
    }
    const reach::Moved moved =
        move(*target.member, target.way, {ours.data(), our_count, theirs.data(), their_count, target.far}, does);
    if (moved.outcome != reach::Outcome::kDone) {
      return moved;
    }
    position += their_bytes;
  }
  return {};
}

// False: nothing was done.
bool move_far_together(Win& win, const Target& target, const Memory& origin, const type::Cursor& here, const Aim& aim,
                       const type::Cursor& there, bool puts) noexcept {
  const std::uint64_t bytes = puts ? here.bytes() : there.bytes();
  const std::uint64_t few = short_bytes(puts, puts && win::network_joins_puts());
  return (is_scattered(there, bytes, few) || is_scattered(here, bytes, few)) &&
         move_together(win, target, origin, aim, bytes, puts);
}

// The commonest: elements of one predefined datatype on both sides, without gaps. Such datatypes are committed, and so
// many on both sides fit.
bool is_plain(const Memory& origin, const Aim& aim) noexcept {
  const type::Datatype& type = *aim.type.type;
  return &origin.datatype == &aim.type && origin.count == aim.count && origin.at != nullptr && aim.count > 0 &&
         is_predefined(aim.type.number) && type.bounds().ub == type.size() && type.bounds().true_ub == type.size();
}

template <Does does>
int make(const Memory& origin, const Aim& aim, Win& win) noexcept {
  constexpr win::Touches kTouches = does == Does::kPut ? win::Touches::kPuts : win::Touches::kGets;
  Target target;
  if (is_plain(origin, aim)) [[likely]] {
    if (const int code = find_target(win, aim, &target); code != MPI_SUCCESS || target.member == nullptr) [[unlikely]] {
      return code;
    }
    if (target.way == win::Way::kMapped) [[likely]] {
      const auto bytes = static_cast<std::size_t>(aim.count) * static_cast<std::size_t>(aim.type.type->size());
      auto* const ours = const_cast<void*>(origin.at);
      does == Does::kPut ? copy_few(target.at, ours, bytes) : copy_few(ours, target.at, bytes);
      note_access(win, target, aim, bytes, kTouches);
      return MPI_SUCCESS;
    }
  }
  if (const int code = check_ends(win, origin, aim, does == Does::kPut ? Goes::kThere : Goes::kHere);
      code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  if (const int code = find_target(win, aim, &target); code != MPI_SUCCESS || target.member == nullptr) [[unlikely]] {
    return code;
  }
  const type::Cursor here(*origin.datatype.type, origin.count);
  const type::Cursor there(*aim.type.type, aim.count);
  const std::uint64_t bytes = does == Does::kPut ? here.bytes() : there.bytes();
  if (bytes == 0) {
    return MPI_SUCCESS;
  }
  reach::Moved moved;
  if (target.way == win::Way::kNetwork &&
      move_far_together(win, target, origin, here, aim, there, does == Does::kPut)) {
    // Done, or under way.
  } else if (!here.in_one_piece() || !there.in_one_piece()) {
    moved = move_pieces(target, origin, aim, does);
  } else {
    std::byte* const ours = here.first(origin.at);
    std::byte* const theirs = there.first(target.at);
    const win::Spot spot{theirs, target.way, target.far};
    if (target.way == win::Way::kMapped) [[likely]] {
      does == Does::kPut ? copy_few(theirs, ours, bytes) : copy_few(ours, theirs, bytes);
    } else {
      moved = does == Does::kPut ? win::put_one(*target.member, spot, ours, bytes)
                                 : win::get_one(*target.member, spot, ours, bytes);
    }
  }
  if (moved.outcome == reach::Outcome::kDone) {
    note_access(win, target, aim, bytes, kTouches);
  }
  return raise_moved(win, aim, moved);
}

}  // namespace

// NOLINTBEGIN(readability-function-size): the standard's own arguments.
int put(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, Win& win) noexcept {
  return make<Does::kPut>({origin_addr, origin_count, origin_datatype},
                          {target_rank, target_disp, target_count, target_datatype}, win);
}

int get(void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
        MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, Win& win) noexcept {
  return make<Does::kGet>({origin_addr, origin_count, origin_datatype},
                          {target_rank, target_disp, target_count, target_datatype}, win);
}

int rput(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, Win& win,
         MPI_Request* request) noexcept {
  const int code =
      put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win);
  if (code != MPI_SUCCESS) {
    return code;
  }
  complete_far(win, {target_rank, target_disp, target_count, target_datatype});
  return give_complete(request);
}

int rget(void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, Win& win,
         MPI_Request* request) noexcept {
  const int code =
      get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win);
  if (code != MPI_SUCCESS) {
    return code;
  }
  complete_far(win, {target_rank, target_disp, target_count, target_datatype});
  return give_complete(request);
}
// NOLINTEND(readability-function-size)

}  // namespace weft::mpi

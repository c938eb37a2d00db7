#include "mpi/win_target.hpp"

#include <algorithm>
#include <cstring>

namespace weft::mpi {
namespace {

// From an address that a call names: the first byte of the data, and behind the last.
struct Reach {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// The count fits.
Reach reach_of(const type::Datatype& type, MPI_Count count) noexcept {
  if (count == 0 || type.size() == 0) {
    return {};
  }
  const type::Bounds& bounds = type.bounds();
  const std::int64_t last = (count - 1) * bounds.extent();
  return {bounds.true_lb + std::min<std::int64_t>(last, 0), bounds.true_ub + std::max<std::int64_t>(last, 0)};
}

int raise_range(Win& win, const Aim& aim, const Reach& reach, std::uint64_t bytes) noexcept {
  return raise(&win, MPI_ERR_RMA_RANGE,
               "target_disp: at %lld %lld of %s reach from byte %lld to %lld, and rank %d has %llu bytes in the window",
               static_cast<long long>(aim.disp), static_cast<long long>(aim.count), text_of(aim.type).c_str(),
               static_cast<long long>(reach.from), static_cast<long long>(reach.to), aim.rank,
               static_cast<unsigned long long>(bytes));
}

int find_attached(Win& win, const Aim& aim, const Reach& reach, Target* target) noexcept {
  win::Member& member = win.window.member(aim.rank);
  const auto address = static_cast<std::uint64_t>(aim.disp);
  const auto bytes = static_cast<std::uint64_t>(reach.to - reach.from);
  const std::uint64_t from = address + static_cast<std::uint64_t>(reach.from);
  win::Spot spot;
  if (bytes > 0 && !win.window.find_attached(aim.rank, from, bytes, &spot)) {
    return raise(&win, MPI_ERR_RMA_RANGE,
                 "target_disp: rank %d has not attached the %llu bytes from address 0x%llx on, not in one piece",
                 aim.rank, static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(from));
  }
  *target = {&member, spot.at - reach.from, spot.way, spot.far};
  return MPI_SUCCESS;
}

}  // namespace

int find_target_slowly(Win& win, const Aim& aim, Target* target) noexcept {
  if (const int code = check_win_rank(win, aim.rank, "target_rank"); code != MPI_SUCCESS || aim.rank == MPI_PROC_NULL) {
    return code;
  }
  win::Member& member = win.window.member(aim.rank);
  if (!win.window.is_open(member)) {
    return raise_not_open(win, aim.rank);
  }
  Reach reach = reach_of(*aim.type.type, aim.count);
  if (win.flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    return find_attached(win, aim, reach, target);
  }
  if (aim.disp < 0) {
    return raise(&win, MPI_ERR_DISP, "target_disp: %lld is negative", static_cast<long long>(aim.disp));
  }
  std::int64_t begin = 0;
  Reach absolute;
  const bool fits = !__builtin_mul_overflow(aim.disp, member.unit, &begin) &&
                    !__builtin_add_overflow(begin, reach.from, &absolute.from) &&
                    !__builtin_add_overflow(begin, reach.to, &absolute.to);
  if (!fits || absolute.from < 0 || static_cast<std::uint64_t>(absolute.to) > member.bytes) {
    // No bytes are nowhere out of range.
    if (reach.from == reach.to) {
      *target = {&member, member.base, member.way, nullptr};
      return MPI_SUCCESS;
    }
    return raise_range(win, aim, fits ? absolute : Reach{INT64_MAX, INT64_MAX}, member.bytes);
  }
  *target = {&member, member.base + begin, member.way, nullptr};
  return MPI_SUCCESS;
}

int check_ends(Win& win, const Memory& origin, const Aim& aim, Goes goes) noexcept {
  if (const int code = check_memory(win, origin); code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  const type::Datatype& there = *aim.type.type;
  if (!there.committed() || !type::Cursor::fits(there, aim.count)) [[unlikely]] {
    return there.committed()
               ? raise(&win, MPI_ERR_COUNT, "target_count: %lld of such do not fit in the address space",
                       static_cast<long long>(aim.count))
               : raise(&win, MPI_ERR_TYPE, "target_datatype: %s is not committed", text_of(aim.type).c_str());
  }
  const std::uint64_t here = type::Cursor(*origin.datatype.type, origin.count).bytes();
  const std::uint64_t room = type::Cursor(there, aim.count).bytes();
  if (goes == Goes::kThere ? here > room : room > here) [[unlikely]] {
    return raise(&win, MPI_ERR_TRUNCATE,
                 goes == Goes::kThere ? "target_count: there are %llu bytes of data, and room for %llu at the target"
                                      : "origin_count: there is room for %llu bytes, and the target has %llu",
                 static_cast<unsigned long long>(here), static_cast<unsigned long long>(room));
  }
  return MPI_SUCCESS;
}

void complete_far(Win& win, const Aim& aim) noexcept {
  if (aim.rank >= 0 && !win.window.member(aim.rank).is_here()) {
    win.window.complete();
  }
}

int raise_moved(Win& win, const Aim& aim, const reach::Moved& moved) noexcept {
  switch (moved.outcome) {
    case reach::Outcome::kDone: return MPI_SUCCESS;
    case reach::Outcome::kUnmapped:
      return raise(
          &win, MPI_ERR_RMA_RANGE,
          "target_disp: the memory at %lld of rank %d is not there, or not writable; was it freed while it was "
          "in the window?",
          static_cast<long long>(aim.disp), aim.rank);
    case reach::Outcome::kOwnMissing: return raise(&win, MPI_ERR_BUFFER, "origin_addr: there is no such memory");
    case reach::Outcome::kForbidden:
      return raise(
          &win, MPI_ERR_UNSUPPORTED_OPERATION,
          "target_rank: the system does not let this process reach the memory of rank %d (see WEFT_SINGLE_COPY, "
          "and SHMEM_DEBUG=1 for the reason); MPI_Win_allocate and MPI_Alloc_mem give memory that all reach",
          aim.rank);
    case reach::Outcome::kGone: return raise(&win, MPI_ERR_OTHER, "target_rank: rank %d has ended", aim.rank);
    case reach::Outcome::kFailed: break;
  }
  return raise(&win, MPI_ERR_OTHER, "target_rank: the memory of rank %d cannot be reached: %s", aim.rank,
               std::strerror(moved.error));
}

int give_complete(MPI_Request* request) noexcept {
  if (const Request* const gone = gone_request(); gone != nullptr) {
    *request = handle_of(*gone);
    return MPI_SUCCESS;
  }
  Request* const made = new_request(nullptr, Request::Does::kBuffered);
  if (made == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for a request");
  }
  made->nobody = true;
  made->active = true;
  return give_request(made, request);
}

}  // namespace weft::mpi

#include "mpi/win_safe.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "api/mpi/calls.hpp"
#include "coll/barrier.hpp"
#include "job/node.hpp"

namespace weft::mpi {
namespace {

using win::Noted;
using win::Touches;

constexpr std::size_t kPieces = 64;
constexpr std::uint64_t kMostPieces = 1024;  // of one call; more are not looked at

const char* name_of(std::uint32_t call) noexcept { return api::mpi::call_name(static_cast<api::mpi::Call>(call)); }

// What they get is complete behind the wait for their request, which nobody here sees.
bool is_over_by_a_wait() noexcept {
  using enum api::mpi::Call;
  const auto call = static_cast<api::mpi::Call>(job::t_entered.call);
  return call == MPI_Rget || call == MPI_Rget_c || call == MPI_Rget_accumulate || call == MPI_Rget_accumulate_c;
}

const char* rule_of(const Noted& one, const Noted& other) noexcept {
  if (one.touches == Touches::kPuts || other.touches == Touches::kPuts) {
    return "bytes that are put are not accessed otherwise before the put is complete";
  }
  if (one.touches != other.touches) {
    return "bytes that an accumulate changes are got by MPI_Get when it is complete, or by MPI_Get_accumulate";
  }
  return one.element != other.element ? "accumulates of the same bytes at a time are of the same predefined datatype"
                                      : "accumulates of the same bytes at a time have the same op, or MPI_NO_OP";
}

struct WindowName {
  explicit WindowName(const Win& win) noexcept {
    win.name == nullptr || win.name->empty()
        ? (void)std::snprintf(text, sizeof text, "the window")
        : (void)std::snprintf(text, sizeof text, "the window %.80s", win.name->c_str());
  }
  char text[100];
};

void report_conflict(Win& win, int rank, const Noted& mine, const Noted& theirs) noexcept {
  report(
      "bytes %llu to %llu of rank %d in %s: %s of rank %d%s accesses them in the same epoch, and what comes of both is "
      "not defined; %s (by MPI_Win_flush, MPI_Win_unlock, MPI_Win_complete or MPI_Win_fence)",
      static_cast<unsigned long long>(std::max(mine.from, theirs.from)),
      static_cast<unsigned long long>(std::min(mine.to, theirs.to) - 1), rank, WindowName(win).text,
      name_of(theirs.call), win.members.find(static_cast<int>(theirs.pe)), ToldPlace(theirs.site).text,
      rule_of(mine, theirs));
}

}  // namespace

void note_access_slowly(Win& win, const Target& target, const Aim& aim, std::uint64_t bytes, Touches touches,
                        std::uint32_t op, std::uint32_t element) noexcept {
  if (is_over_by_a_wait()) {
    return;
  }
  const bool attached = win.flavor == MPI_WIN_FLAVOR_DYNAMIC;
  const std::int64_t base = attached ? aim.disp : aim.disp * target.member->unit;
  Noted access{.site = told_site(),
               .call = job::t_entered.call,
               .pe = static_cast<std::uint32_t>(job::node().me),
               .touches = touches,
               .op = op,
               .element = element,
               .fence = win.window.fence_of_epoch()};
  const bool is_seen = !attached && target.way == win::Way::kMapped && touches == Touches::kPuts && access.fence != 0;
  const type::Cursor there(*aim.type.type, aim.count);
  std::array<type::Piece, kPieces> pieces;
  std::uint64_t listed = 0;
  for (std::uint64_t position = 0; position < bytes && listed < kMostPieces;) {
    const std::size_t count = there.list(target.at, position, bytes - position, pieces.data(), kPieces);
    for (std::size_t k = 0; k < count; ++k) {
      access.from = static_cast<std::uint64_t>(base + (static_cast<std::byte*>(pieces[k].at) - target.at));
      access.to = access.from + pieces[k].bytes;
      access.sum = is_seen ? sum_of_bytes(pieces[k].at, pieces[k].bytes) : 0;
      position += pieces[k].bytes;
      if (Noted other; win::note(*target.member, access, &other)) {
        report_conflict(win, aim.rank, access, other);
      }
    }
    listed += count;
  }
}

void note_complete(Win& win, int rank) noexcept {
  const int me = job::node().me;
  for (int k = rank < 0 ? 0 : rank; k < (rank < 0 ? win.window.size() : rank + 1); ++k) {
    win::forget(win.window.member(k), me);
  }
}

void check_fence(Win& win) noexcept {
  const win::Member& own = win.window.member(win.window.me());
  for (const Noted& each : win::take_fenced(own, win.window.fences())) {
    // Any PE can write there.
    const bool fits = each.from < each.to && each.to <= own.bytes;
    if (each.touches != Touches::kPuts || each.sum == 0 || !fits ||
        sum_of_bytes(own.base + each.from, static_cast<std::size_t>(each.to - each.from)) == each.sum) {
      continue;
    }
    report(
        "bytes %llu to %llu of this rank's part of %s were stored over after %s of rank %d%s had put them, in the same "
        "epoch; between two fences the memory that is put to is not stored to",
        static_cast<unsigned long long>(each.from), static_cast<unsigned long long>(each.to - 1), WindowName(win).text,
        name_of(each.call), win.members.find(static_cast<int>(each.pe)), ToldPlace(each.site).text);
  }
  // What follows may put there again.
  coll::team_barrier(*win.team);  // the fence has made it
}

}  // namespace weft::mpi

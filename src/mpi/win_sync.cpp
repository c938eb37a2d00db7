// Windows: when the members may be accessed.
#include <vector>

#include "coll/barrier.hpp"
#include "mpi/win_safe.hpp"
#include "mpi/windows.hpp"

namespace weft::mpi {
namespace {

using win::Mistake;
using win::Window;

constexpr int kFenceModes = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
constexpr int kPostModes = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;

int raise_assert(Win& win, int assertion) noexcept {
  return raise(&win, MPI_ERR_ASSERT, "assert: 0x%x has other bits than this call's assertions",
               static_cast<unsigned>(assertion));
}

// Before somebody else may begin: accesses to the rank, -1: to all, are complete, or will be when the call returns.
void completes(Win& win, int rank = -1) noexcept {
  if (checks()) [[unlikely]] {
    note_complete(win, rank);
  }
}

int result(Win& win, Mistake mistake, int rank = -1) noexcept {
  return mistake == Mistake::kNone ? MPI_SUCCESS : raise_mistake(win, mistake, rank);
}

int raise_no_locks(Win& win) noexcept {
  return raise(&win, MPI_ERR_RMA_SYNC, "win: was made with the info key no_locks, so that none may be locked");
}

// Which members of the window a group has. Most groups are of few neighbours, and are to take no memory for each epoch.
class RanksOf {
 public:
  RanksOf() noexcept = default;
  // It may point into itself.
  RanksOf(const RanksOf&) = delete;
  RanksOf& operator=(const RanksOf&) = delete;
  /// MPI_SUCCESS, or the call's result.
  int find(Win& win, const Group& group) noexcept {
    if (group.members.size > kFew) {
      many_.resize(static_cast<std::size_t>(group.members.size));
      ranks_ = many_.data();
    }
    for (; size_ < group.members.size; ++size_) {
      ranks_[size_] = win.members.find(group.members.pe(size_));
      if (ranks_[size_] < 0) {
        return raise(&win, MPI_ERR_GROUP, "group: its rank %d is none of the window's", size_);
      }
    }
    return MPI_SUCCESS;
  }
  const int* ranks() const noexcept { return ranks_; }
  int size() const noexcept { return size_; }

 private:
  static constexpr int kFew = 8;
  int few_[kFew];
  std::vector<int> many_;
  int* ranks_ = few_;
  int size_ = 0;
};

}  // namespace

int check_win_rank(Win& win, int rank, const char* argument) noexcept {
  return static_cast<unsigned>(rank) < static_cast<unsigned>(win.window.size()) || rank == MPI_PROC_NULL
             ? MPI_SUCCESS
             : raise(&win, MPI_ERR_RANK, "%s: %d is no rank of the window, which has %d", argument, rank,
                     win.window.size());
}

int raise_not_open(Win& win, int rank) noexcept {
  if (win.window.access() == win::Access::kStarted) {
    return raise(&win, MPI_ERR_RMA_SYNC, "target_rank: %d is not in the group that MPI_Win_start was given", rank);
  }
  return raise(&win, MPI_ERR_RMA_SYNC,
               "target_rank: rank %d may not be accessed now; MPI_Win_lock, MPI_Win_lock_all, MPI_Win_fence or "
               "MPI_Win_start is to be called before",
               rank);
}

int raise_mistake(Win& win, Mistake mistake, int rank) noexcept {
  const char* text = "";
  switch (mistake) {
    case Mistake::kNone: break;
    case Mistake::kFenced:
      text =
          "win: accesses have followed MPI_Win_fence, and another fence, without MPI_MODE_NOSUCCEED or with nothing "
          "behind it, is to end them first";
      break;
    case Mistake::kStarted: text = "win: MPI_Win_start was called, and MPI_Win_complete is to come first"; break;
    case Mistake::kLocked: text = "win: a rank of it is locked, and MPI_Win_unlock is to come first"; break;
    case Mistake::kAllLocked: text = "win: MPI_Win_lock_all was called, and MPI_Win_unlock_all is to come first"; break;
    case Mistake::kHeld: return raise(&win, MPI_ERR_RMA_SYNC, "rank: %d is locked by this process already", rank);
    case Mistake::kNotLocked:
      return rank < 0 ? raise(&win, MPI_ERR_RMA_SYNC, "win: no rank of it is locked")
                      : raise(&win, MPI_ERR_RMA_SYNC, "rank: %d is not locked by this process", rank);
    case Mistake::kNotAllLocked: text = "win: MPI_Win_lock_all was not called before"; break;
    case Mistake::kNotStarted: text = "win: MPI_Win_start was not called before"; break;
    case Mistake::kPosted: text = "win: MPI_Win_post was called, and MPI_Win_wait is to come first"; break;
    case Mistake::kNotPosted: text = "win: MPI_Win_post was not called before"; break;
  }
  return raise(&win, MPI_ERR_RMA_SYNC, "%s", text);
}

namespace {

[[gnu::noinline]] int lock_in_full(int lock_type, int rank, int assertion, Win& win) noexcept {
  if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE) {
    return raise(&win, MPI_ERR_LOCKTYPE, "lock_type: %d is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE", lock_type);
  }
  if (const int code = check_win_rank(win, rank, "rank"); code != MPI_SUCCESS || rank == MPI_PROC_NULL) {
    return code;
  }
  if ((assertion & ~MPI_MODE_NOCHECK) != 0 || !win.has_locks) {
    return win.has_locks ? raise_assert(win, assertion) : raise_no_locks(win);
  }
  const lock::Mode mode = lock_type == MPI_LOCK_SHARED ? lock::Mode::kShared : lock::Mode::kExclusive;
  return result(win, win.window.lock(win.window.member(rank), mode, assertion == 0), rank);
}

[[gnu::noinline]] int unlock_in_full(int rank, Win& win) noexcept {
  if (const int code = check_win_rank(win, rank, "rank"); code != MPI_SUCCESS || rank == MPI_PROC_NULL) {
    return code;
  }
  completes(win, rank);
  return result(win, win.window.unlock(win.window.member(rank)), rank);
}

bool is_rank(Win& win, int rank) noexcept {
  return static_cast<unsigned>(rank) < static_cast<unsigned>(win.window.size());
}

}  // namespace

// Both: the commonest first, with nothing to be kept for what may be wrong.
int win_lock(int lock_type, int rank, int assertion, Win& win) noexcept {
  if (assertion == 0 && win.has_locks && is_rank(win, rank)) [[likely]] {
    win::Member& member = win.window.member(rank);
    if (lock_type == MPI_LOCK_SHARED
            ? win.window.lock_simply(member, lock::Mode::kShared)
            : lock_type == MPI_LOCK_EXCLUSIVE && win.window.lock_simply(member, lock::Mode::kExclusive)) [[likely]] {
      return MPI_SUCCESS;
    }
  }
  return lock_in_full(lock_type, rank, assertion, win);
}

int win_unlock(int rank, Win& win) noexcept {
  if (!checks() && is_rank(win, rank) && win.window.unlock_simply(win.window.member(rank))) [[likely]] {
    return MPI_SUCCESS;
  }
  return unlock_in_full(rank, win);
}

int win_lock_all(int assertion, Win& win) noexcept {
  if ((assertion & ~MPI_MODE_NOCHECK) != 0 || !win.has_locks) {
    return win.has_locks ? raise_assert(win, assertion) : raise_no_locks(win);
  }
  return result(win, win.window.lock_all(assertion == 0));
}

int win_unlock_all(Win& win) noexcept {
  completes(win);
  return result(win, win.window.unlock_all());
}

namespace {

// What is called has been done when the call returns, but only a flush of both sides says so to others.
enum class Flush : bool { kLocal, kBoth };

int flush(int rank, Win& win, Flush of) noexcept {
  if (const int code = check_win_rank(win, rank, "rank"); code != MPI_SUCCESS || rank == MPI_PROC_NULL) [[unlikely]] {
    return code;
  }
  const Mistake mistake = win.window.may_flush(win.window.member(rank));
  win.window.complete();
  if (of == Flush::kBoth) {
    completes(win, rank);
  }
  return result(win, mistake, rank);
}

int flush_all(Win& win, Flush of) noexcept {
  const Mistake mistake = win.window.may_flush_all();
  win.window.complete();
  if (of == Flush::kBoth) {
    completes(win);
  }
  return result(win, mistake);
}

}  // namespace

int win_flush(int rank, Win& win) noexcept { return flush(rank, win, Flush::kBoth); }
int win_flush_all(Win& win) noexcept { return flush_all(win, Flush::kBoth); }
int win_flush_local(int rank, Win& win) noexcept { return flush(rank, win, Flush::kLocal); }
int win_flush_local_all(Win& win) noexcept { return flush_all(win, Flush::kLocal); }

int win_sync(Win& /*win*/) noexcept {
  Window::synchronise();
  return MPI_SUCCESS;
}

int win_fence(int assertion, Win& win) noexcept {
  if ((assertion & ~kFenceModes) != 0) {
    return raise_assert(win, assertion);
  }
  if (const Mistake mistake = win.window.fence((assertion & MPI_MODE_NOSUCCEED) != 0); mistake != Mistake::kNone) {
    return raise_mistake(win, mistake);
  }
  // What neither ends nor begins anything is nobody's to wait for: all ranks give these two alike.
  constexpr int kNothing = MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  if ((assertion & kNothing) == kNothing) {
    Window::synchronise();
    return MPI_SUCCESS;
  }
  if (const int code = need_team(win); code != MPI_SUCCESS) [[unlikely]] {
    return code;
  }
  coll::team_barrier(*win.team);
  if (checks()) [[unlikely]] {
    check_fence(win);
  }
  return MPI_SUCCESS;
}

int win_start(const Group& group, int assertion, Win& win) noexcept {
  if ((assertion & ~MPI_MODE_NOCHECK) != 0) {
    return raise_assert(win, assertion);
  }
  RanksOf of;
  const int code = of.find(win, group);
  return code != MPI_SUCCESS ? code : result(win, win.window.start(of.ranks(), of.size()));
}

int win_complete(Win& win) noexcept {
  completes(win);
  return result(win, win.window.complete_started());
}

int win_post(const Group& group, int assertion, Win& win) noexcept {
  if ((assertion & ~kPostModes) != 0) {
    return raise_assert(win, assertion);
  }
  RanksOf of;
  const int code = of.find(win, group);
  return code != MPI_SUCCESS ? code : result(win, win.window.post(of.ranks(), of.size()));
}

int win_wait(Win& win) noexcept { return result(win, win.window.wait()); }

int win_test(Win& win, int* flag) noexcept {
  bool is_over = false;
  const Mistake mistake = win.window.test(&is_over);
  *flag = is_over ? 1 : 0;
  return result(win, mistake);
}

}  // namespace weft::mpi

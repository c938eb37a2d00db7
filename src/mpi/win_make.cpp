// Windows: making and ending them.
#include <algorithm>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "base/lines.hpp"
#include "coll/barrier.hpp"
#include "coll/forms.hpp"
#include "coll/split.hpp"
#include "job/node.hpp"
#include "job/pages.hpp"
#include "mpi/comm_offers.hpp"
#include "mpi/safe.hpp"
#include "mpi/windows.hpp"
#include "win/held.hpp"
#include "win/moves.hpp"
#include "win/served.hpp"

namespace weft::mpi {
namespace {

using win::Card;

bool is_true(const Info* info, const char* key) noexcept {
  const std::string* const value = info == nullptr ? nullptr : info->get(key);
  return value != nullptr && *value == "true";
}

std::uint64_t alignment_of(const Info* info) noexcept {
  return std::max(win::kLeastAlignment, info == nullptr ? 0 : alignment_in(info->get("mpi_minimum_memory_alignment")));
}

// Where memory of a window lies is told, to who asks for it, from so many bytes on.
constexpr MPI_Aint kTold = MPI_Aint{2} << 20;

// By win::LockBy.
constexpr const char* kLocks[] = {"near", "migrating", "always", "far"};

win::LockBy lock_in(const Info* info) noexcept {
  const std::string* const wanted = info == nullptr ? nullptr : info->get("weft_lock");
  for (std::size_t k = 0; wanted != nullptr && k < std::size(kLocks); ++k) {
    if (*wanted == kLocks[k]) {
      return static_cast<win::LockBy>(k);
    }
  }
  return job::node().amo_by_network ? win::LockBy::kMigrating : win::LockBy::kHome;
}

// What of this rank's arguments is wrong; all ranks hear of it, so that none waits for one that has returned.
enum Wants : std::uint32_t { kGood, kBadSize, kBadUnit, kNullBase, kNoMemory };

int raise_wants(Comm& comm, std::uint32_t wants, int rank, MPI_Aint size, MPI_Aint unit) noexcept {
  const bool is_mine = rank == comm.rank;
  switch (wants) {
    case kBadSize:
      return is_mine ? raise(&comm, MPI_ERR_SIZE, "size: %lld is negative", static_cast<long long>(size))
                     : raise(&comm, MPI_ERR_SIZE, "size: is negative on rank %d", rank);
    case kBadUnit:
      return is_mine ? raise(&comm, MPI_ERR_DISP, "disp_unit: %lld is not positive", static_cast<long long>(unit))
                     : raise(&comm, MPI_ERR_DISP, "disp_unit: is not positive on rank %d", rank);
    case kNullBase:
      return is_mine ? raise(&comm, MPI_ERR_ARG, "base: is null, and the window is to have %lld bytes",
                             static_cast<long long>(size))
                     : raise(&comm, MPI_ERR_ARG, "base: is null on rank %d", rank);
    default: break;
  }
  return is_mine ? raise(&comm, MPI_ERR_NO_MEM, "size: there are no %lld bytes", static_cast<long long>(size))
                 : raise(&comm, MPI_ERR_NO_MEM, "size: there is no memory for the window's part of rank %d", rank);
}

bool is_of_one_node(const Comm& comm) noexcept {
  for (int rank = 0; rank < comm.members.size; ++rank) {
    if (job::node().here(comm.members.pe(rank)) < 0) {
      return false;
    }
  }
  return true;
}

// What all kinds have in common.
struct Making {
  Comm& comm;
  const Info* info;
  MPI_Aint size;
  MPI_Aint unit;
  MPI_Win* win;
  Win* made = nullptr;
  MPI_Win handle = nullptr;  // its
  Card card{};
  bool spans = false;  // several nodes

  Making(Comm& on, const Info* hints, MPI_Aint bytes, MPI_Aint units, MPI_Win* into) noexcept
      : comm(on), info(hints), size(bytes), unit(units), win(into) {}

  /// All that takes memory or a number, but the part itself: what can fail here the others hear of with the card. A
  /// part of so many bytes is behind the block. MPI_SUCCESS, or the call's result.
  int begin(int flavor, std::uint64_t part = 0) noexcept {
    if (win == nullptr || comm.inter) {
      return win == nullptr ? raise(&comm, MPI_ERR_ARG, "win: is null")
                            : raise(&comm, MPI_ERR_COMM, "comm: is an intercommunicator");
    }
    spans = !is_of_one_node(comm);
    card.pe = job::node().me;
    card.unit = unit;
    card.wants = size < 0 ? kBadSize : unit <= 0 ? kBadUnit : kGood;
    card.bytes = size < 0 ? 0 : static_cast<std::uint64_t>(size);
    made = new (std::nothrow) Win;
    if (made == nullptr || !open(part)) {
      card.wants = card.wants == kGood ? kNoMemory : card.wants;
      give_up();
      return MPI_SUCCESS;
    }
    card.line = made->window.line_place();
    made->window.show_lock(&card, comm.members.size);
    made->flavor = flavor;
    if (checks()) {
      made->window.keep_ledger();
    }
    if (flavor == MPI_WIN_FLAVOR_DYNAMIC) {
      made->window.expect_attached();
    }
    card.reaches_all = true;
    for (int rank = 0; rank < comm.members.size; ++rank) {
      const int number = job::node().here(comm.members.pe(rank));
      card.reaches_all = card.reaches_all && (number < 0 || win::has_reached(number));
    }
    return MPI_SUCCESS;
  }
  void place(const void* at) noexcept {
    card.address = reinterpret_cast<std::uintptr_t>(at);
    card.held = made != nullptr && made->is_held ? win::hold(at, card.bytes) : win::find_held(at, card.bytes);
    if (spans && made != nullptr && card.wants == kGood && !made->window.lend_own(at, card.bytes, &card.key)) {
      card.wants = kNoMemory;
    }
  }

  void give_up() noexcept {
    if (made != nullptr) {
      retire(*std::exchange(made, nullptr), &handle);
    }
  }
  int fail(std::uint32_t wants, int rank) noexcept {
    give_up();
    return raise_wants(comm, wants, rank, size, unit);
  }

  /// All cards; MPI_SUCCESS, or what the call returns because one of them is bad.
  int gather(std::vector<Card>* cards) noexcept {
    if (const int code = offers_of_all(comm, card, cards); code != MPI_SUCCESS) {
      give_up();
      return code;
    }
    for (int rank = 0; rank < comm.members.size; ++rank) {
      if (const std::uint32_t wants = (*cards)[static_cast<std::size_t>(rank)].wants; wants != kGood) {
        return fail(wants, rank);
      }
    }
    return MPI_SUCCESS;
  }

  /// What this rank has of it, behind gather(). False: there is no memory for it.
  bool complete(const std::vector<Card>& cards) noexcept {
    if (made->window.meet(cards, comm.rank) >= 0) {
      return false;
    }
    made->members = comm.members;
    made->members.keep();
    made->parent = comm.team->id;
    made->base = reinterpret_cast<void*>(card.address);
    made->bytes = size;
    made->unit = static_cast<int>(unit);
    made->has_locks = !is_true(info, "no_locks");
    if (made->flavor == MPI_WIN_FLAVOR_SHARED) {
      made->window.expect_loads();
    }
    take_hints(*made, info, false);
    if (made->window.lock_by() != win::LockBy::kHome) {
      set_hint(*made, "weft_lock", kLocks[static_cast<std::size_t>(made->window.lock_by())]);
    }
    return true;
  }

  /// Behind gather(). All ranks have their part, or none has.
  int finish(const std::vector<Card>& cards) noexcept {
    std::uint32_t mine = complete(cards) ? kReady : kLacks;
    if (!spans && mine == kLacks) {
      // It has all the memory that it takes.
      base::fail(job::current_call(),
                 "a rank has told of a part of the window that is none; does it run another build?");
    }
    if (spans || may_need_help(cards)) {
      if (mine == kReady && made->window.needs_help(made->flavor == MPI_WIN_FLAVOR_DYNAMIC)) {
        mine = kHelped;
      }
      std::vector<std::uint32_t> all;
      if (const int code = offers_of_all(comm, mine, &all); code != MPI_SUCCESS) {
        give_up();
        return code;
      }
      if (const auto lacks = std::find(all.begin(), all.end(), std::uint32_t{kLacks}); lacks != all.end()) {
        return fail(kNoMemory, static_cast<int>(lacks - all.begin()));
      }
      if (std::find(all.begin(), all.end(), std::uint32_t{kHelped}) != all.end()) {
        help();
      }
    }
    *win = handle;
    return MPI_SUCCESS;
  }

 private:
  // What a rank says of its part when it is to be used.
  enum Part : std::uint32_t { kReady, kHelped, kLacks };

  // False: it is gone.
  bool open(std::uint64_t part) noexcept {
    if (one_thread()) {
      made->window.expect_one_thread();
    }
    if (!made->window.open_line(comm.members.size, spans ? lock_in(info) : win::LockBy::kHome, part)) {
      drop(*std::exchange(made, nullptr));
      return false;
    }
    Win* const shown = made;
    made = nullptr;  // the handle's, or gone
    made = publish(shown, &handle) ? shown : nullptr;
    return made != nullptr;
  }

  // Members may have memory that others of the node do not reach: all ranks come to the same.
  bool may_need_help(const std::vector<Card>& cards) const noexcept {
    const bool attaches = made->flavor == MPI_WIN_FLAVOR_DYNAMIC;
    return (attaches || std::any_of(cards.begin(), cards.end(),
                                    [](const Card& each) {
                                      return each.bytes > 0 && each.held.where != win::Held::Where::kOwn;
                                    })) &&
           !std::all_of(cards.begin(), cards.end(), [](const Card& each) { return each.reaches_all; });
  }

  // Threads of the members copy for those that may not.
  void help() noexcept {
    // Without it an access says that it is forbidden.
    (void)win::serve_memory();
    // Relaxed: the members meet behind it.
    made->window.own_line().box.store(win::box_place(), std::memory_order_relaxed);
    coll::team_barrier(*comm.team);
  }
};

// Segments one behind the other, in the area of the first rank.
int make_contiguous(Making& making, void* baseptr) noexcept {
  if (const int code = making.begin(MPI_WIN_FLAVOR_SHARED); code != MPI_SUCCESS) {
    return code;
  }
  std::vector<Card> cards;
  if (const int code = making.gather(&cards); code != MPI_SUCCESS) {
    return code;
  }
  std::uint64_t total = 0;
  bool fits = true;
  for (const Card& card : cards) {
    fits = fits && !__builtin_add_overflow(total, card.bytes, &total);
  }
  struct Place {
    std::uint64_t offset;  // and one more; 0: there is no memory
  } place{};
  if (making.comm.rank == 0 && fits) {
    void* const at = win::take(total, alignment_of(making.info));
    making.made->base = at;
    making.made->is_taken = at != nullptr;
    place.offset = at == nullptr ? 0 : win::find_held(at, total).offset + 1;
  }
  {
    coll::Party party(*making.comm.team);
    (void)coll::broadcast_from(party, {&place, &place, sizeof place, 0}, coll::Reached::kStaged);
  }
  if (place.offset == 0) {
    return making.fail(kNoMemory, 0);
  }
  std::uint64_t before = 0;
  const int number = job::node().here(cards[0].pe);
  for (std::size_t k = 0; k < cards.size(); ++k) {
    cards[k].held = {win::Held::Where::kOwn, number, place.offset - 1 + before};
    before += cards[k].bytes;
    void* const at = win::reach_held(cards[k].held, number, cards[k].bytes);
    // Each has its own and the others' where it has the area mapped.
    cards[k].address = reinterpret_cast<std::uintptr_t>(at);
  }
  making.card = cards[static_cast<std::size_t>(making.comm.rank)];
  *static_cast<void**>(baseptr) = reinterpret_cast<void*>(making.card.address);
  return making.finish(cards);
}

// So large a part is a block of its own, as its pages are to be its own.
constexpr MPI_Aint kOfBlock = MPI_Aint{32} << 10;

int make_allocated(Making& making, int flavor, void* baseptr) noexcept {
  const std::uint64_t alignment = alignment_of(making.info);
  const bool of_block = making.size >= 0 && making.size < kOfBlock && alignment == win::kLeastAlignment;
  // A window without bytes has an address too.
  const std::uint64_t bytes = static_cast<std::uint64_t>(std::max<MPI_Aint>(making.size, 1));
  if (const int code = making.begin(flavor, of_block ? bytes : 0); code != MPI_SUCCESS) {
    return code;
  }
  void* at = nullptr;
  if (making.card.wants == kGood) {
    at = of_block ? making.made->window.part_of_block() : win::take(bytes, alignment);
    making.made->base = at;
    making.made->is_taken = at != nullptr;
    making.card.wants = at == nullptr ? kNoMemory : kGood;
    making.place(at);
  }
  std::vector<Card> cards;
  if (const int code = making.gather(&cards); code != MPI_SUCCESS) {
    return code;
  }
  std::uint64_t total = 0;
  for (const Card& card : cards) {
    total += card.bytes;  // each is less than the machine has
  }
  if (!win::machine_has(total)) {
    return making.fail(kNoMemory, making.comm.rank);
  }
  *static_cast<void**>(baseptr) = at;
  return making.finish(cards);
}

}  // namespace

Win::~Win() {
  // Relaxed: who was the last to use it has let go of it by means that order this.
  if (Errhandler* const set = handler.load(std::memory_order_relaxed); set != nullptr) {
    drop(*set);
  }
  if (is_held) {
    window.close();  // so the network has it no longer
    win::let_go_of(base, static_cast<std::uint64_t>(bytes));
  }
  if (is_taken) {
    (void)win::give_back(base);  // or it is a part of the window's block, which goes with that
  }
  members.drop();
}

int need_team(Win& win) noexcept {
  if (win.team != nullptr) {
    return MPI_SUCCESS;
  }
  switch (coll::make_team_of(win.members, win.parent, win.window.number(), boot::Interface::kMpi, &win.team)) {
    case coll::Making::kDone: return MPI_SUCCESS;
    case coll::Making::kNoMemory:
      return raise(&win, MPI_ERR_NO_MEM, "win: there is no memory to meet its other ranks, which wait for this one");
    case coll::Making::kTooMany: break;
  }
  return raise(&win, MPI_ERR_OTHER, "win: its first rank is the first of too many communicators; free some");
}

int win_allocate(MPI_Aint size, MPI_Aint disp_unit, const Info* info, Comm& comm, void* baseptr,
                 MPI_Win* win) noexcept {
  if (baseptr == nullptr) {
    return raise(&comm, MPI_ERR_ARG, "baseptr: is null");
  }
  Making making(comm, info, size, disp_unit, win);
  return make_allocated(making, MPI_WIN_FLAVOR_ALLOCATE, baseptr);
}

int win_allocate_shared(MPI_Aint size, MPI_Aint disp_unit, const Info* info, Comm& comm, void* baseptr,
                        MPI_Win* win) noexcept {
  if (baseptr == nullptr) {
    return raise(&comm, MPI_ERR_ARG, "baseptr: is null");
  }
  if (!comm.inter && !is_of_one_node(comm)) {
    return raise(&comm, MPI_ERR_RMA_SHARED, "comm: its ranks are of several nodes, which share no memory");
  }
  Making making(comm, info, size, disp_unit, win);
  return is_true(info, "alloc_shared_noncontig") ? make_allocated(making, MPI_WIN_FLAVOR_SHARED, baseptr)
                                                 : make_contiguous(making, baseptr);
}

int win_create(void* base, MPI_Aint size, MPI_Aint disp_unit, const Info* info, Comm& comm, MPI_Win* win) noexcept {
  Making making(comm, info, size, disp_unit, win);
  if (const int code = making.begin(MPI_WIN_FLAVOR_CREATE); code != MPI_SUCCESS) {
    return code;
  }
  // Before the others can come.
  win::offer_memory();
  if (making.card.wants == kGood && base == nullptr && size > 0) {
    making.card.wants = kNullBase;
  }
  if (making.card.wants == kGood && making.made != nullptr) {
    making.made->base = base;
    making.made->bytes = size;
    making.made->is_held = true;
  }
  making.place(base);
  std::vector<Card> cards;
  const int code = making.gather(&cards);
  return code != MPI_SUCCESS ? code : making.finish(cards);
}

int win_create_dynamic(const Info* info, Comm& comm, MPI_Win* win) noexcept {
  Making making(comm, info, 0, 1, win);
  if (const int code = making.begin(MPI_WIN_FLAVOR_DYNAMIC); code != MPI_SUCCESS) {
    return code;
  }
  win::offer_memory();
  std::vector<Card> cards;
  const int code = making.gather(&cards);
  return code != MPI_SUCCESS ? code : making.finish(cards);
}

int win_free(MPI_Win* win) noexcept {
  Win* const found = find<Win>(*win);
  if (found == nullptr) {
    return raise_handle(nullptr, HandleKind::kWin, *win, "win");
  }
  if (const win::Mistake mistake = found->window.may_end(); mistake != win::Mistake::kNone) {
    return raise_mistake(*found, mistake);
  }
  if (const int code = found->attributes.remove_all(found->number); code != MPI_SUCCESS) {
    return raise(found, code, "the delete function of an attribute returned %d", code);
  }
  // What others were told last, of locks that are free again, has come there: nothing comes to a window that is gone.
  found->window.finish_for_good();
  if (const int code = need_team(*found); code != MPI_SUCCESS) {
    return code;
  }
  // All have done with it; behind that each ends its own part alone.
  coll::destroy_team(*found->team);
  found->team = nullptr;
  // While it is there: what was taken for it goes back to the system.
  if (found->is_taken && found->bytes >= kTold) {
    job::report_own_pages();
  }
  retire(*found, win);
  return MPI_SUCCESS;
}

}  // namespace weft::mpi

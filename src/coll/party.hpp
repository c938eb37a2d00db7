// One collective call as its algorithm sees it: the members, how they are numbered, and what they synchronise through.
//
// To the algorithms the members are those of one domain (group/domains.hpp): all, in a job of one node. Where they are
// on several nodes coll/across does the rest, with calls of these algorithms as its stages.
//
// Members show how far they have come in *steps*: post() says "I have come to step s", await() waits until another one
// has. Only the owner writes its step and steps only grow from call to call, so a member that is a call ahead or behind
// confuses nobody, and nothing has to be reset between calls. barrier() is the meeting of all.
//
// A team has stations for that (group/stations.hpp). A call on an active set has only its pSync array, which is zero
// before and after: there steps begin at 0, and a barrier at the end lets everybody clear its own. The set of all PEs,
// which nearly all programs with active sets use, is spared that and has stations like a team (coll/sets.hpp).
//
// Rules for an algorithm. It may write to a peer's target at once (the standard has every target ready before any PE
// calls), but may read a peer's source only after that peer has posted or met in a barrier. It returns when this
// member's target is complete and nobody needs this member's buffers or words any more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/scratch.hpp"
#include "coll/sets.hpp"
#include "coll/stage.hpp"
#include "group/domains.hpp"
#include "group/stations.hpp"
#include "group/team.hpp"
#include "job/node.hpp"
#include "sync/transient_barrier.hpp"
#include "transport/transport.hpp"

namespace weft::coll {

/// What pSync arrays are made of.
struct ActiveSetWords {
  group::Meeting meeting;
  sync::TransientFlags flags;
};
/// How long an array has to be that may lie at any multiple of four bytes; who declares them has to give so much.
inline constexpr std::size_t kPsyncBytes = sizeof(ActiveSetWords) + 60;

class Party {
 public:
  /// Non-blocking calls are counted apart, so that blocking ones may come in between.
  enum class Kind : std::uint8_t { kBlocking, kPending };

  /// Steps of one call. Compared by difference, so that the sum of all calls may wrap.
  static constexpr std::uint64_t kStepsPerCall = std::uint64_t{1} << 32;
  /// With the call that ends at this step a member shows its step whether it has posted or not: the receiver of
  /// broadcasts never does, and 2^31 calls later its old step would seem to lie ahead.
  static constexpr bool shows_count(std::uint64_t step) noexcept {
    constexpr std::uint64_t kCallsUnseen = std::uint64_t{1} << 20;
    return step / kStepsPerCall % kCallsUnseen == 0;
  }
  /// A wait in a call of these members begins; `team` is null, or the set of all, where it is one of an active set.
  static int tell_wait(const group::Members& members, const group::Team* team, std::size_t bytes, int root) noexcept;
  explicit Party(group::Team& team, Kind kind = Kind::kBlocking) noexcept;
  /// A non-blocking call that has a station of its own, which is the caller's to leave.
  Party(group::Team& team, int slot, std::uint64_t base) noexcept;
  /// No call has the array of an active set, and it was set before its first use.
  static bool is_free(const void* psync) noexcept;
  /// psync is this PE's, and free. This PE is a member. It may lack memory already, and is good for nothing then.
  Party(const group::Members& members, void* psync) noexcept;
  ~Party() noexcept { finish(); }
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  /// For people whom a wait is explained to: bytes of the call, where they are the same on all members, and its root.
  void tell(std::size_t bytes, int root = -1) noexcept {
    bytes_ = bytes;
    root_ = root;
  }

  /// First in a call: memory for all that it may need at a time. False: there is none, this PE has said nothing to the
  /// others, and it may make the same call again with another Party.
  [[nodiscard]] bool begin(std::size_t needed = 0) noexcept {
    return room_.is_empty() && (needed == 0 || reserve(needed));
  }
  /// After that: so many bytes there are not.
  std::size_t lacks() const noexcept { return room_.lacks(); }
  /// A buffer of this member's where no memory is, which was found out in the middle: the others have gone on.
  struct Missing {
    const void* at;
    std::size_t bytes;
    int pe;  // whose bytes were to come there; kNobody: others were to have what is there
    static constexpr int kNobody = -1;
  };
  /// The first one in this call; null: there is none.
  const Missing* missing() const noexcept { return misses_ ? &missing_ : nullptr; }
  void miss(const Missing& what) noexcept {
    if (!misses_) {
      missing_ = what;
      misses_ = true;
    }
  }
  /// What another one has asked for, for this call, becomes this one's.
  void take_over(Room& room) noexcept {
    room_.swap(room);
    owns_ = true;
  }
  /// What was asked for. A member's own affair, so looking at a call may change it.
  Room& room() const noexcept { return room_; }

  /// All members, this PE's number among them, and where they are: null when all are in one domain.
  const group::Members& members() const noexcept { return members_; }
  int number() const noexcept { return number_; }
  const group::Span* span() const noexcept { return span_; }
  /// Of what the members say to each other through the network in this call.
  transport::Tag tag() const noexcept;
  static transport::Tag tag_of(const group::Team& team, Kind kind = Kind::kBlocking) noexcept;
  sync::WaitNote note() const noexcept;
  /// Another algorithm follows, in the same call: steps begin at 1 again. All members of the domain call it.
  void next_stage() noexcept;

  // From here on members are those of the domain.

  int me() const noexcept { return me_; }
  int size() const noexcept { return size_; }
  /// A member's number on the node.
  int local(int member) const noexcept { return local_ + place(member) * local_step_; }
  /// The member `distance` after this one, round and round.
  int after(int distance) const noexcept {
    const int member = me_ + distance;
    return member < size_ ? member : member - size_;
  }

  /// All members have arrived, and everything each did before is visible to all.
  void barrier() noexcept;

  /// This member has come to `step` (1, 2, ... within a call; not less than before). What it did before is visible to
  /// who awaits that.
  void post(std::uint32_t step) noexcept;
  void await(int member, std::uint32_t step) noexcept;
  bool has_come(int member, std::uint32_t step) const noexcept;
  void await_all(std::uint32_t step) noexcept;

  /// group::kWords words that this member shows the others with its next exchange(). All members call both, at most
  /// once in a stage. Two lines by turns suffice for that: nobody is two exchanges ahead of a member that still reads.
  std::atomic<std::uint64_t>* to_show() noexcept;
  /// Shows them, and returns when all have shown theirs.
  void exchange() noexcept;
  /// The same in parts, for who need not know of all: a member shows no more before all have looked that look.
  void show() noexcept;
  void await_shown(int member) noexcept;
  const std::atomic<std::uint64_t>* shown(int member) const noexcept {
    return meeting(member).shown[line_].words.data();
  }

  /// Of a team: half of a member's stage, of staged_bytes(), that is used after next_stage_half(). All members call
  /// that alike, and meet before and after they read what was put there; so who fills the one half may still be read in
  /// the other.
  void next_stage_half() noexcept { ++team_->stagings; }
  std::byte* staged(int member) const noexcept { return half_of_stage(member, team_->stagings % 2); }
  /// The half before that one. What a member puts there is read by others behind the next meeting, at the latest before
  /// the one after that, as of the other half.
  std::byte* staged_before(int member) const noexcept { return half_of_stage(member, (team_->stagings + 1) % 2); }
  /// The same on all members of the domain; kLeastStagedBytes where it is no team.
  std::size_t staged_bytes() const noexcept { return has_large_stages() ? kLargeStageBytes / 2 : kLeastStagedBytes; }
  bool has_large_stages() const noexcept { return team_ != nullptr && has_large_stage(team_->slot); }
  static constexpr std::size_t kLeastStagedBytes = boot::kStageBytes / 2;
  /// Of a team: no member is known that may not read another one's own memory. The same on all members.
  bool reads_directly() const noexcept { return team_ != nullptr && !team_->two_copies; }
  /// All members have learnt of one.
  void read_by_stages() noexcept { team_->two_copies = true; }
  /// Of a team that keeps its station: one member, the same on all, gives some bytes to all others of the domain. It
  /// waits for nobody until it is kHandouts such calls ahead. All call one of the two, once in a call.
  bool may_hand_out(std::size_t bytes) const noexcept;
  void hand_out(const void* bytes, std::size_t count) noexcept;
  void take_handout(int member, void* to, std::size_t count) noexcept;
  /// The same of more bytes, in pieces: the root waits for nobody until it is kStreamPieces of them ahead.
  bool may_stream() const noexcept;
  void stream(const void* bytes, std::size_t count) noexcept;
  void take_stream(int member, void* to, std::size_t count) noexcept;
  /// What this member knows of calls of about so many bytes that go one of two ways.
  group::TwoWays& ways_of_broadcasts(std::size_t bytes) const noexcept;
  group::TwoWays& ways_of_reductions(std::size_t bytes) const noexcept;
  /// The way of this call, 0 or 1, which `member` decides by its own; another stage of the call begins.
  int take_way(int member, const group::TwoWays& ways) noexcept;
  /// This member has looked at what others have, and they may still look at its own.
  void has_looked() noexcept { met_ = false; }

  /// A member's copy of a symmetric object.
  template <class T>
  T* at(T* symmetric, int member) const noexcept {
    if (member == me_) {
      return symmetric;
    }
    return reinterpret_cast<T*>(job::node().space.peer(reinterpret_cast<std::uintptr_t>(symmetric), local(member)));
  }

 private:
  void use(const group::Domain& here, int seat, const group::Span* span) noexcept;
  void use_stations(group::Team& team, Kind kind) noexcept;
  void use_station(group::Team& team, Kind kind, int slot) noexcept;
  void count_on() noexcept;
  void show_count() noexcept;
  bool reserve(std::size_t needed) noexcept;
  group::Handout& next_handout(int member) noexcept;
  void make_room_for_handouts(std::uint64_t last) noexcept;
  std::byte* next_piece(int member, std::uint32_t step) noexcept;
  bool have_all_come_to(std::uint64_t step) const noexcept {
    return static_cast<std::int64_t>(team_->all_came_to - step) >= 0;  // as far as this PE has looked
  }
  /// For room that was last used at one step: until all others have come there, or, as each look costs, to a later one.
  void await_takers(std::uint64_t last, std::uint64_t ahead) noexcept;
  /// Until the member's word says that it has come to `step`, counted over all calls.
  void wait_for(int member, const std::atomic<std::uint64_t>& word, std::uint64_t step) const noexcept;
  void finish() noexcept;
  void finish_set() noexcept;
  void meet_set() noexcept;
  void give_back() noexcept;
  static int begin_wait(const void* party, std::uint64_t detail) noexcept;
  std::byte* half_of_stage(int member, std::size_t half) const noexcept {
    return stage_of(job::node().job, team_->slot, local(member), has_large_stages()) + half * staged_bytes();
  }
  int place(int member) const noexcept { return places_ == nullptr ? member : places_[member]; }
  group::Meeting& meeting(int member) const noexcept {
    return *reinterpret_cast<group::Meeting*>(meetings_ + place(member) * meeting_stride_);
  }
  sync::Doorbell& bell(int member) const noexcept {
    return *reinterpret_cast<sync::Doorbell*>(bells_ + place(member) * bell_stride_);
  }

  group::Members members_;
  int number_;
  int me_ = 0;
  int size_ = 0;
  int local_ = 0;  // number on the node of the domain's first member, and from there to the next one
  int local_step_ = 1;
  const int* places_ = nullptr;  // the numbers on the node, where they are not evenly spaced; then from 0 in steps of 1
  const group::Span* span_ = nullptr;
  int* tables_ = nullptr;  // of an active set
  bool owns_ = false;      // memory, or those tables: for a look less in the end
  bool misses_ = false;
  std::uint64_t base_ = 0;
  std::byte* meetings_ = nullptr;
  std::ptrdiff_t meeting_stride_ = 0;
  std::byte* bells_ = nullptr;
  std::ptrdiff_t bell_stride_ = 0;
  group::Team* team_ = nullptr;         // null: an active set
  std::uint64_t* counter_ = nullptr;    // the team's, for this kind of call
  std::uint64_t own_count_;             // or where that has a station of its own
  const void* psync_ = nullptr;         // of an active set
  std::uint32_t offered_ = kNoOffer;    // of the station that later calls with that array go through
  union {                               // so that a call of a team need not make one
    sync::TransientBarrier transient_;  // of an active set
  };
  std::uint32_t line_ = 0;   // which of those shown
  std::uint32_t shows_ = 0;  // how many, on an active set
  int root_ = -1;            // as tell() had it
  std::size_t bytes_ = 0;
  bool met_ = true;  // nothing was posted or shown since the last barrier
  mutable Room room_;
  Missing missing_;  // if misses_
};

}  // namespace weft::coll

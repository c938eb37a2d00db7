// What the members of a team synchronise through: the stations of the control file (boot/job.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <type_traits>

#include "boot/job.hpp"
#include "group/domains.hpp"
#include "sync/barrier.hpp"
#include "sync/beside.hpp"
#include "sync/doorbell.hpp"

namespace weft::group {

inline constexpr int kWords = 7;
/// Lines in which a member shows what one does not hold.
inline constexpr int kFurtherLines = 3;
inline constexpr int kWordsOfLines = (1 + kFurtherLines) * kWords;

/// A few words, and in the same cache line, so that one transfer brings both, the call that they belong to.
struct alignas(64) Shown {
  std::array<std::atomic<std::uint64_t>, kWords> words;
  std::atomic<std::uint64_t> step;
};
static_assert(sizeof(Shown) == 64);

/// How far its owner has come in the collective calls of a team, and what it shows the others, by turns in one line and
/// in the other. Only the owner writes, the others look; steps only grow (coll/party.hpp).
struct Meeting {
  alignas(64) std::atomic<std::uint64_t> step;
  sync::Whereabouts at;  // of the owner, where members share processors; barriers are counted
  Shown shown[2];
};

/// What the root of a small broadcast has for the others, and the step of the call that it belongs to. Up to seven
/// words come with one transfer, more with two.
inline constexpr int kHandoutWords = 15;
struct alignas(128) Handout {
  std::atomic<std::uint64_t> step;
  std::array<std::atomic<std::uint64_t>, kHandoutWords> words;
};
static_assert(sizeof(Handout) == 128);
/// So many broadcasts a root may be ahead of the others: where processors are shared, one turn of it serves so many.
inline constexpr int kHandouts = 16;
/// And so many pieces of what it has for them in larger ones.
inline constexpr int kStreamPieces = 8;

inline constexpr int kStationWords = (boot::kStations + 63) / 64;

/// For the taking of stations.
struct ServiceWords {
  // How many barriers the teams that this station has served have passed, or, where it is for non-blocking calls, the
  // step to which they have come; kept while it serves none.
  std::atomic<std::uint64_t> episode;
  // Told to the station's PE by the leader of those who use it: for what (Name), the team's id, and the number of
  // barriers that they count from. Nothing while `what` is 0.
  std::atomic<std::uint64_t> what;
  std::atomic<std::uint64_t> which;
  std::atomic<std::uint64_t> id;
  std::atomic<std::uint64_t> begin;
  // In the station of WORLD: which stations of this PE are taken, a bit for each.
  std::array<std::atomic<std::uint64_t>, kStationWords> taken;
};

/// One PE's part of one team.
struct Station {
  sync::BarrierFlags flags;
  sync::BarrierGate gate;  // used in member 0's only
  sync::Doorbell bell;
  Meeting meeting;
  ServiceWords service;
  Meeting pending;                  // of the non-blocking collectives
  Handout handouts[kHandouts];      // by turns
  Shown further[2][kFurtherLines];  // behind that of the meeting with the same turn
};

static_assert(sizeof(Station) <= boot::kStationBytes && std::is_standard_layout_v<Station>);
static_assert(sizeof(Meeting) == 192);
static_assert(offsetof(Station, gate) == 768 && offsetof(Station, bell) == 960 && offsetof(Station, meeting) == 1024);
static_assert(offsetof(Station, service) == 1216 && offsetof(Station, pending) == 1408 &&
              offsetof(Station, handouts) == 1664 && offsetof(Station, further) == 3712);

inline Station& station(boot::JobHeader* job, int slot, int pe) {
  return *reinterpret_cast<Station*>(boot::station_bytes(job, slot, pe));
}

// Which stations of a PE are taken, its node can see, and the leader of a domain takes one for all members of it, by
// setting their bits. So taking one takes nobody else's help: the others only find what they have been given.

/// Those for as long as a team wants, and those for one call of a team that has found none of them free, blocking or
/// not.
enum class Use : std::uint8_t { kTeam, kOneCall, kPendingCall };
inline bool is_spare(int slot) noexcept { return slot >= boot::kTeamSlots; }
inline bool is_for_pending(int slot) noexcept { return slot >= boot::kTeamSlots + boot::kSpareSlots; }

/// What a station is for: words on which its users agree, and under which nobody but their leader serves them. It may
/// serve several under one name, one after another, with ids that grow. `what` is not 0.
struct Name {
  std::uint64_t what;
  std::uint64_t which;
};

/// By the leader: a station that no member uses; -1 when there is none. The steps in it begin at 0, but of one for
/// non-blocking calls where they are: a member of the call before may still look at those of one that has left.
int claim_station(const Domain& here, Use use) noexcept;
/// By the leader: the members may find it.
void serve(const Domain& here, int slot, const Name& name, std::uint64_t id) noexcept;
/// The station that this PE has been given under that name, the oldest if there are several; -1 while there is none.
int served(const Name& name) noexcept;

/// Whether that is a station for teams which this PE has been given for `what`, and has not accepted.
bool is_given(std::uint64_t slot, std::uint64_t what) noexcept;
struct Served {
  std::uint64_t id;
  std::uint64_t episode;  // that barriers, or steps, are counted from
};
/// By each member, once: the name is free again.
Served accept(int slot) noexcept;
/// By each member: it looks at nobody's words there any more, and has passed so many barriers; of a station for
/// non-blocking calls, its last step, and it may be that others have not seen it yet.
void leave_station(int slot, std::uint64_t episode) noexcept;

/// Of this PE: those of predefined teams are taken, and no others. Before anybody else looks.
void set_up_stations(int predefined) noexcept;

}  // namespace weft::group

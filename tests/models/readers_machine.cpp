// The migrating lock with readers (record 0107) as a small machine: every order of its steps with three PEs and the
// agent, to the end. The steps are those of src/lock, one for each operation on a word that others see, in one order
// for all. What the agent's policy would do is left open: it closes the network's counter whenever it may.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace {

// --- what there is ---------------------------------------------------------------------------------------------------

enum class Fault : std::uint8_t {
  kNone,
  kVoidTicket,            // a ticket of a counter that was closed meanwhile is taken for a position
  kNoShift,               // who asked takes its ticket for its position
  kReturnsEarly,          // the agent closes the network's counter before who asked has had the lock
  kNobodyWatches,         // the agent forgets a lock that has returned while somebody elsewhere waits for it or has it
  kNobodyWatchesReaders,  // while readers from elsewhere are inside
  kNoRing,                // the agent sees that somebody elsewhere has left, and rings nobody
  kReaderRingsNot,        // a reader of the node leaves without ringing
  kOneCount,              // readers from elsewhere are counted by the network in the processors' word
  kWriterLooksNot,        // a writer goes in when it is admitted
  kReaderIsUnknown,       // a reader admits the next one without being counted
};

struct Counter {
  std::uint8_t number = 0;
  std::uint8_t phase = 0;
};
constexpr bool by_network(std::uint8_t phase) { return phase % 2 != 0; }

enum class At : std::uint8_t {
  kOut,          // has still turns
  kLooks,        // of the node: at the processors' counter
  kTakes,        //   takes a ticket of it
  kLooksFar,     //   at the network's
  kCompares,     //   takes a ticket of that, by comparing
  kSettles,      //   until one of both is open
  kAsked,        // waits for the shift
  kWaits,        // for its turn: looks
  kLooksAtNear,  //   a writer elsewhere, at those of the node that have left
  kLooksAtBoth,  //   and at all
  kLiesDown,     // of the node: has told that it will sleep, and looks once more
  kSleeps,       //
  kIn,           // is admitted, and inside
  kInside,       // a reader that has admitted the next one
  kLosing,       // kOneCount: the network has read the count that it will write
  kGone,         //
};

struct Pe {
  At at = At::kOut;
  std::uint8_t turns = 0;
  std::uint8_t position = 0;
  std::uint8_t seen = 0;  // a number or a phase, by where it is
  std::uint8_t phase = 0;
};

enum class Stage : std::uint8_t { kProcessors, kClosed, kMoved, kNetwork, kClosing };

struct State {
  Counter near;
  Counter far;
  Counter shift;
  std::uint8_t admitted = 0;  // the position
  std::uint8_t readers = 0;   //   and the readers so far, in one word
  std::uint8_t done_near = 0;
  std::uint8_t done_far = 0;
  bool asked = false;
  // The agent's own.
  Stage stage = Stage::kProcessors;
  bool watches = false;
  std::uint8_t phase = 0;
  std::uint8_t closed_at = 0;
  std::uint8_t begins_at = 0;
  std::uint8_t last_shifted = 0;
  std::uint8_t before = 0;
  std::uint8_t seen_admitted = 0;
  std::uint8_t seen_done = 0;
  std::uint8_t returns = 0;
  // What must hold is counted beside.
  std::uint8_t entered = 0;
  std::uint8_t readers_in = 0;
  std::uint8_t writers_in = 0;
  std::array<Pe, 3> pes{};
};
static_assert(std::has_unique_object_representations_v<State>);

struct Setting {
  std::array<bool, 3> is_far{};
  std::array<bool, 3> writes{};
  std::array<std::uint8_t, 3> turns{};
  std::uint8_t returns = 1;
  Fault fault = Fault::kNone;
};

// --- its steps -------------------------------------------------------------------------------------------------------

class Machine {
 public:
  explicit Machine(const Setting& setting) : is_(setting) {}

  /// Empty: all is right.
  std::string explore() {
    std::vector<State> open{State{}};
    known_.insert(text_of(open[0]));
    while (!open.empty() && wrong_.empty()) {
      const State state = open.back();
      open.pop_back();
      bool moves = false;
      const auto reach = [&](const State& next) {
        moves = true;
        if (known_.insert(text_of(next)).second) open.push_back(next);
      };
      for (std::size_t pe = 0; pe < 3; ++pe) step(state, pe, reach);
      step_agent(state, reach);
      if (!moves) end(state);
    }
    return wrong_;
  }
  std::size_t states() const { return known_.size(); }

 private:
  static std::string text_of(const State& state) { return {reinterpret_cast<const char*>(&state), sizeof state}; }
  bool has(Fault fault) const { return is_.fault == fault; }
  void check(bool holds, const char* what) {
    if (!holds && wrong_.empty()) wrong_ = what;
  }

  static void ring(State& s) {
    for (Pe& pe : s.pes) {
      if (pe.at == At::kSleeps) pe.at = At::kWaits;
    }
  }

  bool is_turn(const State& s, std::size_t k) const {
    const std::uint8_t done = s.done_near + s.done_far;
    return s.admitted == s.pes[k].position && (!is_.writes[k] || has(Fault::kWriterLooksNot) || done == s.readers);
  }
  void enter(State& s, std::size_t k) {
    check(s.entered == s.pes[k].position, "somebody has been passed");
    ++s.entered;
    s.pes[k].at = At::kIn;
    is_.writes[k] ? ++s.writers_in : ++s.readers_in;
    check(s.writers_in <= 1 && (s.writers_in == 0 || s.readers_in == 0), "a writer is not alone");
  }
  void leave(State& s, std::size_t k) {
    is_.writes[k] ? --s.writers_in : --s.readers_in;
    s.pes[k].at = ++s.pes[k].turns < is_.turns[k] ? At::kOut : At::kGone;
  }

  template <class Reach>
  void step(const State& from, std::size_t k, Reach&& reach) {
    State s = from;
    Pe& pe = s.pes[k];
    const bool is_far = is_.is_far[k];
    switch (pe.at) {
      case At::kOut:
        if (!is_far) {
          pe.at = At::kLooks;
        } else {
          pe.position = s.far.number++;
          pe.phase = s.far.phase;
          pe.at = by_network(s.far.phase) ? At::kWaits : At::kAsked;
          s.asked = s.asked || pe.at == At::kAsked;
          if (has(Fault::kNoShift)) pe.at = At::kWaits;
        }
        return reach(s);
      case At::kLooks: pe.at = by_network(s.near.phase) ? At::kLooksFar : At::kTakes; return reach(s);
      case At::kTakes:
        pe.position = s.near.number++;
        pe.at = by_network(s.near.phase) && !has(Fault::kVoidTicket) ? At::kLooksFar : At::kWaits;
        return reach(s);
      case At::kLooksFar:
        pe.seen = s.far.number;
        pe.phase = s.far.phase;
        pe.at = by_network(s.far.phase) ? At::kCompares : At::kSettles;
        return reach(s);
      case At::kCompares:
        pe.at = At::kLooks;
        if (s.far.number == pe.seen && s.far.phase == pe.phase) {
          pe.position = s.far.number++;
          pe.at = At::kWaits;
        }
        return reach(s);
      case At::kSettles:
        if (by_network(s.near.phase) && !by_network(s.far.phase)) return;
        pe.at = At::kLooks;
        return reach(s);
      case At::kAsked:
        if (s.shift.phase != pe.phase + 1) return;
        pe.position += s.shift.number;
        pe.at = At::kWaits;
        return reach(s);
      case At::kWaits:
        if (is_far && is_.writes[k]) {
          if (s.admitted != pe.position) return;  // asks again
          pe.seen = s.done_far;
          pe.at = At::kLooksAtNear;
          return reach(s);
        }
        if (is_turn(s, k)) {
          enter(s, k);
        } else if (is_far) {
          return;
        } else {
          pe.at = At::kLiesDown;
        }
        return reach(s);
      case At::kLooksAtNear:
        pe.seen = static_cast<std::uint8_t>(pe.seen + s.done_near);
        pe.at = At::kLooksAtBoth;
        return reach(s);
      case At::kLooksAtBoth:
        pe.at = At::kWaits;
        if (pe.seen == s.readers || has(Fault::kWriterLooksNot)) {
          pe.seen = 0;
          enter(s, k);
        } else if (from.done_near + from.done_far == pe.seen) {
          return;  // nothing new to see
        }
        return reach(s);
      case At::kLiesDown:
        pe.at = At::kSleeps;
        if (is_turn(s, k)) enter(s, k);
        return reach(s);
      case At::kIn:
        ++s.admitted;
        if (is_.writes[k]) {
          leave(s, k);
        } else {
          s.readers = static_cast<std::uint8_t>(s.readers + (has(Fault::kReaderIsUnknown) ? 0 : 1));
          pe.at = At::kInside;
        }
        if (!is_far) ring(s);
        return reach(s);
      case At::kInside:
        if (is_far && has(Fault::kOneCount)) {
          pe.seen = s.done_near;
          pe.at = At::kLosing;
          return reach(s);
        }
        is_far ? ++s.done_far : ++s.done_near;
        leave(s, k);
        if (!is_far && !has(Fault::kReaderRingsNot)) ring(s);
        return reach(s);
      case At::kLosing:
        s.done_near = static_cast<std::uint8_t>(pe.seen + 1);
        leave(s, k);
        return reach(s);
      case At::kSleeps:
      case At::kGone: return;
    }
  }

  // Behind a return: one of those who have a position of the network's counter has still to go in, or somebody may be
  // inside.
  bool is_used_from_elsewhere(const State& s) const {
    const bool is_to_come = s.admitted < s.begins_at && !has(Fault::kNobodyWatches);
    return is_to_come ||
           (static_cast<std::uint8_t>(s.done_near + s.done_far) != s.readers && !has(Fault::kNobodyWatchesReaders));
  }

  template <class Reach>
  void step_agent(const State& from, Reach&& reach) {
    State s = from;
    // What those elsewhere have done rings nobody here.
    if (s.watches && (s.seen_admitted != s.admitted || s.seen_done != s.done_far)) {
      s.seen_admitted = s.admitted;
      s.seen_done = s.done_far;
      if (!has(Fault::kNoRing)) ring(s);
      s.watches = s.stage != Stage::kProcessors || is_used_from_elsewhere(s);
      reach(s);
      s = from;
    }
    switch (s.stage) {
      case Stage::kProcessors:
        if (!s.asked || s.far.number == s.closed_at) return;
        s.asked = false;
        s.begins_at = s.near.number;
        ++s.near.phase;
        s.stage = Stage::kClosed;
        s.watches = true;
        return reach(s);
      case Stage::kClosed:
        s.before = s.far.number;
        s.far.number = static_cast<std::uint8_t>(s.far.number + s.begins_at - s.closed_at);
        ++s.far.phase;
        s.stage = Stage::kMoved;
        return reach(s);
      case Stage::kMoved:
        ++s.phase;
        s.last_shifted = static_cast<std::uint8_t>(s.begins_at + s.before - s.closed_at);
        s.shift = {static_cast<std::uint8_t>(s.begins_at - s.closed_at), s.phase};
        s.stage = Stage::kNetwork;
        ring(s);
        return reach(s);
      case Stage::kNetwork:
        if (s.returns == is_.returns || (s.admitted < s.last_shifted && !has(Fault::kReturnsEarly))) return;
        ++s.returns;
        s.before = s.far.number;
        ++s.far.phase;
        s.stage = Stage::kClosing;
        return reach(s);
      case Stage::kClosing:
        ++s.phase;
        s.begins_at = s.closed_at = s.before;
        s.near = {s.before, s.phase};
        s.stage = Stage::kProcessors;
        s.asked = s.asked || s.far.number != s.closed_at;
        s.watches = is_used_from_elsewhere(s);
        ring(s);
        return reach(s);
    }
  }

  void end(const State& s) {
    const bool all = std::all_of(s.pes.begin(), s.pes.end(), [](const Pe& pe) { return pe.at == At::kGone; });
    check(all, "nobody goes on");
    check(static_cast<std::uint8_t>(s.done_near + s.done_far) == s.readers, "somebody is counted as inside");
  }

  const Setting is_;
  std::unordered_set<std::string> known_;
  std::string wrong_;
};

// --- all of it -------------------------------------------------------------------------------------------------------

std::string explore_all(Fault fault, std::size_t* states) {
  for (unsigned far = 0; far < 8; ++far) {
    for (unsigned writes = 0; writes < 8; ++writes) {
      Setting setting;
      setting.fault = fault;
      setting.turns = {2, 1, 2};
      for (std::size_t k = 0; k < 3; ++k) {
        setting.is_far[k] = (far >> k & 1) != 0;
        setting.writes[k] = (writes >> k & 1) != 0;
      }
      // In which order they are numbered says nothing.
      const auto kind = [&](std::size_t k) { return 2 * setting.is_far[k] + setting.writes[k]; };
      if (kind(0) > kind(1) || kind(1) > kind(2)) continue;
      Machine machine(setting);
      const std::string wrong = machine.explore();
      *states += machine.states();
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

constexpr std::pair<Fault, const char*> kFaults[] = {
    {Fault::kVoidTicket, "a void ticket is taken for a position"},
    {Fault::kNoShift, "who asked does not shift its ticket"},
    {Fault::kReturnsEarly, "the lock returns before who asked has had it"},
    {Fault::kNobodyWatches, "nobody watches those elsewhere who have it still when it has returned"},
    {Fault::kNobodyWatchesReaders, "nobody watches readers that are inside still when it has returned"},
    {Fault::kNoRing, "the agent rings nobody"},
    {Fault::kReaderRingsNot, "a reader leaves without ringing"},
    {Fault::kOneCount, "one word counts all who have left"},
    {Fault::kWriterLooksNot, "a writer does not look whether readers have left"},
    {Fault::kReaderIsUnknown, "a reader is not counted"},
};

}  // namespace

int main() {
  std::size_t states = 0;
  const std::string wrong = explore_all(Fault::kNone, &states);
  std::printf("three PEs, two turns each: %zu states, %s\n", states, wrong.empty() ? "all right" : wrong.c_str());
  bool good = wrong.empty();
  for (const auto& [fault, name] : kFaults) {
    states = 0;
    const std::string found = explore_all(fault, &states);
    std::printf("with the fault '%s': %s\n", name, found.empty() ? "NOTHING FOUND" : found.c_str());
    good = good && !found.empty();
  }
  return good ? 0 : 1;
}

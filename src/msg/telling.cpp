// What a wait that lasts tells people (job/notes.hpp): which messages have come instead, and what holds one up.
#include <cstring>

#include "msg/engine.hpp"
#include "msg/start.hpp"
#include "msg/waiting.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

constinit LabelOf g_label_of = nullptr;

// Whoever waits looks again and again, and there may be a million of them.
constexpr int kMostLooked = 1024;

bool is_told(const job::MessageNote& note, const job::MessageNote::Heard& message) noexcept {
  for (int k = 0; k < note.heard; ++k) {
    if (note.of[k].pe == message.pe && note.of[k].tag == message.tag) {
      return true;
    }
  }
  return false;
}

// Messages of the PE that is waited for, or of any: in this context first.
void add_heard(job::MessageNote& note, const job::Awaited& awaited) noexcept {
  for (const bool elsewhere : {false, true}) {
    int looked = 0;
    g.matching.each_kept([&](const Kept& message) noexcept {
      const bool is_of_it = message.envelope.context == awaited.wanted;
      if (is_of_it != elsewhere && (awaited.root < 0 || message.pe == awaited.root)) {
        const job::MessageNote::Heard heard{static_cast<std::uint32_t>(message.pe) | (elsewhere ? boot::kElsewhere : 0),
                                            message.envelope.tag};
        if (!is_told(note, heard)) {
          note.of[note.heard++] = heard;
        }
      }
      return note.heard < boot::kMissing && ++looked < kMostLooked;
    });
    if (note.heard == boot::kMissing) {
      return;
    }
  }
}

// Of a send: whether its data goes already, and whether it only waits as there is no room for it where it goes.
void add_send(job::MessageNote& note, const Request& send) noexcept {
  const Peer* const peer = g.peers[static_cast<std::size_t>(send.pe)].get();
  if (peer == nullptr) {
    return;
  }
  const bool goes = peer->local < 0 ? !send.awaits_answer : send.is_copying;
  // Relaxed: under the guard, as whoever changes it.
  note.compare |= goes && send.state.load(std::memory_order_relaxed) == Request::State::kMoving ? boot::kUnderWay : 0;
  if (goes || peer->local < 0 || send.data.bytes > kMostEager || send.mode == Mode::kSynchronous) {
    return;
  }
  // Relaxed: for people.
  const std::uint32_t kept = peer->hub->closed.load(std::memory_order_relaxed);
  note.compare |= kept != 0 ? boot::kNoRoom : 0;
  note.given = std::uint64_t{kept} << kKeptShift;
}

}  // namespace

void set_label_of(LabelOf label) noexcept { g_label_of = label; }

void tell(int place, const job::Awaited& awaited, const Request* request) noexcept {
  job::MessageNote note;
  note.compare = awaited.compare;
  const bool is_one = awaited.type == static_cast<std::uint32_t>(boot::Awaits::kMessage);
  {
    const Guard guard;
    if (request != nullptr) {
      note.number = request->moved + request->fetched;
      if (request->is_send) {
        add_send(note, *request);
      } else if (request->state.load(std::memory_order_relaxed) != Request::State::kPosted) {
        // Relaxed: under the guard, as whoever changes it.
        note.compare |= boot::kUnderWay;
      }
    }
    if (is_one && (note.compare & (boot::kToBeTaken | boot::kUnderWay)) == 0) {
      add_heard(note, awaited);
    }
  }
  const bool has_context = awaited.type != static_cast<std::uint32_t>(boot::Awaits::kProgram) &&
                           (awaited.root >= 0 || (awaited.compare & boot::kToBeTaken) == 0);
  if (g_label_of != nullptr && has_context) {
    g_label_of(static_cast<std::uint32_t>(awaited.wanted), note.label, sizeof note.label);
  }
  job::note_message(place, note);
}

}  // namespace weft::msg

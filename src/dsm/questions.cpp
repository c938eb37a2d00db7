#include "dsm/questions.hpp"

#include <bit>

#include "base/lines.hpp"
#include "dsm/notes.hpp"
#include "dsm/pairs.hpp"
#include "dsm/waits.hpp"
#include "job/agent.hpp"
#include "os/clock.hpp"

namespace weft::dsm {
namespace {

using transport::Arrival;
using transport::Landing;

constinit transport::Transport* g_network = nullptr;
constinit transport::Pending g_told{};  // of messages without data, which are done when they are told

constinit transport::Questions g_questions{};

// Who computes for so long between two waits leaves the network at once: that takes some microseconds, and the agent,
// which the next answer wakes as well, takes the processor from the program twice.
constexpr std::uint64_t kSoonAgainNs = 50'000;
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint64_t t_waited_until_ns = 0;

// For people.
About about_of(Kind kind, const Question& question) noexcept {
  const std::uint64_t page = std::uint64_t{question.first} * kPageBytes;
  switch (kind) {
    case kFetch:
    case kTake: return {boot::OfPages::kContents, page};
    case kHomes:
    case kFix: return {boot::OfPages::kHome, page};
    case kDiff: return {boot::OfPages::kChanges, page};
    case kNotices:
    case kPush:
    case kSettle: return {boot::OfPages::kNotices, page};
    case kBook: {
      const auto what = static_cast<Book>(question.what);
      return {boot::OfPages::kBook, what == Book::kAllocate || what == Book::kLeft ? kNowhere : question.a};
    }
    case kOperatePair:
      return {boot::OfPages::kWord, std::bit_cast<PairQuestion>(question).number * std::uint64_t{sizeof(Pair)}};
    default: return {boot::OfPages::kWord, question.a};
  }
}

// The token is the question's from now on.
void begin(Question& question, int pe, const About& about, Room room, std::atomic<std::uint32_t>& left,
           bool kept) noexcept {
  wait_until([&] { return (question.token = g_questions.begin(pe, room, left, kept, number_of(about))) != 0; },
             PagesNote(pe, about));
}

template <class Note>
void tell_all(int pe, const transport::Message& message, transport::Pending& pending, const Note& note) noexcept {
  wait_until([&] { return g_network->tell(pe, message, pending) != transport::Told::kAgain; }, note);
}

}  // namespace

constinit bool g_crowd = false;
constinit std::atomic<bool> g_computes = false;

void leave_network() noexcept {
  if (g_network != nullptr) {
    job::agent().take_over(progress::Progress::While::kComputes);
  }
}

void look_at_network() noexcept {
  if (const auto poll = coll::patience().poll; poll != nullptr && !is_beside()) {
    poll();
  }
}

void leave_network_behind(std::uint64_t began_ns) noexcept {
  if (g_network == nullptr) {
    return;
  }
  // Who has to share a processor does not come back as soon as it could: others would wait for its turn.
  const bool crowded = g_crowd || job::node().crowded;
  if (!crowded && began_ns - t_waited_until_ns < kSoonAgainNs) {
    job::agent().look_soon();
  } else {
    leave_network();
  }
  t_waited_until_ns = os::now_ns();
}

sync::Patience patience_here(EndedBy ended_by) noexcept {
  sync::Patience patience = coll::patience();
  if (ended_by == EndedBy::kServers) {
    patience.idle = nullptr;
  }
  return is_beside() ? patience_beside(patience) : patience;
}

void ask_by(transport::Transport* network) noexcept { g_network = network; }
bool several_nodes() noexcept { return g_network != nullptr; }

void fail_of(int pe, const char* what) noexcept {
  base::fail(nullptr, "PE %d has sent %s about shared memory; does it run another build of Weft?", pe, what);
}

void tell(int pe, transport::Kind kind, const void* head, std::size_t bytes) noexcept {
  tell_all(pe, {kind, head, bytes, nullptr, 0}, g_told, sync::WaitNote());
}

void ask(int pe, Kind kind, Question question, Data data, Room room, std::atomic<std::uint32_t>& left,
         transport::Pending& pending) noexcept {
  const About about = about_of(kind, question);
  begin(question, pe, about, room, left, false);
  tell_all(pe, {kind, &question, sizeof question, data.at, data.bytes}, pending, PagesNote(pe, about));
}

std::uint64_t ask_kept(int pe, Kind kind, Question question, std::atomic<std::uint32_t>& left) noexcept {
  const About about = about_of(kind, question);
  begin(question, pe, about, {}, left, true);
  tell_all(pe, {kind, &question, sizeof question, nullptr, 0}, g_told, PagesNote(pe, about));
  return question.token;
}

Reply end_kept(std::uint64_t token) noexcept { return g_questions.end(token); }

Reply ask_and_wait(int pe, Kind kind, Question question, Room room, const sync::WaitNote* of_program) noexcept {
  std::atomic<std::uint32_t> left = 1;
  const PagesNote note(pe, about_of(kind, question));
  begin(question, pe, about_of(kind, question), room, left, true);
  tell_all(pe, {kind, &question, sizeof question, nullptr, 0}, g_told, note);
  // Acquire: pairs with answered().
  const auto done = [&] { return left.load(std::memory_order_acquire) == 0; };
  if (of_program != nullptr) {
    wait_until(done, *of_program, EndedBy::kPrograms);
  } else {
    wait_until(done, note);
  }
  return g_questions.end(question.token);
}

Landing place_answer(const Arrival& arrival) noexcept {
  Landing landing;
  if (!g_questions.place(arrival, &landing)) {
    fail_of(arrival.pe, "an answer that nobody has asked for");
  }
  return landing;
}

transport::Questions::Open open_question(const std::atomic<std::uint32_t>& left) noexcept {
  return g_questions.open(left);
}

void answered(const Arrival& arrival) noexcept { g_questions.arrived(arrival); }

}  // namespace weft::dsm

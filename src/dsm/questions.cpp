#include "dsm/questions.hpp"

#include "base/lines.hpp"

namespace weft::dsm {
namespace {

using transport::Arrival;
using transport::Landing;

constinit transport::Transport* g_network = nullptr;
constinit transport::Pending g_told{};  // of messages without data, which are done when they are told

constinit transport::Questions g_questions{};

// The token is the question's from now on.
void begin(Question& question, int pe, Room room, std::atomic<std::uint32_t>& left, bool kept) noexcept {
  wait_until([&] { return (question.token = g_questions.begin(pe, room, left, kept)) != 0; });
}

void tell_all(int pe, const transport::Message& message, transport::Pending& pending) noexcept {
  wait_until([&] { return g_network->tell(pe, message, pending) != transport::Told::kAgain; });
}

}  // namespace

constinit bool g_crowd = false;

void ask_by(transport::Transport* network) noexcept { g_network = network; }
bool several_nodes() noexcept { return g_network != nullptr; }

void fail_of(int pe, const char* what) noexcept {
  base::fail(nullptr, "PE %d has sent %s about shared memory; does it run another build of Weft?", pe, what);
}

void tell(int pe, transport::Kind kind, const void* head, std::size_t bytes) noexcept {
  tell_all(pe, {kind, head, bytes, nullptr, 0}, g_told);
}

void ask(int pe, Kind kind, Question question, Data data, Room room, std::atomic<std::uint32_t>& left,
         transport::Pending& pending) noexcept {
  begin(question, pe, room, left, false);
  tell_all(pe, {kind, &question, sizeof question, data.at, data.bytes}, pending);
}

std::uint64_t ask_kept(int pe, Kind kind, Question question, std::atomic<std::uint32_t>& left) noexcept {
  begin(question, pe, {}, left, true);
  tell(pe, kind, &question, sizeof question);
  return question.token;
}

Reply end_kept(std::uint64_t token) noexcept { return g_questions.end(token); }

Reply ask_and_wait(int pe, Kind kind, Question question, Room room, const sync::WaitNote* of_program) noexcept {
  std::atomic<std::uint32_t> left = 1;
  begin(question, pe, room, left, true);
  tell(pe, kind, &question, sizeof question);
  // Acquire: pairs with answered().
  wait_until([&] { return left.load(std::memory_order_acquire) == 0; }, of_program);
  return g_questions.end(question.token);
}

Landing place_answer(const Arrival& arrival) noexcept {
  Landing landing;
  if (!g_questions.place(arrival, &landing)) {
    fail_of(arrival.pe, "an answer that nobody has asked for");
  }
  return landing;
}

void answered(const Arrival& arrival) noexcept { g_questions.arrived(arrival); }

}  // namespace weft::dsm

// Whose a message is of which the receiver has the head only (src/msg/deciding.hpp, withdrawing.cpp): its sender takes
// it back or a receive takes it, never both and never neither. Who has it may use its memory at once, or read it; and
// each ticket comes back to its sender in the end, also where nobody asks for the message, and is used again then.
#include "msg/deciding.hpp"

#include "models/explore.hpp"
#include "models/replaced.hpp"

namespace {

using namespace weft;
using explore::check;
using explore::count;
using explore::Fault;
using msg::Answer;
using msg::AnswerWord;
using msg::Withdrawals;
using msg::WithdrawnWord;

constexpr int kMostTickets = 2;
constexpr int kMostSenders = 2;
// Far from the numbers of messages.
constexpr std::uint32_t kOthersData = 100;

struct OfTicket {
  std::atomic<std::uint32_t> head;  // in a box: which message the ticket is of
  std::atomic<std::uint32_t> answer;
  std::atomic<std::uint32_t> data;  // in the sender's memory
};
struct Memory {
  OfTicket tickets[kMostSenders][kMostTickets];
  std::atomic<std::uint32_t> answers[kMostSenders];
  std::atomic<std::uint64_t> withdrawals;
  std::atomic<std::uint64_t> withdrawn[kMostSenders];
} g_memory;

// How often a message was received: of each sender, tickets one behind the other.
constexpr int received_of(int sender, int ticket) noexcept { return sender * kMostTickets + ticket; }

template <int senders, int tickets>
void set_up() {
  for (int sender = 0; sender < senders; ++sender) {
    for (int k = 0; k < tickets; ++k) {
      explore::share(g_memory.tickets[sender][k].head, "head");
      explore::share(g_memory.tickets[sender][k].answer, "answer");
      explore::share(g_memory.tickets[sender][k].data, "data");
    }
    explore::share(g_memory.answers[sender], "answers");
    explore::share(g_memory.withdrawn[sender], "withdrawn");
  }
  explore::share(g_memory.withdrawals, "withdrawals");
}

Withdrawals withdrawals_of(int sender) noexcept { return {g_memory.withdrawals, g_memory.withdrawn[sender]}; }

// --- the receiver ----------------------------------------------------------------------------------------------------

// When it asks for a message: as it comes, behind a look at what was withdrawn, or never.
enum class Asks : std::uint8_t { kAtOnce, kLater, kNever };

void let_go(int sender, int ticket) noexcept {
  AnswerWord(g_memory.tickets[sender][ticket].answer).say(Answer::kDropped, &g_memory.answers[sender]);
}

// As claim_ticket() and what follows.
void take_or_drop(int sender, int ticket, std::uint32_t message) noexcept {
  OfTicket& of = g_memory.tickets[sender][ticket];
  const Answer was = AnswerWord(of.answer).take();
  if (was != Answer::kNone) {
    check(was == Answer::kWithdrawn, "a message that nobody has taken is answered");
    let_go(sender, ticket);
    return;
  }
  check(of.data.load(std::memory_order_relaxed) == message, "what is received is not the message");
  count(received_of(sender, ticket), 1);
  AnswerWord(of.answer).say(Answer::kReceived, &g_memory.answers[sender]);
}

// As drop_withdrawn_by() and let_go_of_kept().
template <int tickets>
void drop_withdrawn_by(int sender, std::uint64_t word, bool* kept) noexcept {
  for (int k = 0; k < tickets; ++k) {
    const bool is_told = word == WithdrawnWord::kSeveral || WithdrawnWord::ticket_in(word) == static_cast<unsigned>(k);
    if (is_told && kept[k] && AnswerWord(g_memory.tickets[sender][k].answer).is_withdrawn()) {
      kept[k] = false;
      let_go(sender, k);
    }
  }
}

/// A round of messages: one of each ticket.
template <int senders, int tickets, Asks asks>
void receive(std::uint32_t message) {
  bool has_come[senders][tickets] = {};
  bool kept[senders][tickets] = {};
  std::uint64_t seen = 0;
  for (int left = senders * tickets; left > 0;) {
    bool moved = false;
    for (int sender = 0; sender < senders; ++sender) {
      for (int k = 0; k < tickets; ++k) {
        if (has_come[sender][k] || g_memory.tickets[sender][k].head.load(std::memory_order_acquire) != message) {
          continue;
        }
        moved = has_come[sender][k] = true;
        // As was_withdrawn(), of what comes and nobody waits for.
        if (asks == Asks::kAtOnce) {
          take_or_drop(sender, k, message);
          --left;
        } else if (Withdrawals::counted(g_memory.withdrawals) != 0 &&
                   AnswerWord(g_memory.tickets[sender][k].answer).is_withdrawn()) {
          let_go(sender, k);
          --left;
        } else {
          kept[sender][k] = true;
        }
      }
    }
    // As look_at_answers() and drop_withdrawn().
    if (g_memory.withdrawals.load(std::memory_order_relaxed) != seen) {
      moved = true;
      seen = Withdrawals::counted(g_memory.withdrawals);
      for (int sender = 0; sender < senders; ++sender) {
        const std::uint64_t word = withdrawals_of(sender).take_word();
        if (word != WithdrawnWord::kNone) {
          drop_withdrawn_by<tickets>(sender, word, kept[sender]);
        }
      }
    }
    left = 0;
    for (int sender = 0; sender < senders; ++sender) {
      for (int k = 0; k < tickets; ++k) {
        if (kept[sender][k] && asks == Asks::kLater) {
          kept[sender][k] = false;
          take_or_drop(sender, k, message);
        }
        left += !has_come[sender][k] || kept[sender][k] ? 1 : 0;
      }
    }
    if (left > 0 && !moved) {
      ::sched_yield();
    }
  }
}

// --- a sender --------------------------------------------------------------------------------------------------------

template <int tickets>
void send(int sender, std::uint32_t message) {
  for (int k = 0; k < tickets; ++k) {
    OfTicket& of = g_memory.tickets[sender][k];
    of.data.store(message, std::memory_order_relaxed);
    of.head.store(message, std::memory_order_release);
  }
  bool withdrawn[tickets] = {};
  for (int k = 0; k < tickets; ++k) {
    OfTicket& of = g_memory.tickets[sender][k];
    if (AnswerWord(of.answer).withdraw()) {
      withdrawn[k] = true;
      check(count(received_of(sender, k), 0) == 0, "a message is received and withdrawn");
      // The program's again.
      of.data.store(kOthersData, std::memory_order_relaxed);
      withdrawals_of(sender).tell(WithdrawnWord::of(static_cast<std::uint32_t>(k), 0));
    }
  }
  bool ended[tickets] = {};
  std::uint32_t seen = 0;
  for (int left = tickets; left > 0;) {
    // As look_at_answers() and take_back_tickets(). Acquire: the answers that are counted are there.
    const std::uint32_t answers = g_memory.answers[sender].load(std::memory_order_acquire);
    if (answers == seen) {
      ::sched_yield();
      continue;
    }
    seen = answers;
    for (int k = 0; k < tickets; ++k) {
      OfTicket& of = g_memory.tickets[sender][k];
      const Answer answer = ended[k] ? Answer::kNone : AnswerWord(of.answer).look();
      if (answer != Answer::kReceived && answer != Answer::kDropped) {
        continue;
      }
      check((answer == Answer::kDropped) == withdrawn[k], "a message ends as it should not");
      check(count(received_of(sender, k), 0) == (withdrawn[k] ? 0 : 1), "a message is nobody's, or comes twice");
      count(received_of(sender, k), -count(received_of(sender, k), 0));
      ended[k] = true;
      --left;
      of.data.store(kOthersData, std::memory_order_relaxed);
      // As Pool::give_back(): the next head publishes it.
      of.answer.store(static_cast<std::uint32_t>(Answer::kNone), std::memory_order_relaxed);
    }
  }
}

// --- both ------------------------------------------------------------------------------------------------------------

template <int senders, int tickets, Asks asks, int rounds>
bool run(int pe, int call) {
  const auto message = static_cast<std::uint32_t>(call) + 1;
  if (pe == senders) {
    receive<senders, tickets, asks>(message);
  } else {
    send<tickets>(pe, message);
  }
  return call + 1 < rounds;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<explore::Model> models = {
      {"taken as it comes, twice", 2, set_up<1, 1>, run<1, 1, Asks::kAtOnce, 2>, true},
      {"kept and taken, twice", 2, set_up<1, 1>, run<1, 1, Asks::kLater, 2>, true},
      {"nobody asks, twice", 2, set_up<1, 1>, run<1, 1, Asks::kNever, 2>, true},
      {"two messages, kept and taken", 2, set_up<1, 2>, run<1, 2, Asks::kLater, 1>, true},
      {"two messages, nobody asks, twice", 2, set_up<1, 2>, run<1, 2, Asks::kNever, 2>, true},
      {"two senders, kept and taken", 3, set_up<2, 1>, run<2, 1, Asks::kLater, 1>, true},
      {"two senders, nobody asks", 3, set_up<2, 1>, run<2, 1, Asks::kNever, 1>, true},
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* deciding = "msg/deciding.hpp";
  std::vector<explore::NamedFault> faults = {
      {"the receiver takes a message without the sender's knowing", {{deciding, "of(Answer::kTaken)", kOmitted}}},
      {"the sender withdraws without the receiver's knowing",
       {{deciding, "of(Answer::kWithdrawn), std::mem", kOmitted}}},
      {"an answer is not given", {{deciding, "word_.store(of(what)", kOmitted}}},
      {"answers are not counted", {{deciding, "count->fetch_add", kOmitted}}},
      {"what is withdrawn is not named", {{deciding, "place_.compare_exchange_strong", kOmitted}}},
      {"several are told of as one", {{deciding, "place_.store(WithdrawnWord::kSeveral", kOmitted}}},
      {"withdrawals are not counted", {{deciding, "count_.fetch_add", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  faults.push_back({"an answer is told before it is given", {{deciding, "count->fetch_add"}}});
  faults.push_back({"a word is shown before the ticket says so", {{deciding, "place_.compare_exchange_strong"}}});
  faults.push_back({"the count moves before the word", {{deciding, "count_.fetch_add"}}});
  faults.push_back(
      {"the receiver looks before the count moves", {{deciding, "count.load(std::memory_order_acquire)"}}});
  faults.push_back({"several are shown before their tickets say so", {{deciding, "place_.store(WithdrawnWord::kSev"}}});
  faults.push_back({"a word is taken before its ticket says so", {{deciding, "place_.exchange(Withdrawn"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}

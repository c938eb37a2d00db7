// What an operation does to the memory, and to what its PE sees.
#include "models/machine.hpp"

namespace weft::explore {
namespace {

constexpr bool acquires(std::memory_order order) noexcept {
  return kX86 || (order != std::memory_order_relaxed && order != std::memory_order_release);
}
constexpr bool releases(std::memory_order order) noexcept {
  return kX86 || order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

void full_fence(State& s, Pe& pe) noexcept {
  pe.now.join(pe.acquired);
  pe.now.join(s.fences);
  s.fences = pe.released = pe.now;
}

void log(Pe& pe, std::uint64_t value) {
  if (pe.logged == kLog) {
    give_up("a turn has too many operations");
  }
  pe.log[pe.logged++] = value;
}

void see(Pe& pe, int word, int position, const Message& message, std::memory_order order) noexcept {
  pe.now.at[word] = std::max(pe.now.at[word], static_cast<std::uint8_t>(position));
  pe.acquired.join(message.view);
  pe.acquired.at[word] = std::max(pe.acquired.at[word], static_cast<std::uint8_t>(position));
  if (acquires(order)) {
    pe.now.join(message.view);
  }
  pe.looked_at |= 1U << word;
  pe.seen[word] = static_cast<std::uint8_t>(position + 1);
}

Message& append(State& s, int word, std::uint64_t value) {
  Word& w = s.words[word];
  if (w.count == kMessages) {
    give_up("word " + g.shared[word].name + " has too many values that may be seen");
  }
  w.messages[w.count++] = {value, {}};
  return w.last();
}

void put(State& s, Pe& pe, int word, std::uint64_t value, std::memory_order order, const View* also) {
  Message& message = append(s, word, value);
  const auto position = static_cast<std::uint8_t>(s.words[word].count - 1);
  pe.now.at[word] = pe.acquired.at[word] = position;
  message.view = releases(order) ? pe.now : pe.released;
  message.view.at[word] = position;
  if (also != nullptr) {
    message.view.join(*also);
  }
}

void do_update(State& s, Pe& pe) {
  const Request what = pe.next;
  Word& word = s.words[what.word];
  if (kX86) {
    full_fence(s, pe);
  }
  const Message found = word.last();
  see(pe, what.word, word.count - 1, found, what.order);
  const std::uint64_t before = part(found.value, what);
  const std::uint64_t after = changed(what.change, before, what.operand, what.compare);
  if (!what.is_omitted && (what.change != Change::kCompareSwap || before == what.compare)) {
    put(s, pe, what.word, with_part(found.value, what, after), what.order, &found.view);
  }
  if (kX86) {
    full_fence(s, pe);
  }
  log(pe, found.value);
}

void do_store(State& s, Pe& pe) {
  const Request what = pe.next;
  if (!what.is_omitted) {
    const bool is_exchange = kX86 && what.order == std::memory_order_seq_cst;
    if (is_exchange) {
      full_fence(s, pe);
    }
    put(s, pe, what.word, with_part(s.words[what.word].last().value, what, what.operand), what.order, nullptr);
    if (is_exchange) {
      full_fence(s, pe);
    }
  }
  log(pe, 0);
}

// The kernel compares and lies down at once, as far as who wakes can see.
void do_sleep(State& s, Pe& pe) {
  full_fence(s, pe);
  Word& word = s.words[pe.next.word];
  see(pe, pe.next.word, word.count - 1, word.last(), std::memory_order_relaxed);
  if (part(word.last().value, pe.next) == pe.next.compare) {
    pe.status = Status::kSleeps;
    pe.word = pe.next.word;
    pe.half = pe.next.shift;
    pe.mask = static_cast<std::uint32_t>(pe.next.operand);
  } else {
    log(pe, 0);
  }
}

void do_wake(State& s, Pe& pe) {
  const Request what = pe.next;
  log(pe, 0);
  for (int other = 0; other < g.model->pes; ++other) {
    Pe& sleeper = s.pes[other];
    if (sleeper.status == Status::kSleeps && sleeper.word == what.word && sleeper.half == what.shift &&
        (sleeper.mask & what.operand) != 0) {
      sleeper.status = Status::kRuns;
      log(sleeper, 0);
      run_to_next(s, other);
    }
  }
}

bool has_news(const State& s, int pe) noexcept {
  const Pe& who = s.pes[pe];
  for (int w = 0; w < kWords; ++w) {
    if ((who.looked_at >> w & 1) != 0 && who.seen[w] != s.words[w].count) {
      return true;
    }
  }
  return false;
}

// In a loop that has come to where it was the way round is forgotten: it leads nowhere, and there is no end to it.
void lie_down(Pe& pe) noexcept {
  if (pe.yielded_logged != 0 && pe.at == pe.yielded_at) {
    pe.logged = pe.yielded_logged;
  }
  pe.yielded_at = pe.at;
  pe.yielded_logged = pe.logged;
  pe.status = Status::kIdle;
}

void go_on(Pe& pe) noexcept {
  pe.status = Status::kRuns;
  pe.looked_at = 0;
  if (pe.next.what == What::kYield) {
    log(pe, 0);
    pe.has_waited = true;
  }
}

void run_turn(int pe, int call) noexcept {
  g.again = g.model->run(pe, call);
  g.has_ended = true;
  ::setcontext(&g.engine);
}

// On a stack of its own, always the same one and empty at first. False: it is not over.
bool turn_is_over(int pe, int call) {
  g.stack.fill(std::byte{0});
  g.has_ended = false;
  g.running = true;
  g.turn = g.registers;
  g.turn.uc_stack = {g.stack.data(), 0, g.stack.size()};
  ::makecontext(&g.turn, reinterpret_cast<void (*)()>(run_turn), 2, pe, call);
  (void)::swapcontext(&g.engine, &g.turn);
  g.running = false;
  return g.has_ended;
}

// Runs a PE from the beginning of its turn to the first operation that is not in its log.
bool play(State& s, int pe) {
  Pe& who = s.pes[pe];
  g.logged = who.logged;
  std::copy_n(who.log.begin(), who.logged, g.log.begin());
  g.played = 0;
  g.stutters = false;
  g.has_last = {};
  if (!turn_is_over(pe, who.call)) {
    who.next = g.next;
    who.at = g.at;
    return true;
  }
  who.logged = who.yielded_logged = 0;
  who.next = {};
  who.call = static_cast<std::uint8_t>(who.call + 1);
  who.looked_at = 0;
  who.status = g.again ? Status::kRuns : Status::kHasEnded;
  return !g.again;
}

bool concerns_others(const Request& next) noexcept {
  return next.what != What::kFence || next.order == std::memory_order_seq_cst;
}

// Only those who look at a word need its old values. Who does is found out: when somebody looks for the first time, all
// begins anew.
void note_look(int pe, int word) noexcept {
  g.looks_at_more = g.looks_at_more || (g.looks[pe] >> word & 1) == 0;
  g.looks[pe] |= 1U << word;
}

}  // namespace

void run_to_next(State& s, int pe) {
  Pe& who = s.pes[pe];
  for (;;) {
    if (!play(s, pe)) {
      continue;
    }
    if (who.status != Status::kRuns || concerns_others(who.next)) {
      return;
    }
    who.now.join(who.acquired);
    if (who.next.order != std::memory_order_acquire) {
      who.released = who.now;
    }
    log(who, 0);
  }
}

void steps_of(const State& s, int pe, std::vector<Step>& steps) {
  const Pe& who = s.pes[pe];
  const auto add = [&](int which) {
    steps.push_back({static_cast<std::int8_t>(pe), static_cast<std::uint8_t>(which)});
  };
  if (who.status == Status::kIdle) {
    if (has_news(s, pe)) {
      add(0);
    }
    return;
  }
  if (who.status != Status::kRuns) {
    return;
  }
  const Word& word = s.words[who.next.word];
  switch (who.next.what) {
    case What::kLoad:
      for (int k = who.has_waited ? word.count - 1 : who.now.at[who.next.word]; k < word.count; ++k) {
        add(k);
      }
      return;
    case What::kUpdate:
      // One that fails may have seen an older value; where every one is a fence it sees the last.
      if (!kX86 && who.next.change == Change::kCompareSwap) {
        for (int k = who.now.at[who.next.word]; k + 1 < word.count; ++k) {
          if (part(word.messages[k].value, who.next) != who.next.compare) {
            add(k);
          }
        }
      }
      add(word.count - 1);
      return;
    default: add(0);
  }
}

void take(State& s, Step step) {
  Pe& pe = s.pes[step.pe];
  if (pe.status == Status::kIdle) {
    go_on(pe);
    run_to_next(s, step.pe);
    return;
  }
  switch (pe.next.what) {
    case What::kLoad: {
      note_look(step.pe, pe.next.word);
      const Message& message = s.words[pe.next.word].messages[step.which];
      see(pe, pe.next.word, step.which, message, pe.next.order);
      log(pe, message.value);
      pe.has_waited = false;
      break;
    }
    case What::kUpdate:
      if (!kX86 && pe.next.change == Change::kCompareSwap) {
        note_look(step.pe, pe.next.word);
      }
      if (step.which + 1 < s.words[pe.next.word].count) {
        const Message& message = s.words[pe.next.word].messages[step.which];
        see(pe, pe.next.word, step.which, message, std::memory_order_relaxed);
        log(pe, message.value);
      } else {
        do_update(s, pe);
      }
      break;
    case What::kStore: do_store(s, pe); break;
    case What::kFence:
      full_fence(s, pe);
      log(pe, 0);
      break;
    case What::kSleep: do_sleep(s, pe); break;
    case What::kWake: do_wake(s, pe); break;
    case What::kCount:
      s.counts[pe.next.slot] = static_cast<std::int8_t>(s.counts[pe.next.slot] + static_cast<int>(pe.next.operand));
      log(pe, static_cast<std::uint64_t>(std::int64_t{s.counts[pe.next.slot]}));
      break;
    case What::kYield: lie_down(pe); return;
    case What::kTurn: break;
  }
  if (pe.status == Status::kRuns) {
    run_to_next(s, step.pe);
  }
}

// Messages that nobody can see any more go, and the others are counted from the oldest: else states would differ by
// what has no effect.
void forget(State& s) noexcept {
  const int pes = g.model->pes;
  for (std::size_t w = 0; w < g.shared.size(); ++w) {
    std::uint8_t oldest = static_cast<std::uint8_t>(s.words[w].count - 1);
    for (int p = 0; p < pes; ++p) {
      if (s.pes[p].status != Status::kHasEnded && (g.looks[p] >> w & 1) != 0) {
        oldest = std::min(oldest, s.pes[p].now.at[w]);
      }
    }
    if (oldest == 0) {
      continue;
    }
    const auto less = [&](View& view) {
      view.at[w] = static_cast<std::uint8_t>(view.at[w] - std::min(view.at[w], oldest));
    };
    Word& word = s.words[w];
    std::move(word.messages.begin() + oldest, word.messages.begin() + word.count, word.messages.begin());
    word.count = static_cast<std::uint8_t>(word.count - oldest);
    for (std::size_t v = 0; v < g.shared.size(); ++v) {
      for (int k = 0; k < s.words[v].count; ++k) {
        less(s.words[v].messages[k].view);
      }
    }
    for (int p = 0; p < pes; ++p) {
      Pe& pe = s.pes[p];
      less(pe.now);
      less(pe.acquired);
      less(pe.released);
      pe.seen[w] = static_cast<std::uint8_t>(pe.seen[w] - std::min(pe.seen[w], oldest));
    }
    less(s.fences);
  }
}

}  // namespace weft::explore

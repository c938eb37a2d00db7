#include "copy/copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/lines.hpp"
#include "base/processor.hpp"
#include "copy/classes.hpp"
#include "copy/found.hpp"
#include "copy/ticks.hpp"

namespace weft::copy {
namespace {

constexpr const char* kNames[kChoices] = {
    "auto",
#define WEFT_COPY(name, text) #name,
#include "../../api/algorithms.def"
};

// Below this size one copy is too short to be timed, so it is not the program's own copies that are: see try_small().
constexpr std::size_t kTimed = std::size_t{32} << 10;

// So often each routine is tried. The fastest time counts: the others had a page fault or another process in them.
// Large copies take so long that little comes between.
constexpr int kTrials = 6;
constexpr int kTrialsOfLarge = 3;

// What a routine must win over the C library's, so that noise changes nothing; and what one must win over all others
// that leaves its data in memory, where the reader on the other side would find it in a cache otherwise.
constexpr double kWorthwhile = 0.97;
constexpr double kWorthStreaming = 0.8;
constexpr std::size_t kLeastStreaming = std::size_t{1} << 20;

// So much slower than the fastest is no reason to leave what was taken before.
constexpr double kNearly = 1.05;

// A routine's time is that of its fastest trial, which another process, or a host that gave the processor to somebody
// else, may have lengthened as well. Where it did not, a second trial took no more than this of it.
constexpr double kAlike = 1.1;

void guessing(void* to, const void* from, std::size_t bytes) noexcept;
void find_out(void* to, const void* from, std::size_t bytes) noexcept;

struct SizeClass {
  std::atomic<Routine> routine{kTriesOut ? guessing : libc};
  std::atomic<std::size_t> moved{0};  // by the guess
  std::atomic<Routine> guess{nullptr};
  int trials = 0;  // under g_finding_out, as the next
  Times times;
};
constinit SizeClass g_classes[kClasses];

// Set by WEFT_COPY: who names a routine gets it for every copy.
constinit bool g_named = false;

// What earlier programs found. Written at the start by the thread that starts, while no other one copies: what it
// copies itself before goes by the guess for those who know nothing.
constinit Found g_before;

// Under g_finding_out: what this program has found and not kept yet. Where it is kept is found at the start, as the
// environment may be another one at the end, and being changed; empty: nowhere.
constinit Found g_found;
constinit bool g_news = false;
constinit char g_file[kFoundPathRoom] = {};

// Whoever does not get it copies without taking part.
constinit std::atomic_flag g_finding_out;

SizeClass& class_of(std::size_t bytes) noexcept { return g_classes[class_number(bytes)]; }

// Times against the C library's.
void tell(const SizeClass& size_class, const Verdict& verdict) noexcept {
  char text[256];
  int at = 0;
  for (int k = static_cast<int>(Choice::k_libc); k < kChoices; ++k) {
    const double ratio = size_class.times.least[k] / size_class.times.least[static_cast<int>(Choice::k_libc)];
    if (ratio > 0) {
      at += std::snprintf(text + at, sizeof text - static_cast<std::size_t>(at), "%s%s %.2f", at > 0 ? ", " : "",
                          kNames[k], ratio);
    }
  }
  base::debug("copies from %zu KiB on: %s; takes %s%s", least_of_class(static_cast<int>(&size_class - g_classes)) >> 10,
              text, kNames[static_cast<int>(verdict.choice)], verdict.programs > 1 ? "" : ", but was disturbed");
}

void decide(SizeClass* size_class) noexcept {
  const auto number = static_cast<std::size_t>(size_class - g_classes);
  const Verdict verdict = judge(size_class->times, g_before.classes[number].choice);
  tell(*size_class, verdict);
  g_found.classes[number] = {verdict.choice, verdict.programs};
  g_news = true;
  // Relaxed: a routine is code, and nothing else is told by it.
  size_class->routine.store(routine(verdict.choice), std::memory_order_relaxed);
}

// Tries all routines on memory of its own: as many copies in a row as can be timed, half of them of the class's least
// size, as powers of two are what programs copy most, half of one in its middle. The program's copy is not repeated, as
// its target may be in use before the call returns.
void try_small(SizeClass* size_class) noexcept {
  alignas(64) static std::byte from[2 * kTimed];
  alignas(64) static std::byte to[2 * kTimed];
  const std::size_t least = std::max(kSmall, least_of_class(static_cast<int>(size_class - g_classes)));
  const std::size_t middle = least / 2 * 3;
  const std::size_t pairs = 4 * kTimed / (least + middle);
  for (int trial = 0; trial <= kTrials; ++trial) {
    for (int k = 1; k < kChoices; ++k) {
      const auto choice = static_cast<Choice>(k);
      if (!suits(choice, least)) {
        continue;
      }
      const Routine run = routine(choice);
      const double begin = ticks();
      for (std::size_t n = 0; n < pairs; ++n) {
        run(to, from, least);
        __asm__ __volatile__("" ::: "memory");
        run(to, from, middle);
        __asm__ __volatile__("" ::: "memory");
      }
      if (trial > 0) {  // the first makes the memory warm
        size_class->times.note(choice, ticks() - begin);
      }
    }
  }
  decide(size_class);
}

// Each of the program's copies tries one routine. In turns, as caches come to know the program's memory over its first
// copies; and each routine twice, as the first copy finds the caches as another routine left them: only the second is
// timed. Large copies find nothing of use there anyway.
void try_large(SizeClass* size_class, void* to, const void* from, std::size_t bytes) noexcept {
  const bool large = bytes >= kLarge;
  const int in_a_row = large ? 1 : 2;
  const auto choice = [&] { return static_cast<Choice>(1 + size_class->trials / in_a_row % (kChoices - 1)); };
  const double begin = ticks();
  routine(choice())(to, from, bytes);
  const double took = ticks() - begin;
  if (size_class->trials % in_a_row == in_a_row - 1) {
    size_class->times.note(choice(), took / static_cast<double>(bytes));
  }
  do {
    ++size_class->trials;
  } while (!suits(choice(), bytes));
  if (size_class->trials >= in_a_row * (large ? kTrialsOfLarge : kTrials) * (kChoices - 1)) {
    decide(size_class);
  }
}

// What is taken before anything is known: what the program before this one found, whatever came between; otherwise
// loops of vector registers, which are within some percent of the best in first and second caches on all processors
// that we know of; and above those the C library's.
constexpr std::size_t kGuessesVectors = std::size_t{128} << 10;

Routine make_guess(std::size_t bytes) noexcept {
  const Choice before = g_before.classes[static_cast<std::size_t>(class_number(bytes))].choice;
  if (before != Choice::kAuto) {
    return routine(before);
  }
  const Routine vectors = bytes < kGuessesVectors ? routine(Choice::k_avx2) : nullptr;
  return vectors != nullptr ? vectors : libc;
}

// Made once, since asking for the processor takes a tenth of a small copy: by remember(), or here where nobody called
// that. Relaxed: all threads make the same, and a routine is code.
Routine guess(SizeClass* size_class, std::size_t bytes) noexcept {
  Routine guess = size_class->guess.load(std::memory_order_relaxed);
  if (guess == nullptr) [[unlikely]] {
    guess = make_guess(bytes);
    size_class->guess.store(guess, std::memory_order_relaxed);
  }
  return guess;
}

void guessing(void* to, const void* from, std::size_t bytes) noexcept {
  SizeClass& size_class = class_of(bytes);
  // Relaxed, and no addition in one step, which would cost as much as half of a small copy: where threads lose each
  // other's, trials begin a little later.
  const std::size_t moved = size_class.moved.load(std::memory_order_relaxed) + bytes;
  size_class.moved.store(moved, std::memory_order_relaxed);
  if (moved >= kByGuess) [[unlikely]] {
    Routine expected = guessing;
    // Relaxed: see decide().
    size_class.routine.compare_exchange_strong(expected, find_out, std::memory_order_relaxed);
  }
  guess(&size_class, bytes)(to, from, bytes);
}

// One line for all sizes.
void tell_of_earlier() noexcept {
  char text[512];
  int at = 0;
  Choice last = Choice::kAuto;
  // A file may say something else of each size: what has no room is left out.
  constexpr int kLongest = 64;
  for (int k = class_number(kSmall); k < kClasses && at + kLongest < static_cast<int>(sizeof text); ++k) {
    const Found::Class& of = g_before.classes[static_cast<std::size_t>(k)];
    const Choice choice = of.programs >= kAgreed ? of.choice : Choice::kAuto;
    if (choice != last) {
      at += std::snprintf(text + at, sizeof text - static_cast<std::size_t>(at), " from %zu KiB on %s,",
                          least_of_class(k) >> 10, kNames[static_cast<int>(choice)]);
    }
    last = choice;
  }
  if (at > 0) {
    base::debug("copies:%s as earlier programs found (%.300s)", text, g_file);
  }
}

void find_out(void* to, const void* from, std::size_t bytes) noexcept {
  // Acquire and release: the one before has finished with the counts and the memory.
  if (g_finding_out.test_and_set(std::memory_order_acquire)) {
    libc(to, from, bytes);
    return;
  }
  SizeClass& size_class = class_of(bytes);
  const Routine known = size_class.routine.load(std::memory_order_relaxed);
  if (known != find_out) {  // somebody else has found it
    g_finding_out.clear(std::memory_order_release);
    known(to, from, bytes);
    return;
  }
  if (bytes >= kTimed) {
    try_large(&size_class, to, from, bytes);
    g_finding_out.clear(std::memory_order_release);
    return;
  }
  try_small(&size_class);
  g_finding_out.clear(std::memory_order_release);
  libc(to, from, bytes);
}

}  // namespace

namespace {

// What copies of a size take where the target lies so far ahead of the source.
Routine routine_for(std::size_t bytes, std::uintptr_t distance) noexcept {
  const Routine used = class_of(bytes).routine.load(std::memory_order_relaxed);  // relaxed: see decide()
#if defined(__x86_64__)
  if (just_ahead(distance) && (used == libc || used == rep_movsb || used == find_out || used == guessing) &&
      kTriesOut && !g_named && base::has_avx2()) [[unlikely]] {
    return avx2;
  }
#endif
  return used;
}

}  // namespace

Routine known(const void* to, const void* from, std::size_t bytes) noexcept {
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  const Routine used = bytes < kSmall ? libc : routine_for(bytes, distance);
  return used == guessing || used == find_out ? guess(&class_of(bytes), bytes) : used;
}

namespace {

// Out of line, and the end of its caller, so that who does not come here saves no registers.
[[gnu::noinline]] void copy_ahead(void* to, const void* from, std::size_t bytes) noexcept {
  routine_for(bytes, reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from))(to, from, bytes);
}

}  // namespace

void copy_large(void* to, const void* from, std::size_t bytes) noexcept {
  if (just_ahead(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from))) [[unlikely]] {
    copy_ahead(to, from, bytes);
    return;
  }
  class_of(bytes).routine.load(std::memory_order_relaxed)(to, from, bytes);  // relaxed: see decide()
}

Routine routine(Choice choice) noexcept {
  switch (choice) {
    case Choice::kAuto: return nullptr;
    case Choice::k_libc: return libc;
#if defined(__x86_64__)
    case Choice::k_rep_movsb: return rep_movsb;
    case Choice::k_avx2: return base::has_avx2() ? avx2 : nullptr;
    case Choice::k_avx512: return base::has_avx512() ? avx512 : nullptr;
    case Choice::k_streaming: return base::has_avx2() ? streaming : nullptr;
#endif
    default: return nullptr;
  }
}

const char* name_of(Choice choice) noexcept { return kNames[static_cast<int>(choice)]; }

void Times::note(Choice choice, double time) noexcept {
  double& first = least[static_cast<int>(choice)];
  double& second = next[static_cast<int>(choice)];
  if (first == 0 || time < first) {
    second = first;
    first = time;
  } else if (second == 0 || time < second) {
    second = time;
  }
}

Verdict judge(const Times& times, Choice before) noexcept {
  const auto cost = [&](Choice choice) {
    const double time = times.least[static_cast<int>(choice)];
    return choice == Choice::k_libc        ? time * kWorthwhile
           : choice == Choice::k_streaming ? time / kWorthStreaming
                                           : time;
  };
  Verdict verdict;
  bool undisturbed = true;
  for (int k = static_cast<int>(Choice::k_libc); k < kChoices; ++k) {
    const auto choice = static_cast<Choice>(k);
    if (times.least[k] > 0) {
      undisturbed = undisturbed && times.next[k] > 0 && times.next[k] <= kAlike * times.least[k];
      if (cost(choice) < cost(verdict.choice)) {
        verdict.choice = choice;
      }
    }
  }
  if (before != Choice::kAuto && times.least[static_cast<int>(before)] > 0 &&
      cost(before) <= kNearly * cost(verdict.choice)) {
    verdict.choice = before;
  }
  if (undisturbed) {
    const double chosen = times.least[static_cast<int>(verdict.choice)];
    bool matters = false;
    for (int k = static_cast<int>(Choice::k_libc); k < kChoices; ++k) {
      // The streaming one is not among those that can be taken for any other: where it leaves data matters.
      matters = matters || (times.least[k] > 0 && static_cast<Choice>(k) != Choice::k_streaming &&
                            (times.least[k] > kNearly * chosen || times.least[k] * kNearly < chosen));
    }
    verdict.programs = matters || verdict.choice == Choice::k_streaming ? kUndisturbed : kAgreed;
  }
  return verdict;
}

bool is_named() noexcept { return g_named; }

bool suits(Choice choice, std::size_t bytes) noexcept {
  return routine(choice) != nullptr && (choice != Choice::k_streaming || bytes >= kLeastStreaming);
}

namespace {

void believe_earlier() noexcept {
  // Guesses too: the first one costs as much as ten small copies, and a start has the time. Relaxed: see decide().
  for (int k = class_number(kSmall); k < kClasses; ++k) {
    const Found::Class& of = g_before.classes[static_cast<std::size_t>(k)];
    g_classes[k].guess.store(make_guess(least_of_class(k)), std::memory_order_relaxed);
    if (of.programs >= kAgreed) {
      g_classes[k].routine.store(routine(of.choice), std::memory_order_relaxed);
    }
  }
}

}  // namespace

void remember(const char* named) noexcept {
  if (!kTriesOut || g_named) {
    return;
  }
  found_name(named, g_file);
  if (g_file[0] != '\0') {
    g_before = load_found(g_file);
    tell_of_earlier();
  }
  believe_earlier();
}

bool tell(std::span<std::uint64_t, kToldWords> words) noexcept {
  pack_found(g_before, words);
  return kTriesOut && !g_named;
}

void take(std::span<const std::uint64_t, kToldWords> words, const char* named) noexcept {
  if (!kTriesOut || g_named) {
    return;
  }
  found_name(named, g_file);
  g_before = unpack_found(words);
  believe_earlier();
}

void keep() noexcept {
  // Who finds out now is in no hurry to end. Acquire and release: as in find_out().
  if (g_named || g_finding_out.test_and_set(std::memory_order_acquire)) {
    return;
  }
  if (g_news && g_file[0] != '\0') {
    keep_found(g_file, g_before, g_found);
    g_found = {};
    g_news = false;
  }
  g_finding_out.clear(std::memory_order_release);
}

base::Result<void> choose(Choice choice) noexcept {
  if (choice == Choice::kAuto) {
    return {};
  }
  const Routine fixed = routine(choice);
  if (fixed == nullptr) {
    return base::Error::make("WEFT_COPY=%s: this processor has not what it takes; use auto or libc",
                             kNames[static_cast<int>(choice)]);
  }
  g_named = true;
  for (SizeClass& size_class : g_classes) {
    size_class.routine.store(fixed, std::memory_order_relaxed);
  }
  return {};
}

Choice choice_of(Routine used) noexcept {
  for (int k = 1; k < kChoices; ++k) {
    if (routine(static_cast<Choice>(k)) == used) {
      return static_cast<Choice>(k);
    }
  }
  return Choice::kAuto;
}

Choice chosen(std::size_t bytes, std::uintptr_t distance) noexcept {
  return choice_of(bytes < kSmall ? libc : routine_for(bytes, distance));
}

}  // namespace weft::copy

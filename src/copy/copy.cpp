#include "copy/copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/lines.hpp"
#include "base/processor.hpp"
#include "copy/classes.hpp"
#include "copy/found.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

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

// Sanitizers know the C library's routine, and not what instructions of ours access.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kTriesOut = false;
#elif defined(__x86_64__)
constexpr bool kTriesOut = true;
#else
constexpr bool kTriesOut = false;  // no routines but one
#endif

void find_out(void* to, const void* from, std::size_t bytes) noexcept;

struct SizeClass {
  std::atomic<Routine> routine{kTriesOut ? find_out : libc};
  int trials = 0;  // under g_finding_out, as the next
  double best[kChoices] = {};
};
constinit SizeClass g_classes[kClasses];

// Set by WEFT_COPY: who names a routine gets it for every copy.
constinit bool g_named = false;

// Under g_finding_out: what this program has found and not kept yet, and where it is kept; empty: nowhere.
constinit Found g_found;
constinit bool g_news = false;
constinit bool g_loaded = false;
constinit bool g_usual_file = false;  // where that lies is asked for when it is read
constinit char g_file[kFoundPathRoom] = {};

// Processors' own loops for strings of bytes (rep movsb, which the C library uses for middle sizes) may be far slower
// where the target lies just ahead of the source in a page: they take each load for one of what was stored just now, by
// the addresses' lower twelve bits. On an AMD machine of 2022 it is one seventeenth for 1 to 15 bytes and one half for
// 16 to 31, at all sizes from 2 KiB to 1 MiB; loops of vector registers are as fast there as anywhere.
constexpr std::uintptr_t kSameInPages = 4096;
constexpr std::uintptr_t kAhead = 32;

bool just_ahead(std::uintptr_t distance) noexcept {
  return distance % kSameInPages - 1 < kAhead - 1;  // 0, which is fast, becomes the largest number
}

// Whoever does not get it copies without taking part.
constinit std::atomic_flag g_finding_out;

SizeClass& class_of(std::size_t bytes) noexcept { return g_classes[class_number(bytes)]; }

double ticks() noexcept {
#if defined(__x86_64__)
  return static_cast<double>(__rdtsc());
#else
  return 0;
#endif
}

void note_time(SizeClass* size_class, Choice choice, double per_byte) noexcept {
  double& best = size_class->best[static_cast<int>(choice)];
  best = best == 0 ? per_byte : std::min(best, per_byte);
}

// Times against the C library's.
void tell(const SizeClass& size_class, Choice fastest) noexcept {
  char text[256];
  int at = 0;
  for (int k = static_cast<int>(Choice::k_libc); k < kChoices; ++k) {
    const double ratio = size_class.best[k] / size_class.best[static_cast<int>(Choice::k_libc)];
    if (ratio > 0) {
      at += std::snprintf(text + at, sizeof text - static_cast<std::size_t>(at), "%s%s %.2f", at > 0 ? ", " : "",
                          kNames[k], ratio);
    }
  }
  base::debug("copies from %zu KiB on: %s; takes %s", (std::size_t{1} << (&size_class - g_classes - 1)) >> 10, text,
              kNames[static_cast<int>(fastest)]);
}

void decide(SizeClass* size_class) noexcept {
  Choice fastest = Choice::k_libc;
  double time = size_class->best[static_cast<int>(Choice::k_libc)];
  for (int k = static_cast<int>(Choice::k_libc) + 1; k < kChoices; ++k) {
    const auto choice = static_cast<Choice>(k);
    const double other = size_class->best[k];
    const double least = choice == Choice::k_streaming ? kWorthStreaming : fastest == Choice::k_libc ? kWorthwhile : 1;
    if (other > 0 && other < least * time) {
      fastest = choice;
      time = other;
    }
  }
  tell(*size_class, fastest);
  g_found.classes[static_cast<std::size_t>(size_class - g_classes)].choice = fastest;
  g_news = true;
  // Relaxed: a routine is code, and nothing else is told by it.
  size_class->routine.store(routine(fastest), std::memory_order_relaxed);
}

// Tries all routines on memory of its own: as many copies in a row as can be timed, of a size in the middle of the
// class. The program's copy is not repeated, as its target may be in use before the call returns.
void try_small(SizeClass* size_class) noexcept {
  alignas(64) static std::byte from[2 * kTimed];
  alignas(64) static std::byte to[2 * kTimed];
  const std::size_t bytes = std::max(kSmall, least_of_class(static_cast<int>(size_class - g_classes)) / 2 * 3);
  const std::size_t copies = 2 * kTimed / bytes;
  for (int trial = 0; trial <= kTrials; ++trial) {
    for (int k = 1; k < kChoices; ++k) {
      const auto choice = static_cast<Choice>(k);
      if (!suits(choice, bytes)) {
        continue;
      }
      const Routine run = routine(choice);
      const double begin = ticks();
      for (std::size_t n = 0; n < copies; ++n) {
        run(to, from, bytes);
        __asm__ __volatile__("" ::: "memory");
      }
      if (trial > 0) {  // the first makes the memory warm
        note_time(size_class, choice, ticks() - begin);
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
    note_time(size_class, choice(), took / static_cast<double>(bytes));
  }
  do {
    ++size_class->trials;
  } while (!suits(choice(), bytes));
  if (size_class->trials >= in_a_row * (large ? kTrialsOfLarge : kTrials) * (kChoices - 1)) {
    decide(size_class);
  }
}

// What programs before this one agreed on. Not at the start, which is short, but when a copy asks for it.
void load() noexcept {
  g_loaded = true;
  if (g_usual_file && !found_path(g_file)) {
    g_file[0] = '\0';
  }
  if (g_file[0] == '\0') {
    return;
  }
  const Found before = load_found(g_file);
  for (int k = 1; k < kClasses; ++k) {
    const Found::Class& of = before.classes[static_cast<std::size_t>(k)];
    if (of.programs >= kAgreed && g_classes[k].routine.load(std::memory_order_relaxed) == find_out) {
      base::debug("copies from %zu KiB on: %s, as earlier programs found (%.300s)", least_of_class(k) >> 10,
                  name_of(of.choice), g_file);
      g_classes[k].routine.store(routine(of.choice), std::memory_order_relaxed);  // relaxed: see decide()
    }
  }
}

void find_out(void* to, const void* from, std::size_t bytes) noexcept {
  // Acquire and release: the one before has finished with the counts and the memory.
  if (g_finding_out.test_and_set(std::memory_order_acquire)) {
    libc(to, from, bytes);
    return;
  }
  if (!g_loaded) {
    load();
  }
  SizeClass& size_class = class_of(bytes);
  const Routine known = size_class.routine.load(std::memory_order_relaxed);
  if (known != find_out) {  // by somebody else, or by an earlier program
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
  if (just_ahead(distance) && (used == libc || used == rep_movsb || used == find_out) && kTriesOut && !g_named &&
      base::has_avx2()) [[unlikely]] {
    return avx2;
  }
#endif
  return used;
}

}  // namespace

Routine known(const void* to, const void* from, std::size_t bytes) noexcept {
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  const Routine used = bytes < kSmall ? libc : routine_for(bytes, distance);
  return used == find_out ? libc : used;
}

void copy_large(void* to, const void* from, std::size_t bytes) noexcept {
  routine_for(bytes, reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from))(to, from, bytes);
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

bool suits(Choice choice, std::size_t bytes) noexcept {
  return routine(choice) != nullptr && (choice != Choice::k_streaming || bytes >= kLeastStreaming);
}

void remember(const char* named) noexcept {
  if (!kTriesOut || g_loaded) {
    return;
  }
  g_usual_file = named == nullptr;
  const bool none = named == nullptr || std::strcmp(named, "none") == 0 || std::strlen(named) >= sizeof g_file;
  (void)std::snprintf(g_file, sizeof g_file, "%s", none ? "" : named);
}

void keep() noexcept {
  // Who finds out now is in no hurry to end. Acquire and release: as in find_out().
  if (g_named || g_finding_out.test_and_set(std::memory_order_acquire)) {
    return;
  }
  if (g_news && g_file[0] != '\0') {
    keep_found(g_file, g_found);
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

Choice chosen(std::size_t bytes, std::uintptr_t distance) noexcept {
  const Routine used = bytes < kSmall ? libc : routine_for(bytes, distance);
  for (int k = 1; k < kChoices; ++k) {
    if (routine(static_cast<Choice>(k)) == used) {
      return static_cast<Choice>(k);
    }
  }
  return Choice::kAuto;
}

}  // namespace weft::copy

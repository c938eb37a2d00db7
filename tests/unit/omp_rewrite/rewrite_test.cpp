#include "omp/rewrite/rewrite.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "counts.h"
#include "forms.hpp"
#include "omp/decode/decode.hpp"

namespace {

using weft::omp::rewrite::Kind;
using weft::omp::rewrite::Operation;
using weft::test::Form;

// ---- Running one function with registers of the test's choice.

struct State {
  std::uint64_t general[16];
  std::uint64_t flags;
};

extern "C" {
[[gnu::used]] State weft_test_in;
[[gnu::used]] State weft_test_out;
[[gnu::used]] void (*weft_test_function)();
[[gnu::used]] std::uint64_t weft_test_stack;
void weft_test_run();
}
// All registers but that of the stack are the function's.
asm(R"(
  .text
weft_test_run:
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, weft_test_stack(%rip)
  push weft_test_in+128(%rip)
  popfq
  mov weft_test_in+0(%rip), %rax
  mov weft_test_in+8(%rip), %rcx
  mov weft_test_in+16(%rip), %rdx
  mov weft_test_in+24(%rip), %rbx
  mov weft_test_in+40(%rip), %rbp
  mov weft_test_in+48(%rip), %rsi
  mov weft_test_in+56(%rip), %rdi
  mov weft_test_in+64(%rip), %r8
  mov weft_test_in+72(%rip), %r9
  mov weft_test_in+80(%rip), %r10
  mov weft_test_in+88(%rip), %r11
  mov weft_test_in+96(%rip), %r12
  mov weft_test_in+104(%rip), %r13
  mov weft_test_in+112(%rip), %r14
  mov weft_test_in+120(%rip), %r15
  call *weft_test_function(%rip)
  pushfq
  popq weft_test_out+128(%rip)
  mov %rax, weft_test_out+0(%rip)
  mov %rcx, weft_test_out+8(%rip)
  mov %rdx, weft_test_out+16(%rip)
  mov %rbx, weft_test_out+24(%rip)
  mov %rsp, weft_test_out+32(%rip)
  mov %rbp, weft_test_out+40(%rip)
  mov %rsi, weft_test_out+48(%rip)
  mov %rdi, weft_test_out+56(%rip)
  mov %r8, weft_test_out+64(%rip)
  mov %r9, weft_test_out+72(%rip)
  mov %r10, weft_test_out+80(%rip)
  mov %r11, weft_test_out+88(%rip)
  mov %r12, weft_test_out+96(%rip)
  mov %r13, weft_test_out+104(%rip)
  mov %r14, weft_test_out+112(%rip)
  mov %r15, weft_test_out+120(%rip)
  mov weft_test_stack(%rip), %rsp
  cld
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
)");

State run(void (*function)(), const State& in) {
  weft_test_in = in;
  weft_test_function = function;
  weft_test_run();
  return weft_test_out;
}

// ---- What carries operations out here: on the word itself, by other instructions; or nothing.

constinit std::atomic<bool> g_carries = true;
constinit std::atomic<int> g_carried = 0;
constinit std::atomic<int> g_fences = 0;

template <class T>
std::uint64_t on(const Operation& what) {
  // Read and written one after the other: a test with threads of its own keeps them apart.
  auto* const word = static_cast<volatile T*>(what.word);
  const T before = *word;
  const auto operand = static_cast<T>(what.operand.low);
  switch (what.kind) {
    case Kind::kAdd: *word = static_cast<T>(before + operand); break;
    case Kind::kAnd: *word = before & operand; break;
    case Kind::kOr: *word = before | operand; break;
    case Kind::kXor: *word = before ^ operand; break;
    case Kind::kSwap: *word = operand; break;
    case Kind::kNegate: *word = static_cast<T>(0 - before); break;
    case Kind::kCompareSwap:
      if (before == static_cast<T>(what.expected.low)) *word = operand;
      break;
    case Kind::kFence: break;
  }
  return before;
}

void on_pair(Operation& what) {
  auto* const word = static_cast<std::uint64_t*>(what.word);
  what.before = {word[0], word[1]};
  if (what.before.low == what.expected.low && what.before.high == what.expected.high) {
    word[0] = what.operand.low;
    word[1] = what.operand.high;
  }
}

// As a compiler's code for other things may: it has the vectors for itself.
void use_vectors() {
  asm volatile("pcmpeqb %%xmm0, %%xmm0; movdqa %%xmm0, %%xmm1; movdqa %%xmm0, %%xmm7; movdqa %%xmm0, %%xmm15" ::
                   : "xmm0", "xmm1", "xmm7", "xmm15");
}

std::atomic_flag g_lock = ATOMIC_FLAG_INIT;

bool carry(Operation& what) noexcept {
  use_vectors();
  errno = ENOTTY;
  if (what.kind == Kind::kFence) {
    g_fences.fetch_add(1);
    return true;
  }
  if (!g_carries.load()) {
    return false;
  }
  while (g_lock.test_and_set(std::memory_order_acquire)) {
    std::this_thread::yield();
  }
  switch (what.size) {
    case 1: what.before.low = on<std::uint8_t>(what); break;
    case 2: what.before.low = on<std::uint16_t>(what); break;
    case 4: what.before.low = on<std::uint32_t>(what); break;
    case 8: what.before.low = on<std::uint64_t>(what); break;
    default: on_pair(what);
  }
  g_lock.clear(std::memory_order_release);
  g_carried.fetch_add(1);
  return true;
}

// ---- Memory that is watched, and memory that is not.

struct Words {
  alignas(64) unsigned char bytes[256];
};
Words g_watched;
Words g_own;

weft::omp::rewrite::Rewritten g_rewritten;

class Environment : public testing::Environment {
 public:
  void SetUp() override {
    using namespace weft::omp::rewrite;
    const auto done = rewrite(
        {.decode = weft::omp::decode::decode, .carry = carry, .stays = [](std::string_view) noexcept { return true; }});
    ASSERT_TRUE(done) << done.error().text();
    g_rewritten = *done;
    const auto from = reinterpret_cast<std::uintptr_t>(&g_watched);
    ASSERT_TRUE(watch(from, from + sizeof g_watched));
  }
};
// Not a test's, as each would rewrite what is rewritten.
const testing::Environment* const g_environment = testing::AddGlobalTestEnvironment(new Environment);

std::uint64_t thread_base() {
  std::uint64_t base = 0;
  asm("mov %%fs:0, %0" : "=r"(base));
  return base;
}

// Registers with which the form is about the word at `target`.
State choose(const Form& form, std::uint64_t target, std::mt19937_64& random) {
  State state;
  for (auto& each : state.general) {
    each = random();
  }
  state.flags = (random() & 0x8d5) | 0x202;
  const auto displacement = static_cast<std::uint64_t>(form.displacement);
  const std::uint64_t relative = target - displacement - (form.by_fs ? thread_base() : 0);
  if (form.index >= 0) {
    state.general[form.index] = form.base >= 0 ? random() % 8 : relative / form.scale;
  }
  if (form.base >= 0) {
    state.general[form.base] = relative - (form.index >= 0 ? state.general[form.index] * form.scale : 0);
  }
  if (form.bits >= 0) {
    const unsigned bits = form.size * 8;
    const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    const std::uint64_t number = random() % (6 * bits) - 3 * bits;
    auto& whole = state.general[form.bits];
    whole = (whole & ~mask) | (number & mask);
  }
  if (random() % 2 == 0) {  // a comparison that succeeds
    std::memcpy(&state.general[0], reinterpret_cast<void*>(target), form.size < 8 ? form.size : 8);
    if (form.size == 16) {
      std::memcpy(&state.general[2], reinterpret_cast<void*>(target + 8), 8);
    } else if (form.size == 8) {
      std::memcpy(&state.general[2], reinterpret_cast<void*>(target + 4), 4);
    }
  }
  return state;
}

void compare(const Form& form, unsigned char* words, std::mt19937_64& random) {
  for (std::size_t k = 0; k < sizeof(Words); ++k) {
    words[k] = static_cast<unsigned char>(random());
  }
  const bool is_relative = form.base < 0 && form.index < 0;
  unsigned char* const target = words + (is_relative ? 64 : 64 + random() % 8 * 16);
  const State in = choose(form, reinterpret_cast<std::uint64_t>(target), random);
  Words kept;
  std::memcpy(kept.bytes, words, sizeof kept);
  const State wanted = run(form.original, in);
  Words wanted_words;
  std::memcpy(wanted_words.bytes, words, sizeof kept);
  std::memcpy(words, kept.bytes, sizeof kept);
  errno = EDOM;
  const State got = run(form.rewritten, in);
  ASSERT_EQ(errno, EDOM);
  for (int k = 0; k < 16; ++k) {
    ASSERT_EQ(got.general[k], wanted.general[k]) << form.text << ": register " << k;
  }
  ASSERT_EQ(got.flags, wanted.flags) << form.text;
  ASSERT_EQ(std::memcmp(words, wanted_words.bytes, sizeof kept), 0) << form.text << ": memory";
}

bool is_rip_relative(const Form& form) { return form.base < 0 && form.index < 0; }

void compare_all(unsigned char* words, bool carried) {
  std::mt19937_64 random(4711);
  for (int k = 0; k < weft::test::kNumberOfForms; ++k) {
    const Form& form = weft::test::kForms[k];
    const int before = g_carried.load();
    constexpr int kTimes = 100;
    for (int time = 0; time < kTimes; ++time) {
      compare(form, is_rip_relative(form) ? weft_test_words : words, random);
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
    if (!is_rip_relative(form)) {
      // Loops come to their place more than once.
      ASSERT_GE(g_carried.load() - before, carried ? kTimes : 0) << form.text;
      ASSERT_TRUE(carried || g_carried.load() == before) << form.text;
    }
  }
}

TEST(Rewrite, EachFormOnWatchedMemoryIsAsTheProcessorDoesIt) {
  g_carries = true;
  compare_all(g_watched.bytes, true);
}
TEST(Rewrite, EachFormOnOtherMemoryIsTheProcessors) {
  g_carries = true;
  compare_all(g_own.bytes, false);
}
TEST(Rewrite, WhatIsRefusedIsTheProcessors) {
  g_carries = false;
  compare_all(g_watched.bytes, false);
  g_carries = true;
}

// This one is the last about weft_test_words on memory of its own.
TEST(Rewrite, WordsByTheirDistanceAreFound) {
  const auto from = reinterpret_cast<std::uintptr_t>(weft_test_words);
  ASSERT_TRUE(weft::omp::rewrite::watch(from, from + sizeof weft_test_words));
  const int before = g_carried.load();
  compare_all(g_watched.bytes, true);
  EXPECT_GT(g_carried.load(), before);
}

TEST(Rewrite, ShortOnesTakeWhatFollowsAlong) {
  EXPECT_GT(g_rewritten.jumps, 100);
  // Those that a jump comes back to right behind.
  EXPECT_GT(g_rewritten.traps, 0);
  EXPECT_LT(g_rewritten.traps, g_rewritten.jumps);
}

// ---- Code of compilers, by several threads.

#define X(name) extern "C" void name(counts* all, int times);
#include "copies.inc"
#undef X
struct Copy {
  const char* name;
  void (*count)(counts* all, int times);
};
#define X(name) Copy{#name, name},
const Copy kCopies[] = {
#include "copies.inc"
};
#undef X

TEST(Rewrite, CodeOfCompilersCountsRight) {
  static_assert(sizeof(counts) <= sizeof(Words));
  constexpr int kThreads = 3;
  constexpr int kTimes = 500;
  for (const Copy& copy : kCopies) {
    auto* const all = new (&g_watched) counts{};
    const int before = g_carried.load();
    const int fences = g_fences.load();
    std::vector<std::thread> threads;
    for (int k = 0; k < kThreads; ++k) {
      threads.emplace_back(copy.count, all, kTimes);
    }
    for (auto& each : threads) {
      each.join();
    }
    constexpr int kAll = kThreads * kTimes;
    EXPECT_EQ(all->wide, 3 * kAll) << copy.name;
    EXPECT_EQ(all->word, kAll) << copy.name;
    EXPECT_EQ(all->half, static_cast<short>(kAll)) << copy.name;
    EXPECT_EQ(all->byte, static_cast<unsigned char>(-kAll)) << copy.name;
    EXPECT_EQ(all->compared, 2 * kAll) << copy.name;
    EXPECT_EQ(all->compared_word, kAll) << copy.name;
    EXPECT_EQ(std::bit_cast<double>(all->real), 0.5 * kAll) << copy.name;
    EXPECT_EQ(all->protected_word, kAll) << copy.name;
    EXPECT_EQ(all->bits, 255u) << copy.name;
    EXPECT_EQ(all->wrong, 0) << copy.name;
    // Each time eight words, the lock, and a fence at least.
    EXPECT_GE(g_carried.load() - before, 9 * kAll) << copy.name;
    EXPECT_GE(g_fences.load() - fences, kAll) << copy.name;
  }
}

// ---- What is the program's beside registers and flags.

// What lies below the stack pointer is a function's own, in one with a jump and in one with a trap.
extern "C" std::uint64_t weft_test_red_zone_jump(int* word) noexcept;
extern "C" std::uint64_t weft_test_red_zone_trap(int* word) noexcept;
#define WEFT_RED_ZONE(name, behind)                                  \
  asm(".text\n.type " #name ", @function\n" #name                    \
      ":\n.cfi_startproc\n"                                          \
      ".irp k, 8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128\n" \
      "movq $\\k, -\\k(%rsp)\n.endr\n"                               \
      "lock addl $1, (%rdi)\n" behind                                \
      "xor %eax, %eax\n"                                             \
      ".irp k, 8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128\n" \
      "add -\\k(%rsp), %rax\n.endr\nret\n.cfi_endproc\n.size " #name ", . - " #name "\n")
WEFT_RED_ZONE(weft_test_red_zone_jump, "");
WEFT_RED_ZONE(weft_test_red_zone_trap, "lea weft_test_words(%rip), %rcx\n");

TEST(Rewrite, TheRedZoneStays) {
  auto* const word = new (&g_watched) int(0);
  constexpr std::uint64_t kSum = 8 * 16 * 17 / 2;
  EXPECT_EQ(weft_test_red_zone_jump(word), kSum);
  EXPECT_EQ(weft_test_red_zone_trap(word), kSum);
  EXPECT_EQ(*word, 2);
}

extern "C" [[gnu::used]] void weft_test_plain_add(int* word) noexcept;
asm(".text\n.type weft_test_plain_add, @function\nweft_test_plain_add:\n.cfi_startproc\n"
    "lock addl $1, (%rdi)\nret\n.cfi_endproc\n.size weft_test_plain_add, . - weft_test_plain_add\n");

struct Vectors {
  alignas(32) unsigned char bytes[4][32];
};

[[gnu::target("avx")]] Vectors through_a_place(const Vectors& in, int* word) {
  Vectors out;
  asm volatile(
      "lea -256(%%rsp), %%rsp\n\t"
      "vmovdqu (%[in]), %%ymm0\n\tvmovdqu 32(%[in]), %%ymm1\n\tvmovdqu 64(%[in]), %%ymm7\n\t"
      "vmovdqu 96(%[in]), %%ymm15\n\t"
      "call weft_test_plain_add\n\t"
      "vmovdqu %%ymm0, (%[out])\n\tvmovdqu %%ymm1, 32(%[out])\n\tvmovdqu %%ymm7, 64(%[out])\n\t"
      "vmovdqu %%ymm15, 96(%[out])\n\tlea 256(%%rsp), %%rsp"
      :
      : [in] "r"(&in), [out] "r"(&out), "D"(word)
      : "xmm0", "xmm1", "xmm7", "xmm15", "memory", "cc");
  return out;
}

TEST(Rewrite, VectorsStay) {
  if (__builtin_cpu_supports("avx") == 0) {
    GTEST_SKIP() << "this processor has none of 32 bytes";
  }
  auto* const word = new (&g_watched) int(0);
  Vectors in;
  for (int k = 0; k < 4; ++k) {
    for (int b = 0; b < 32; ++b) {
      in.bytes[k][b] = static_cast<unsigned char>(k * 32 + b + 1);
    }
  }
  const Vectors out = through_a_place(in, word);
  EXPECT_EQ(std::memcmp(in.bytes, out.bytes, sizeof in.bytes), 0);
  EXPECT_EQ(*word, 1);
}

}  // namespace

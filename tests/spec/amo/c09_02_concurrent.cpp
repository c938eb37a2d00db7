// Point 9.2: AMOs of one type are atomic against each other when all PEs work on the same word at the same time: no
// count is lost, tickets are unique, swapped tokens are conserved, compare_swap loops add up, bits are set once.
#include "amo_ops.hpp"
#include "together.h"

using namespace spec;

namespace {

constexpr int kRounds = 60;
// Bare operations in a tight loop: PEs must really meet on the word, also where they take turns on few processors.
// Each takes so long over a network that they meet all the time.
int hammer_rounds() { return check_team_of_all() == SHMEM_TEAM_SHARED ? 20000 : 500; }

// Words on one PE that all PEs work on.
struct Shared {
  alignas(16) unsigned char word[8][16];
  unsigned char taken[kSpecMaxPes * kRounds];
  template <class T>
  T* as(int i) {
    return reinterpret_cast<T*>(word[i]);
  }
};
Shared g_static_shared;

// All six ways to count, at once: inc, add, fetch_inc, fetch_add, compare_swap and the nbi forms.
template <class Ops, class Form>
void count_together(Shared* shared, int pe, Form form) {
  using T = typename Ops::T;
  T fetched[2];
  T* const sum = shared->as<T>(0);
  T* const loop = shared->as<T>(1);
  for (int i = 0; i < kRounds; ++i) {
    Ops::inc(form, sum, pe);
    Ops::add(form, sum, static_cast<T>(1000), pe);
    (void)Ops::fetch_add(form, sum, static_cast<T>(1000000), pe);
    Ops::fetch_add_nbi(form, &fetched[0], sum, static_cast<T>(-1000), pe);
    Ops::fetch_inc_nbi(form, &fetched[1], sum, pe);
    const T ticket = Ops::fetch_inc(form, shared->as<T>(2), pe);
    shmem_uchar_p(&shared->taken[static_cast<std::size_t>(ticket) % sizeof shared->taken], 1, pe);
    T old = Ops::fetch(form, loop, pe);
    for (;;) {
      const T seen = Ops::compare_swap(form, loop, old, static_cast<T>(old + 3), pe);
      if (seen == old) break;
      old = seen;
    }
  }
  complete(form);
  shmem_quiet();
}

template <class Ops, class Form>
void hammer(Shared* shared, int pe, Form form) {
  using T = typename Ops::T;
  T* const sum = shared->as<T>(6);
  T old = Ops::fetch(form, shared->as<T>(7), pe);
  const int rounds = hammer_rounds();
  check_start_together();
  for (int i = 0; i < rounds; ++i) {
    Ops::inc(form, sum, pe);
    (void)Ops::fetch_add(form, sum, T{2}, pe);
    const T seen = Ops::compare_swap(form, shared->as<T>(7), old, static_cast<T>(old + 1), pe);
    if (seen == old) Ops::add(form, sum, T{4}, pe);  // as many of these as the other word has steps
    old = seen;
  }
  complete(form);
}

template <class Ops>
void check_counts(Shared* shared) {
  using T = typename Ops::T;
  const auto times = static_cast<T>(kRounds * check_n);
  CHECK(*shared->as<T>(0) == static_cast<T>(times * static_cast<T>(1000002)), "%s: the sum", Ops::kName);
  CHECK(*shared->as<T>(1) == static_cast<T>(times * 3), "%s: the compare_swap loops", Ops::kName);
  CHECK(*shared->as<T>(2) == times, "%s: the ticket counter", Ops::kName);
  const auto hammered = static_cast<T>(static_cast<T>(hammer_rounds() * check_n) * 3 + *shared->as<T>(7) * 4);
  CHECK(*shared->as<T>(6) == hammered, "%s: the hammered sum", Ops::kName);
  int taken = 0;
  for (int i = 0; i < kRounds * check_n; ++i) taken += shared->taken[i];
  CHECK_EQ(taken, kRounds * check_n, "%s: different tickets", Ops::kName);
}

// Tokens 1..n: every PE puts its own in, and swaps until the end; together they still hold all tokens.
template <class Ops, class Form>
typename Ops::T swap_together(Shared* shared, int pe, Form form) {
  using T = typename Ops::T;
  T token = static_cast<T>(check_me + 1);
  for (int i = 0; i < kRounds; ++i) token = Ops::swap(form, shared->as<T>(3), token, pe);
  T later = T{};
  Ops::swap_nbi(form, &later, shared->as<T>(3), token, pe);
  complete(form);
  return later;
}

template <class Ops, class Form>
void bits_together(Shared* shared, int pe, Form form) {
  using T = typename Ops::T;
  const T mine = static_cast<T>(T{1} << check_me);
  T unused[3];
  for (int i = 0; i < kRounds; ++i) {
    Ops::bit_or(form, shared->as<T>(4), mine, pe);
    const T before = Ops::fetch_and(form, shared->as<T>(4), static_cast<T>(~mine), pe);
    CHECK((before & mine) == mine, "%s: a bit that was set got lost", Ops::kName);
    CHECK((Ops::fetch_or(form, shared->as<T>(4), mine, pe) & mine) == 0, "%s: a cleared bit came back", Ops::kName);
    Ops::bit_and(form, shared->as<T>(4), static_cast<T>(~mine), pe);
    complete(form);
    Ops::fetch_or_nbi(form, &unused[0], shared->as<T>(4), mine, pe);
    Ops::fetch_xor_nbi(form, &unused[1], shared->as<T>(5), mine, pe);
    Ops::bit_xor(form, shared->as<T>(5), mine, pe);
    (void)Ops::fetch_xor(form, shared->as<T>(5), mine, pe);
    complete(form);
  }
}

// Sums over all PEs with what is at hand: an AMO on PE 0.
long g_sum;

template <class Round>
void on_all_words(Round&& round) {
  auto* const heap = static_cast<Shared*>(shmem_align(64, sizeof(Shared)));
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  REQUIRE(heap != nullptr && shmem_ctx_create(0, &ctx) == 0, "cannot set up");
  round(heap, check_n - 1, Plain{});
  round(&g_static_shared, 0, ctx);
  shmem_ctx_destroy(ctx);
  shmem_free(heap);
}

void fresh(Shared* shared) {
  shmem_barrier_all();
  std::memset(static_cast<void*>(shared), 0, sizeof *shared);
  g_sum = 0;
  shmem_barrier_all();
}

}  // namespace

int main() {
  check_begin();
  REQUIRE(check_n <= kSpecMaxPes, "too many PEs");
  on_all_words([](Shared* shared, int pe, auto form) {
    for_all_standard([&](auto ops) {
      STEP("counting");
      fresh(shared);
      count_together<decltype(ops)>(shared, pe, form);
      hammer<decltype(ops)>(shared, pe, form);
      shmem_barrier_all();
      if (check_me == pe) check_counts<decltype(ops)>(shared);
    });
    for_all_extended([&](auto ops) {
      STEP("swapping");
      using T = typename decltype(ops)::T;
      fresh(shared);
      const T token = swap_together<decltype(ops)>(shared, pe, form);
      shmem_long_atomic_add(&g_sum, static_cast<long>(token), 0);
      shmem_barrier_all();
      const long left = static_cast<long>(decltype(ops)::fetch(form, shared->as<T>(3), pe));
      CHECK_EQ(shmem_long_g(&g_sum, 0) + left, check_n * (check_n + 1L) / 2, "%s: tokens", decltype(ops)::kName);
    });
    for_all_bitwise([&](auto ops) {
      STEP("bits");
      using T = typename decltype(ops)::T;
      fresh(shared);
      bits_together<decltype(ops)>(shared, pe, form);
      shmem_barrier_all();
      const T all = static_cast<T>((T{1} << check_n) - 1);
      CHECK(decltype(ops)::fetch(form, shared->as<T>(4), pe) == all, "%s: or and and", decltype(ops)::kName);
      const T odd = kRounds * 3 % 2 ? all : T{};
      CHECK(decltype(ops)::fetch(form, shared->as<T>(5), pe) == odd, "%s: xor", decltype(ops)::kName);
    });
  });
  shmem_barrier_all();
  return check_end();
}

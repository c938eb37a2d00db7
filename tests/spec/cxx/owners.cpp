// What owns something in <weft/shmem.hpp>: the runtime, symmetric memory, contexts; locks and views besides.
#include "elements.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>
#if __cplusplus >= 202002L
#include <array>
#include <ranges>
#include <span>
#include <vector>
#endif

namespace {

bool initialised() {
  int is = -1;
  shmem_query_initialized(&is);
  return is != 0;
}

void runtimes() {
  CHECK(!initialised(), "before the first runtime");
  {
    shmem::runtime outer;
    CHECK(initialised() && outer, "a runtime");
    {
      const shmem::runtime inner{shmem::thread_level::multiple};
      CHECK(inner && inner.provided() >= outer.provided(), "a runtime inside another");
    }
    CHECK(initialised(), "the outer one still lives");
    CHECK_EQ(shmem::my_pe(), shmem_my_pe(), "my_pe");
    CHECK_EQ(shmem::n_pes(), shmem_n_pes(), "n_pes");
    shmem::sync_all();
  }
  CHECK(!initialised(), "after the last runtime");
}

// All bytes 0 on every PE before any PE puts something; contents follow a move; ending gives the memory back.
template <class T>
void arrays() {
  const int to = check_right(1);
  for (int round = 0; round < 3; ++round) {
    shmem::symmetric<T> a(13);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % alignof(T) == 0, "aligned to %zu", alignof(T));
    shmem::p(a.data(), cxx::value<T>(check_me, 1), to);  // may come before that PE looks at the others
    unsigned char zeros[sizeof(T)] = {};
    for (std::size_t i = 1; i < a.size(); ++i)
      CHECK(std::memcmp(&a[i], zeros, sizeof(T)) == 0, "element %zu is not 0", i);
    shmem::barrier_all();
    CHECK(cxx::same(a[0], cxx::value<T>(check_right(-1), 1)), "what came first is kept");

    shmem::symmetric<T> b{std::move(a)};
    CHECK(a.empty() && a.data() == nullptr && b.size() == 13, "moved");
    shmem::symmetric<T> c(2);
    c = std::move(b);
    CHECK(b.empty() && c.size() == 13, "move-assigned: %zu", c.size());
    CHECK(c.end() - c.begin() == 13 && std::as_const(c).begin() == c.data(), "a range");
    const auto there = c.on(to);
    CHECK(there && there.size() == 13, "a view of the next PE");
    CHECK(cxx::same(there[0], cxx::value<T>(check_me, 1)), "which sees what was put there");
    CHECK(there.begin() == shmem::ptr(c.data(), to), "at the address of ptr");
    shmem::barrier_all();
  }
}

void memory_comes_back() {
  void* const before = shmem_malloc(64);
  shmem_free(before);
  for (int i = 0; i < 200; ++i) shmem::symmetric<char> big(1 << 22);
  void* const after = shmem_malloc(64);
  CHECK(before == after, "the heap is as it was");
  shmem_free(after);
  // Too much on every PE: all of them get the exception and go on together.
  bool refused = false;
  try {
    shmem::symmetric<long> all(SIZE_MAX / 16);
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  CHECK(refused, "more than the heap");
  shmem::symmetric<long> none;
  CHECK(none.empty() && !none.on(0), "nothing is nowhere");
  shmem::symmetric<long> zero(0);
  CHECK(zero.data() == nullptr, "no elements, no memory");
}

void objects() {
  shmem::symmetric_object<cxx::Pair> pair;
  pair->x = 0.5;
  shmem::barrier_all();
  shmem::p(&pair->i, 7 + check_me, check_right(1));
  shmem::barrier_all();
  CHECK((*pair).i == 7 + check_right(-1) && pair->x == 0.5, "a member was put");
  CHECK(pair.on(check_right(1))->i == 7 + check_me, "a member seen by loads");
  shmem::barrier_all();
}

void contexts() {
  static long word;
  shmem::context a;
  REQUIRE(static_cast<bool>(a), "a context");
  CHECK(a.of_team() == shmem::team::world(), "its team");
  shmem::context b{std::move(a)};
  CHECK(!a && b && a.of_team() != shmem::team::world(), "moved");
  shmem::atomic_add(b, &word, 1, check_right(1));
  a = std::move(b);
  a.fence();
  shmem::fence(a);
  shmem::fence();
  a.quiet();
  const int pes[] = {check_right(1)};
  shmem::pe_quiet(a, pes, 1);
  shmem::pe_quiet(pes, 1);
  shmem::barrier_all();
  CHECK_EQ(word, 1, "through a context that was moved twice");
  const shmem::context shared{shmem::team::shared(), SHMEM_CTX_SERIALIZED};
  CHECK(shared && shared.of_team() == shmem::team::shared(), "a context of a team");
  const shmem::context none{shmem::team{}};
  CHECK(!none && !shmem::team{}, "no team, no context");
  shmem::context given;
  shmem_ctx_destroy(given.release());
  CHECK(!given, "given away");
}

void locks() {
  static long word, counter;
  shmem::mutex mutex{&word};
  shmem::barrier_all();
  for (int i = 0; i < 20; ++i) {
    const std::lock_guard<shmem::mutex> held{mutex};
    shmem::p(&counter, shmem::g(&counter, 0) + 1, 0);
  }
  shmem::barrier_all();
  CHECK_EQ(shmem::g(&counter, 0), 20L * check_n, "increments under the lock");
  shmem::barrier_all();
  if (check_me == 0) {
    CHECK(mutex.try_lock(), "a free lock");
    CHECK(!mutex.try_lock(), "a lock that is taken");
    mutex.unlock();
  }
  shmem::barrier_all();
}

#if __cplusplus >= 202002L
void spans() {
  static_assert(std::ranges::contiguous_range<shmem::symmetric<int>> && std::ranges::sized_range<shmem::view<int>>);
  const int to = check_right(1), before = check_right(-1);
  shmem::symmetric<int> box(8);
  std::vector<int> mine(5);
  std::iota(mine.begin(), mine.end(), check_me * 10);
  static std::uint64_t signal;
  cxx::for_each_context([&](const auto&... ctx) {
    std::fill(box.begin(), box.end(), -1);
    shmem::barrier_all();
    shmem::put(ctx..., &box[1], mine, to);
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    CHECK(box[0] == -1 && box[1] == before * 10 && box[5] == before * 10 + 4 && box[6] == -1, "put of a vector");
    std::array<int, 5> got{};
    shmem::get(ctx..., got, &box[1], to);
    CHECK(std::ranges::equal(got, mine), "get into an array");
    got.fill(0);
    shmem::get_nbi(ctx..., std::span{got}.first(2), &box[1], to);
    (shmem::quiet(ctx), ...);
    shmem::quiet();
    CHECK(got[1] == mine[1] && got[2] == 0, "get_nbi into part of an array");
    shmem::barrier_all();
    shmem::put_nbi(ctx..., box.data(), std::span<const int>{mine}.last(2), to);
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    CHECK(box[0] == before * 10 + 3 && box[1] == before * 10 + 4, "put_nbi of a span");
    signal = 0;
    shmem::barrier_all();
    shmem::put_signal(ctx..., &box[3], mine, &signal, 1, shmem::signal_op::add, to);
    shmem::signal_wait_until(&signal, shmem::cmp::ge, 1);  // the next one may be here already
    CHECK(box[3] == before * 10 && box[7] == before * 10 + 4, "put_signal of a vector");
    shmem::put_signal_nbi(ctx..., box.data(), std::span<const int>{mine}.first(1), &signal, 3, shmem::signal_op::set,
                          to);
    shmem::signal_wait_until(&signal, shmem::cmp::eq, 3);
    CHECK(box[0] == before * 10, "put_signal_nbi of a span");
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
  });
}
#endif

}  // namespace

int main() {
  check_watch();
  STEP("runtimes");
  runtimes();
  const shmem::runtime library;
  check_identify();
  cxx::for_each_type(cxx::List<char, long, long double>{}, [](auto sample) { arrays<decltype(sample)>(); });
  cxx::for_each_type(cxx::Others{}, [](auto sample) { arrays<decltype(sample)>(); });
  STEP("memory_comes_back");
  memory_comes_back();
  STEP("objects");
  objects();
  STEP("contexts");
  contexts();
  STEP("locks");
  locks();
#if __cplusplus >= 202002L
  STEP("spans");
  spans();
#endif
  shmem::barrier_all();
  if (check_failures != 0) check_give_up();
  return 0;
}

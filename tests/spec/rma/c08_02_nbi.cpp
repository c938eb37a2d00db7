// Point 8.2: put_nbi and get_nbi of every type name, size and the mem forms. Sources stay untouched until quiet, then
// every target is complete; many operations are pending at once. Heap and static; to self, next, and all to the last.
#include "rma_ops.hpp"

using namespace spec;

namespace {

unsigned char g_private[2][kPartBytes];

template <class Form>
void put_all(const Place& place, int to, Form form) {
  Walker walk(place.part(check_me), kPartBytes);
  Walker mine(g_private[0], kPartBytes);
  int type = 0;
  for_all_rma([&](auto ops) {
    using Ops = decltype(ops);
    using T = typename Ops::T;
    const std::uint64_t seed = seed_of(check_me, to, ++type);
    for (const std::size_t n : kCounts) {
      T* const source = mine.take<T>(n);
      for (std::size_t i = 0; i < n; ++i) source[i] = value_of<T>(seed, i);
      Ops::put_nbi(form, walk.take<T>(n), source, n, to);
    }
  });
}

void check_puts(const Place& place, Peer kind, int from) {
  Walker walk(place.part(from), kPartBytes);
  int type = 0;
  for_all_rma([&](auto ops) {
    using T = typename decltype(ops)::T;
    const std::uint64_t seed = seed_of(from, check_me, ++type);
    char where[64];
    std::snprintf(where, sizeof where, "put_nbi from PE %d, %s, %s", from, place.name, name_of(kind));
    for (const std::size_t n : kCounts) expect(walk.take<T>(n), seed, n, decltype(ops)::kName, where);
  });
}

template <class Form>
void round_of_puts(const Place& place, Peer kind, Form form) {
  place.clear();
  shmem_barrier_all();
  put_all(place, peer_of(kind, check_me), form);
  complete(form);
  std::memset(g_private[0], 0, kPartBytes);  // quiet has returned: the sources are ours again
  shmem_sync_all();
  for (int from = 0; from < check_n; ++from)
    if (peer_of(kind, from) == check_me) check_puts(place, kind, from);
  shmem_barrier_all();
}

template <class Form>
void get_all(const Place& place, int from, Form form) {
  Walker walk(place.part(0), kPartBytes);
  Walker mine(g_private[1], kPartBytes);
  for_all_rma([&](auto ops) {
    using T = typename decltype(ops)::T;
    for (const std::size_t n : kCounts) {
      T* const dest = mine.take<T>(n);
      decltype(ops)::get_nbi(form, dest, walk.take<T>(n), n, from);
    }
  });
}

// Fills (own data) or checks (data got from PE `from`) with one walk.
void visit_data(unsigned char* base, bool fill, int from, const char* where) {
  Walker walk(base, kPartBytes);
  int type = 0;
  for_all_rma([&](auto ops) {
    using T = typename decltype(ops)::T;
    ++type;
    for (const std::size_t n : kCounts) {
      T* const data = walk.take<T>(n);
      const std::uint64_t seed = seed_of(from, static_cast<int>(n), type);
      if (!fill)
        expect(data, seed, n, decltype(ops)::kName, where);
      else
        for (std::size_t i = 0; i < n; ++i) data[i] = value_of<T>(seed, i);
    }
  });
}

template <class Form>
void round_of_gets(const Place& place, Peer kind, Form form) {
  visit_data(place.part(0), true, check_me, "");
  std::memset(g_private[1], kGuard, kPartBytes);
  shmem_barrier_all();
  get_all(place, peer_of(kind, check_me), form);
  complete(form);
  char where[64];
  std::snprintf(where, sizeof where, "get_nbi, %s, %s", place.name, name_of(kind));
  visit_data(g_private[1], false, peer_of(kind, check_me), where);
  shmem_barrier_all();
}

}  // namespace

int main() {
  check_begin();
  STEP("put_nbi");
  for_all_rounds([](const Place& place, Peer kind, auto form) { round_of_puts(place, kind, form); });
  STEP("get_nbi");
  for_all_rounds([](const Place& place, Peer kind, auto form) { round_of_gets(place, kind, form); });
  return check_end();
}

// Point 8.1: put, get, p and g of every type name, size and the mem forms; data lands where it belongs, in full, and
// nowhere else. Heap and static targets; to the caller, to the next PE, and from all PEs to the last one.
#include "rma_ops.hpp"

using namespace spec;

namespace {

template <class Form>
void put_all(const Place& place, int to, Form form) {
  Walker walk(place.part(check_me), kPartBytes);
  int type = 0;
  for_all_rma([&](auto ops) {
    using Ops = decltype(ops);
    using T = typename Ops::T;
    const std::uint64_t seed = seed_of(check_me, to, ++type);
    for (const std::size_t n : kCounts) {
      T* const target = walk.take<T>(n);
      Private<T> source(n, seed);
      Ops::put(form, target, source, n, to);
      for (std::size_t i = 0; i < n; ++i) source[i] = T{};  // put has returned: the source is ours again
    }
    if constexpr (Ops::kHasSingle) Ops::p(form, walk.take<T>(1), value_of<T>(seed, 0), to);
  });
}

void check_puts(const Place& place, Peer kind, int from) {
  Walker walk(place.part(from), kPartBytes);
  int type = 0;
  for_all_rma([&](auto ops) {
    using Ops = decltype(ops);
    using T = typename Ops::T;
    const std::uint64_t seed = seed_of(from, check_me, ++type);
    char where[64];
    std::snprintf(where, sizeof where, "put from PE %d, %s, %s", from, place.name, name_of(kind));
    for (const std::size_t n : kCounts) expect(walk.take<T>(n), seed, n, Ops::kName, where);
    if constexpr (Ops::kHasSingle) expect(walk.take<T>(1), seed, 1, Ops::kName, where);
  });
}

// The data to be read from PE `check_me` by everybody.
void fill_for_get(const Place& place) {
  Walker walk(place.part(0), kPartBytes);
  int type = 0;
  for_all_rma([&](auto ops) {
    using T = typename decltype(ops)::T;
    const std::size_t n = kCounts[4];
    T* const data = walk.take<T>(n);
    ++type;
    for (std::size_t i = 0; i < n; ++i) data[i] = value_of<T>(seed_of(check_me, 0, type), i);
  });
}

template <class Form>
void get_all(const Place& place, int from, Form form, const char* where) {
  static unsigned char bytes[8 * 1024];
  Walker walk(place.part(0), kPartBytes);
  int type = 0;
  for_all_rma([&](auto ops) {
    using Ops = decltype(ops);
    using T = typename Ops::T;
    const T* const data = walk.take<T>(kCounts[4]);
    const std::uint64_t seed = seed_of(from, 0, ++type);
    std::memset(bytes, kGuard, sizeof bytes);
    Walker mine(bytes, sizeof bytes);
    for (const std::size_t n : kCounts) {
      T* const dest = mine.take<T>(n);
      Ops::get(form, dest, data, n, from);
      expect(dest, seed, n, Ops::kName, where);
    }
    if constexpr (Ops::kHasSingle)
      for (std::size_t i = 0; i < 3; ++i)
        CHECK(Ops::g(form, data + i, from) == value_of<T>(seed, i), "%s, g, %s: element %zu", Ops::kName, where, i);
  });
}

template <class Form>
void round_of_puts(const Place& place, Peer kind, Form form) {
  place.clear();
  shmem_barrier_all();
  put_all(place, peer_of(kind, check_me), form);
  complete(form);
  shmem_barrier_all();
  for (int from = 0; from < check_n; ++from)
    if (peer_of(kind, from) == check_me) check_puts(place, kind, from);
  shmem_barrier_all();
}

template <class Form>
void round_of_gets(const Place& place, Peer kind, Form form) {
  fill_for_get(place);
  shmem_barrier_all();
  char where[64];
  std::snprintf(where, sizeof where, "get, %s, %s", place.name, name_of(kind));
  get_all(place, peer_of(kind, check_me), form, where);
  shmem_barrier_all();
}

}  // namespace

int main() {
  check_begin();
  STEP("put and p");
  for_all_rounds([](const Place& place, Peer kind, auto form) { round_of_puts(place, kind, form); });
  STEP("get and g");
  for_all_rounds([](const Place& place, Peer kind, auto form) { round_of_gets(place, kind, form); });
  return check_end();
}

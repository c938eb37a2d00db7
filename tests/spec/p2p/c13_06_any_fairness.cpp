// Point 13.6 [N]: when entry i stays satisfied, repeated calls of a *_any routine eventually return i. All entries stay
// satisfied, or some do behind a status mask, or all but one come and go; no entry may starve. How soon is free: the
// bound is far above any sensible scheme and still ends.
#include "p2p_ops.hpp"

using namespace spec;

namespace {

constexpr std::size_t kCount = 13;
constexpr int kMostCalls = 20000;

enum class Way { wait_any, wait_any_vector, test_any, test_any_vector };
constexpr Way kWays[] = {Way::wait_any, Way::wait_any_vector, Way::test_any, Way::test_any_vector};
const char* name_of_way(Way way) {
  switch (way) {
    case Way::wait_any: return "wait_until_any";
    case Way::wait_any_vector: return "wait_until_any_vector";
    case Way::test_any: return "test_any";
    default: return "test_any_vector";
  }
}

template <class Ops>
std::size_t any(Way way, typename Ops::T* v, std::size_t n, const int* status, const typename Ops::T* values) {
  switch (way) {
    case Way::wait_any: return Ops::wait_until_any(v, n, status, SHMEM_CMP_EQ, values[0]);
    case Way::wait_any_vector: return Ops::wait_until_any_vector(v, n, status, SHMEM_CMP_EQ, values);
    case Way::test_any: return Ops::test_any(v, n, status, SHMEM_CMP_EQ, values[0]);
    default: return Ops::test_any_vector(v, n, status, SHMEM_CMP_EQ, values);
  }
}

// Calls until every entry of `wanted` came up; the rest must never come.
template <class Ops>
void until_all_came(Way way, typename Ops::T* v, std::size_t n, const int* status, const typename Ops::T* values,
                    std::uint64_t wanted, const char* what) {
  std::uint64_t seen = 0;
  for (int call = 0; call < kMostCalls && seen != wanted; ++call) {
    const std::size_t i = any<Ops>(way, v, n, status, values);
    CHECK(i < n && (wanted >> i & 1), "%s %s, %s: returned %zu", Ops::kName, name_of_way(way), what, i);
    if (i >= n) return;
    seen |= std::uint64_t{1} << i;
  }
  CHECK(seen == wanted, "%s %s, %s: of entries %llx only %llx were ever returned", Ops::kName, name_of_way(way), what,
        static_cast<unsigned long long>(wanted), static_cast<unsigned long long>(seen));
}

template <class Ops>
void all_stay(typename Ops::T* v, const typename Ops::T* values) {
  using T = typename Ops::T;
  static const int status[kCount] = {1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0};
  constexpr std::uint64_t kIncluded = 0b1010000100110;
  constexpr std::uint64_t kAll = (1u << kCount) - 1;
  for (const Way way : kWays) {
    for (std::size_t i = 0; i < kCount; ++i) v[i] = T{1};
    until_all_came<Ops>(way, v, kCount, nullptr, values, kAll, "all stay satisfied");
    until_all_came<Ops>(way, v, kCount, status, values, kIncluded, "some are excluded");
    until_all_came<Ops>(way, v + 3, 2, nullptr, values, 0b11, "a short array");
    v[2] = v[7] = v[12] = T{0};
    until_all_came<Ops>(way, v, kCount, nullptr, values, kAll & ~0b1000010000100u, "some are not satisfied");
  }
}

// A busy entry is satisfied again each time it was returned, as a server's queue is; entry `patient` stays satisfied
// all the time and must have its turn. Also with another array in between, which must not reset anybody's place.
template <class Ops>
void busy_neighbours(typename Ops::T* v, std::size_t n, const typename Ops::T* values) {
  using T = typename Ops::T;
  T* const other = v + 32;
  other[0] = other[1] = T{1};
  for (const Way way : kWays)
    for (const std::size_t patient : {std::size_t{0}, n / 2, n - 2, n - 1}) {
      for (std::size_t i = 0; i < n; ++i) v[i] = T{1};
      bool came = false;
      for (int call = 0; call < kMostCalls && !came; ++call) {
        const std::size_t i = any<Ops>(way, v, n, nullptr, values);
        came = i == patient;
        if (i < n && !came) {
          v[i] = T{0};  // served ...
          v[i] = T{1};  // ... and asked for again
        }
        (void)any<Ops>(way, other, 2, nullptr, values);
      }
      CHECK(came, "%s %s: entry %zu of %zu starved", Ops::kName, name_of_way(way), patient, n);
    }
}

// The neighbour keeps entry 0 satisfied with new values all the time; the others must still be served.
template <class Ops>
void remote(typename Ops::T* v) {
  using T = typename Ops::T;
  constexpr std::size_t kEntries = 4;
  std::uint64_t served = 0;
  for (std::size_t i = 0; i < kEntries; ++i) v[i] = T{0};
  shmem_sync_all();
  for (std::size_t i = 0; i < kEntries; ++i) Ops::set(v + i, static_cast<T>(1 + i), check_right(1));
  for (int call = 0; call < kMostCalls && served != 0b1111; ++call) {
    const std::size_t i = Ops::wait_until_any(v, kEntries, nullptr, SHMEM_CMP_NE, T{0});
    if (i < kEntries) served |= std::uint64_t{1} << i;
  }
  CHECK_EQ(served, 0b1111, "%s: entries served", Ops::kName);
  shmem_barrier_all();
}

}  // namespace

int main() {
  check_begin();
  on_heap_and_static([](unsigned char* words) {
    for_all_p2p([&](auto ops) {
      using Ops = decltype(ops);
      using T = typename Ops::T;
      T* const v = reinterpret_cast<T*>(words);
      T values[kCount];
      for (T& value : values) value = T{1};
      STEP("all stay satisfied");
      all_stay<Ops>(v, values);
      STEP("busy neighbours");
      busy_neighbours<Ops>(v, kCount, values);
      busy_neighbours<Ops>(v, 4, values);  // an even number: two users of one counter must not fall into step
      STEP("remote");
      remote<Ops>(v);
    });
  });
  return check_end();
}

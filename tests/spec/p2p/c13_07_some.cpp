// Point 13.7: *_some tests every element: all that are satisfied are among the first N indices, each once; nothing is
// written beyond N when N is the number of indices the caller looks at, and the array of nelems entries is never
// exceeded. The wait form returns at least one; collecting with a status mask ends with every element exactly once.
#include "p2p_ops.hpp"

using namespace spec;

namespace {

constexpr std::size_t kCount = 20;
constexpr std::size_t kMark = 0xDEAD;

struct Indices {
  std::size_t before = kMark;
  std::size_t at[kCount];
  std::size_t after = kMark;
};

template <class Ops>
std::size_t some(int way, typename Ops::T* v, Indices& out, const int* status, const typename Ops::T* values) {
  switch (way) {
    case 0: return Ops::test_some(v, kCount, out.at, status, SHMEM_CMP_EQ, values[0]);
    case 1: return Ops::test_some_vector(v, kCount, out.at, status, SHMEM_CMP_EQ, values);
    case 2: return Ops::wait_until_some(v, kCount, out.at, status, SHMEM_CMP_EQ, values[0]);
    default: return Ops::wait_until_some_vector(v, kCount, out.at, status, SHMEM_CMP_EQ, values);
  }
}

// Nobody else writes: exactly the satisfied ones must be reported, for many subsets.
template <class Ops>
void exact_sets(typename Ops::T* v, const typename Ops::T* values) {
  using T = typename Ops::T;
  for (int way = 0; way < 4; ++way)
    for (std::uint64_t pattern = 0; pattern < 24; ++pattern) {
      const std::uint64_t set = pattern == 0   ? 0
                                : pattern == 1 ? (1u << kCount) - 1
                                               : mix(pattern) & ((1u << kCount) - 1);
      if (set == 0 && way >= 2) continue;  // would wait for ever
      for (std::size_t i = 0; i < kCount; ++i) v[i] = set >> i & 1 ? T{1} : T{0};
      Indices out;
      const std::size_t n = some<Ops>(way, v, out, nullptr, values);
      CHECK(n <= kCount && same_set(out.at, n, set), "%s, way %d: %zu indices are not the set %llx", Ops::kName, way, n,
            static_cast<unsigned long long>(set));
      CHECK(out.before == kMark && out.after == kMark, "%s, way %d: wrote beside the indices", Ops::kName, way);
    }
}

// Elements arrive from the neighbour in any order; each is collected once, masked out, and none is missed.
template <class Ops>
void collect(typename Ops::T* v, const typename Ops::T* values, int way) {
  using T = typename Ops::T;
  int status[kCount] = {};
  std::size_t collected = 0;
  for (std::size_t i = 0; i < kCount; ++i) v[i] = T{0};
  shmem_sync_all();
  for (std::size_t i = 0; i < kCount; ++i) Ops::set(v + i * 7 % kCount, T{1}, check_right(1));
  while (collected < kCount) {
    Indices out;
    const std::size_t n = some<Ops>(way, v, out, status, values);
    CHECK(n <= kCount - collected && (way < 2 || n > 0), "%s, way %d: %zu more", Ops::kName, way, n);
    if (n > kCount) break;
    for (std::size_t k = 0; k < n; ++k) {
      CHECK(out.at[k] < kCount && status[out.at[k]] == 0, "%s: %zu came twice", Ops::kName, out.at[k]);
      if (out.at[k] < kCount) status[out.at[k]] = 1;
    }
    collected += n;
    if (n == 0) check_sleep_ms(0);
  }
  shmem_barrier_all();
}

}  // namespace

int main() {
  check_begin();
  on_heap_and_static([](unsigned char* words) {
    for_all_p2p([&](auto ops) {
      using T = typename decltype(ops)::T;
      T values[kCount];
      for (T& value : values) value = T{1};
      T* const v = reinterpret_cast<T*>(words);
      STEP("exact sets");
      exact_sets<decltype(ops)>(v, values);
      STEP("collecting");
      for (int way = 0; way < 4; ++way) collect<decltype(ops)>(v, values, way);
    });
  });
  return check_end();
}

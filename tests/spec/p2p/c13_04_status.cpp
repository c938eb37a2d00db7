// Point 13.4: the status mask: nonzero excludes, whatever nonzero value it is; NULL includes all; it is never written
// (it lies in read-only memory here). The vector forms pair cmp_values[i] with ivars[i]; indices count in ivars.
#include "p2p_ops.hpp"

using namespace spec;

namespace {

constexpr std::size_t kCount = 8;
//                                  0  1   2  3  4            5  6   7
constexpr int kStatus[kCount] = {0, 1, 0, -1, 0, 0x40000000, 0, 256};  // included: 0, 2, 4, 6
constexpr std::uint64_t kIncluded = 0b01010101;

// Objects i = 10 + i, so that "EQ 10 + i" is true for one, and "GE 10" for all.
template <class Ops>
void fill(typename Ops::T* v) {
  for (std::size_t i = 0; i < kCount; ++i) v[i] = static_cast<typename Ops::T>(10 + i);
}

template <class Ops>
void scalars(typename Ops::T* v) {
  using T = typename Ops::T;
  std::size_t indices[kCount];
  fill<Ops>(v);
  v[1] = v[3] = v[5] = v[7] = T{0};  // the excluded ones do not satisfy
  CHECK_EQ(Ops::test_all(v, kCount, kStatus, SHMEM_CMP_GE, T{10}), 1, "%s: test_all skips excluded ones", Ops::kName);
  CHECK_EQ(Ops::test_all(v, kCount, nullptr, SHMEM_CMP_GE, T{10}), 0, "%s: NULL includes all", Ops::kName);
  Ops::wait_until_all(v, kCount, kStatus, SHMEM_CMP_GE, T{10});
  std::size_t n = Ops::test_some(v, kCount, indices, kStatus, SHMEM_CMP_GE, T{10});
  CHECK(n == 4 && same_set(indices, n, kIncluded), "%s: test_some found %zu", Ops::kName, n);
  n = Ops::wait_until_some(v, kCount, indices, kStatus, SHMEM_CMP_GE, T{10});
  CHECK(n == 4 && same_set(indices, n, kIncluded), "%s: wait_until_some found %zu", Ops::kName, n);
  // now only excluded ones satisfy, and one that is not
  CHECK_EQ(Ops::test_any(v, kCount, kStatus, SHMEM_CMP_LT, T{10}), SIZE_MAX, "%s: test_any", Ops::kName);
  CHECK_EQ(Ops::test_some(v, kCount, indices, kStatus, SHMEM_CMP_LT, T{10}), 0, "%s: test_some", Ops::kName);
  CHECK_EQ(Ops::test_some(v, kCount, indices, nullptr, SHMEM_CMP_LT, T{10}), 4, "%s: test_some, NULL", Ops::kName);
  v[6] = T{1};
  CHECK_EQ(Ops::test_any(v, kCount, kStatus, SHMEM_CMP_LT, T{10}), 6, "%s: test_any", Ops::kName);
  CHECK_EQ(Ops::wait_until_any(v, kCount, kStatus, SHMEM_CMP_LT, T{10}), 6, "%s: wait_until_any", Ops::kName);
  n = Ops::wait_until_some(v, kCount, indices, kStatus, SHMEM_CMP_LT, T{10});
  CHECK(n == 1 && indices[0] == 6, "%s: wait_until_some found %zu", Ops::kName, n);
}

template <class Ops>
void vectors(typename Ops::T* v) {
  using T = typename Ops::T;
  std::size_t indices[kCount];
  T values[kCount], wrong[kCount];
  fill<Ops>(v);
  for (std::size_t i = 0; i < kCount; ++i) {
    values[i] = static_cast<T>(kIncluded >> i & 1 ? 10 + i : 99);  // the excluded ones would never be equal
    wrong[i] = static_cast<T>(10 + (i + 1) % kCount);              // right values, all in the wrong place
  }
  CHECK_EQ(Ops::test_all_vector(v, kCount, kStatus, SHMEM_CMP_EQ, values), 1, "%s: test_all_vector", Ops::kName);
  CHECK_EQ(Ops::test_all_vector(v, kCount, nullptr, SHMEM_CMP_EQ, values), 0, "%s: test_all_vector, NULL", Ops::kName);
  Ops::wait_until_all_vector(v, kCount, kStatus, SHMEM_CMP_EQ, values);
  CHECK_EQ(Ops::test_any_vector(v, kCount, nullptr, SHMEM_CMP_EQ, wrong), SIZE_MAX, "%s: values pair up", Ops::kName);
  CHECK_EQ(Ops::test_some_vector(v, kCount, indices, nullptr, SHMEM_CMP_EQ, wrong), 0, "%s: values pair up",
           Ops::kName);
  CHECK_EQ(Ops::test_all_vector(v, kCount, nullptr, SHMEM_CMP_NE, wrong), 1, "%s: values pair up", Ops::kName);
  std::size_t n = Ops::test_some_vector(v, kCount, indices, kStatus, SHMEM_CMP_EQ, values);
  CHECK(n == 4 && same_set(indices, n, kIncluded), "%s: test_some_vector found %zu", Ops::kName, n);
  n = Ops::wait_until_some_vector(v, kCount, indices, nullptr, SHMEM_CMP_EQ, values);
  CHECK(n == 4 && same_set(indices, n, kIncluded), "%s: wait_until_some_vector found %zu", Ops::kName, n);
  wrong[2] = v[2];
  wrong[3] = v[3];
  CHECK_EQ(Ops::test_any_vector(v, kCount, kStatus, SHMEM_CMP_EQ, wrong), 2, "%s: test_any_vector", Ops::kName);
  CHECK_EQ(Ops::wait_until_any_vector(v, kCount, kStatus, SHMEM_CMP_EQ, wrong), 2, "%s: wait_any_vector", Ops::kName);
  n = Ops::wait_until_some_vector(v, kCount, indices, nullptr, SHMEM_CMP_EQ, wrong);
  CHECK(n == 2 && same_set(indices, n, 0b1100), "%s: wait_until_some_vector found %zu", Ops::kName, n);
}

// The neighbour sets the included objects one by one; the excluded ones never come.
template <class Ops>
void remote(typename Ops::T* v) {
  using T = typename Ops::T;
  T values[kCount];
  for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<T>(100 + i);
  for (const bool vector : {false, true}) {
    for (std::size_t i = 0; i < kCount; ++i) v[i] = T{0};
    shmem_sync_all();
    for (std::size_t i = 0; i < kCount; ++i)
      if (kIncluded >> i & 1) Ops::set(v + i, vector ? values[i] : T{100}, check_right(1));
    if (vector)
      Ops::wait_until_all_vector(v, kCount, kStatus, SHMEM_CMP_EQ, values);
    else
      Ops::wait_until_all(v, kCount, kStatus, SHMEM_CMP_EQ, T{100});
    for (std::size_t i = 0; i < kCount; ++i)
      CHECK(v[i] == (kIncluded >> i & 1 ? (vector ? values[i] : T{100}) : T{0}), "%s: object %zu", Ops::kName, i);
    shmem_barrier_all();
  }
}

}  // namespace

int main() {
  check_begin();
  on_heap_and_static([](unsigned char* words) {
    for_all_p2p([&](auto ops) {
      using Ops = decltype(ops);
      auto* const v = reinterpret_cast<typename Ops::T*>(words);
      scalars<Ops>(v);
      vectors<Ops>(v);
      remote<Ops>(v);
    });
  });
  return check_end();
}

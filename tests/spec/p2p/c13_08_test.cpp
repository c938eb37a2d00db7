// Point 13.8: test and test_all return exactly 1 or 0, no test routine ever waits, and a loop of nothing but tests sees
// what another PE writes.
#include "p2p_ops.hpp"

using namespace spec;

namespace {

// Nothing here can come true: each call must simply return.
template <class Ops>
void never_waits(typename Ops::T* v) {
  using T = typename Ops::T;
  const T values[3] = {T{9}, T{9}, T{9}};
  std::size_t indices[3];
  v[0] = v[1] = v[2] = T{1};
  for (int i = 0; i < 20; ++i) {
    CHECK_EQ(Ops::test(v, SHMEM_CMP_EQ, T{9}), 0, "%s: test", Ops::kName);
    CHECK_EQ(Ops::test(v, SHMEM_CMP_EQ, T{1}), 1, "%s: test", Ops::kName);
    CHECK_EQ(Ops::test_all(v, 3, nullptr, SHMEM_CMP_EQ, T{9}), 0, "%s: test_all", Ops::kName);
    CHECK_EQ(Ops::test_all(v, 3, nullptr, SHMEM_CMP_EQ, T{1}), 1, "%s: test_all", Ops::kName);
    CHECK_EQ(Ops::test_all_vector(v, 3, nullptr, SHMEM_CMP_EQ, values), 0, "%s: test_all_vector", Ops::kName);
    CHECK_EQ(Ops::test_all_vector(v, 3, nullptr, SHMEM_CMP_NE, values), 1, "%s: test_all_vector", Ops::kName);
    CHECK_EQ(Ops::test_any(v, 3, nullptr, SHMEM_CMP_EQ, T{9}), SIZE_MAX, "%s: test_any", Ops::kName);
    CHECK_EQ(Ops::test_any_vector(v, 3, nullptr, SHMEM_CMP_EQ, values), SIZE_MAX, "%s: test_any_vector", Ops::kName);
    CHECK_EQ(Ops::test_some(v, 3, indices, nullptr, SHMEM_CMP_EQ, T{9}), 0, "%s: test_some", Ops::kName);
    CHECK_EQ(Ops::test_some_vector(v, 3, indices, nullptr, SHMEM_CMP_EQ, values), 0, "%s: test_some", Ops::kName);
  }
  v[1] = T{9};  // one of three: not all
  CHECK_EQ(Ops::test_all(v, 3, nullptr, SHMEM_CMP_EQ, T{1}), 0, "%s: test_all of two out of three", Ops::kName);
}

// Each loop calls one test routine and nothing else of the library.
template <class Ops>
void loops_see(typename Ops::T* v) {
  using T = typename Ops::T;
  T values[2];
  std::size_t indices[2];
  for (T round = T{1}; round <= T{6}; ++round) {
    v[0] = v[1] = T{0};
    values[0] = values[1] = round;
    shmem_sync_all();
    Ops::set(v, round, check_right(1));
    Ops::set(v + 1, round, check_right(1));
    switch (static_cast<int>(round)) {
      case 1:
        while (!Ops::test(v, SHMEM_CMP_EQ, round)) {
        }
        break;
      case 2:
        while (!Ops::test_all(v, 2, nullptr, SHMEM_CMP_EQ, round)) {
        }
        break;
      case 3:
        while (Ops::test_any(v, 2, nullptr, SHMEM_CMP_EQ, round) == SIZE_MAX) {
        }
        break;
      case 4:
        while (Ops::test_some(v, 2, indices, nullptr, SHMEM_CMP_EQ, round) < 2) {
        }
        break;
      case 5:
        while (!Ops::test_all_vector(v, 2, nullptr, SHMEM_CMP_EQ, values)) {
        }
        break;
      default:
        while (Ops::test_some_vector(v, 2, indices, nullptr, SHMEM_CMP_EQ, values) < 2) {
        }
    }
    shmem_barrier_all();
    CHECK(v[0] == round && v[1] == round, "%s: the values of round %d", Ops::kName, static_cast<int>(round));
    shmem_barrier_all();
  }
}

}  // namespace

int main() {
  check_begin();
  on_heap_and_static([](unsigned char* words) {
    for_all_p2p([&](auto ops) {
      auto* const v = reinterpret_cast<typename decltype(ops)::T*>(words);
      STEP("tests return");
      never_waits<decltype(ops)>(v);
      STEP("loops of tests");
      loops_see<decltype(ops)>(v);
    });
  });
  return check_end();
}

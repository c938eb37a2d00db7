// Point 13.9: all six comparisons of all 12 types in every test and wait routine, scalar, array and vector: signed
// types compare signed, unsigned ones unsigned, at both ends of the range. Expected values by the C operators of the
// type.
#include "p2p_ops.hpp"

using namespace spec;

namespace {

template <class T>
constexpr T kInteresting[] = {std::numeric_limits<T>::min(),
                              static_cast<T>(std::numeric_limits<T>::min() + 1),
                              T{0},
                              T{1},
                              static_cast<T>(-1),
                              static_cast<T>(static_cast<std::uint64_t>(1) << (sizeof(T) * 8 - 1)),
                              static_cast<T>(std::numeric_limits<T>::max() - 1),
                              std::numeric_limits<T>::max()};

// One object against one value. The wait routines are only called when they can return.
template <class Ops>
void one_pair(typename Ops::T* word, typename Ops::T left, int cmp, typename Ops::T right) {
  using T = typename Ops::T;
  const bool expected = holds(left, cmp, right);
  std::size_t index = 77;
  const T values[1] = {right};
  *word = left;
#define SAME(seen, what)                                                                                       \
  CHECK((seen) == expected, "%s: %s of %lld %s %lld is wrong", Ops::kName, what, static_cast<long long>(left), \
        name_of_comparison(cmp), static_cast<long long>(right))
  SAME(Ops::test(word, cmp, right), "test");
  SAME(Ops::test_all(word, 1, nullptr, cmp, right), "test_all");
  SAME(Ops::test_any(word, 1, nullptr, cmp, right) == 0, "test_any");
  SAME(Ops::test_some(word, 1, &index, nullptr, cmp, right) == 1, "test_some");
  SAME(Ops::test_all_vector(word, 1, nullptr, cmp, values), "test_all_vector");
  SAME(Ops::test_any_vector(word, 1, nullptr, cmp, values) == 0, "test_any_vector");
  SAME(Ops::test_some_vector(word, 1, &index, nullptr, cmp, values) == 1, "test_some_vector");
  if (!expected) return;
  Ops::wait_until(word, cmp, right);
  Ops::wait_until_all(word, 1, nullptr, cmp, right);
  SAME(Ops::wait_until_any(word, 1, nullptr, cmp, right) == 0, "wait_until_any");
  SAME(Ops::wait_until_some(word, 1, &index, nullptr, cmp, right) == 1, "wait_until_some");
  Ops::wait_until_all_vector(word, 1, nullptr, cmp, values);
  SAME(Ops::wait_until_any_vector(word, 1, nullptr, cmp, values) == 0, "wait_until_any_vector");
  SAME(Ops::wait_until_some_vector(word, 1, &index, nullptr, cmp, values) == 1, "wait_until_some_vector");
  CHECK_EQ(index, 0, "%s: the index", Ops::kName);
  CHECK(*word == left, "%s: waiting changed the object", Ops::kName);
#undef SAME
}

// The wait really waits, on a value that makes the comparison true only in the type's own order.
template <class Ops>
void remote(typename Ops::T* word, int cmp) {
  using T = typename Ops::T;
  const T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const bool less = cmp == SHMEM_CMP_LT || cmp == SHMEM_CMP_LE;
  // from the wrong end of the range to the right one; EQ and NE: any other value
  const T start = less ? high : low, final_value = less ? low : high;
  const T against = cmp == SHMEM_CMP_EQ ? high : cmp == SHMEM_CMP_NE ? low : static_cast<T>(high / 2 + low / 2);
  *word = start;
  shmem_sync_all();
  Ops::set(word, final_value, check_right(1));
  Ops::wait_until(word, cmp, against);
  CHECK(*word == final_value, "%s: wait_until %s came back early", Ops::kName, name_of_comparison(cmp));
  shmem_barrier_all();
}

}  // namespace

int main() {
  check_begin();
  on_heap_and_static([](unsigned char* words) {
    for_all_p2p([&](auto ops) {
      using Ops = decltype(ops);
      using T = typename Ops::T;
      T* const word = reinterpret_cast<T*>(words);
      STEP("pairs");
      for (const T left : kInteresting<T>)
        for (const T right : kInteresting<T>)
          for (const int cmp : kAllComparisons) one_pair<Ops>(word, left, cmp, right);
      STEP("remote");
      for (const int cmp : kAllComparisons) remote<Ops>(word, cmp);
    });
  });
  return check_end();
}

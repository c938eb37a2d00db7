// Point 13.5: an empty set, by nelems 0 (pointers may be NULL then) or because all are excluded: wait_until_all returns
// at once, *_any returns SIZE_MAX, *_some returns 0, test_all returns 1 (erratum); in the vector forms as well.
#include "p2p_ops.hpp"

using namespace spec;

namespace {

constexpr int kAllExcluded[3] = {1, 1, 7};

template <class Ops>
void empty(typename Ops::T* v, std::size_t n, const int* status, std::size_t* indices, const typename Ops::T* values) {
  using T = typename Ops::T;
  for (const int cmp : kAllComparisons) {
    Ops::wait_until_all(v, n, status, cmp, T{5});
    Ops::wait_until_all_vector(v, n, status, cmp, values);
    CHECK_EQ(Ops::wait_until_any(v, n, status, cmp, T{5}), SIZE_MAX, "%s: wait_until_any", Ops::kName);
    CHECK_EQ(Ops::wait_until_any_vector(v, n, status, cmp, values), SIZE_MAX, "%s: wait_any_vector", Ops::kName);
    CHECK_EQ(Ops::wait_until_some(v, n, indices, status, cmp, T{5}), 0, "%s: wait_until_some", Ops::kName);
    CHECK_EQ(Ops::wait_until_some_vector(v, n, indices, status, cmp, values), 0, "%s: wait_some_vector", Ops::kName);
    CHECK_EQ(Ops::test_all(v, n, status, cmp, T{5}), 1, "%s: test_all", Ops::kName);
    CHECK_EQ(Ops::test_all_vector(v, n, status, cmp, values), 1, "%s: test_all_vector", Ops::kName);
    CHECK_EQ(Ops::test_any(v, n, status, cmp, T{5}), SIZE_MAX, "%s: test_any", Ops::kName);
    CHECK_EQ(Ops::test_any_vector(v, n, status, cmp, values), SIZE_MAX, "%s: test_any_vector", Ops::kName);
    CHECK_EQ(Ops::test_some(v, n, indices, status, cmp, T{5}), 0, "%s: test_some", Ops::kName);
    CHECK_EQ(Ops::test_some_vector(v, n, indices, status, cmp, values), 0, "%s: test_some_vector", Ops::kName);
  }
}

}  // namespace

int main() {
  check_begin();
  on_heap_and_static([](unsigned char* words) {
    for_all_p2p([&](auto ops) {
      using T = typename decltype(ops)::T;
      T* const v = reinterpret_cast<T*>(words);
      const T values[3] = {T{5}, T{5}, T{5}};
      std::size_t indices[3] = {91, 92, 93};
      v[0] = v[1] = v[2] = T{5};
      empty<decltype(ops)>(v, 0, nullptr, indices, values);
      empty<decltype(ops)>(v, 0, kAllExcluded, indices, values);
      empty<decltype(ops)>(v, 3, kAllExcluded, indices, values);
      empty<decltype(ops)>(nullptr, 0, nullptr, nullptr, nullptr);
      CHECK(indices[0] == 91 && indices[1] == 92 && indices[2] == 93, "indices of nothing were written");
    });
  });
  return check_end();
}

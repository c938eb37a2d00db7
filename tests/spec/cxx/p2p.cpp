// Every wait and test of <weft/shmem.hpp>, for every type it takes, all comparisons.
#include "elements.hpp"

namespace {

using shmem::cmp;
constexpr std::size_t kSize = 6;

template <class T>
void comparisons() {
  static T here = 5;
  const struct {
    cmp relation;
    bool below, equal, above;  // does 5 stand in this relation to 4, 5, 6
  } rows[] = {{cmp::eq, false, true, false}, {cmp::ne, true, false, true},  {cmp::lt, false, false, true},
              {cmp::le, false, true, true},  {cmp::gt, true, false, false}, {cmp::ge, true, true, false}};
  for (const auto& row : rows) {
    CHECK_EQ(shmem::test(&here, row.relation, 4), row.below, "relation %d with 4", static_cast<int>(row.relation));
    CHECK_EQ(shmem::test(&here, row.relation, 5), row.equal, "relation %d with 5", static_cast<int>(row.relation));
    CHECK_EQ(shmem::test(&here, row.relation, 6), row.above, "relation %d with 6", static_cast<int>(row.relation));
    shmem::wait_until(&here, row.relation, row.below ? 4 : row.equal ? 5 : 6);
  }
}

// Element i becomes 10 + i; 1 is never written.
template <class T>
void sets() {
  static T at[kSize];
  const int skip[kSize] = {0, 1, 0, 0, 0, 0};
  T wanted[kSize];
  std::size_t indices[kSize];
  shmem::barrier_all();
  std::memset(at, 0, sizeof at);
  for (std::size_t i = 0; i < kSize; ++i) wanted[i] = static_cast<T>(10 + i);
  CHECK_EQ(shmem::test_all(at, kSize, skip, cmp::ne, 0), 0, "nothing came");
  CHECK(shmem::test_any(at, kSize, skip, cmp::ne, 0) == SIZE_MAX, "nothing came");
  CHECK_EQ(shmem::test_some(at, kSize, indices, skip, cmp::ne, 0), 0, "nothing came");
  CHECK_EQ(shmem::test_all_vector(at, kSize, skip, cmp::eq, wanted), 0, "nothing came");
  CHECK(shmem::test_any_vector(at, kSize, skip, cmp::eq, wanted) == SIZE_MAX, "nothing came");
  CHECK_EQ(shmem::test_some_vector(at, kSize, indices, skip, cmp::eq, wanted), 0, "nothing came");
  shmem::barrier_all();
  for (std::size_t i = 0; i < kSize; ++i)
    if (i != 1) shmem::p(&at[i], wanted[i], check_right(1));
  shmem::quiet();

  const std::size_t any = shmem::wait_until_any(at, kSize, skip, cmp::ge, 10);
  CHECK(any < kSize && any != 1, "any is %zu", any);
  const std::size_t one = shmem::wait_until_any_vector(at, kSize, skip, cmp::eq, wanted);
  CHECK(one < kSize && one != 1, "any of the vector is %zu", one);
  CHECK(shmem::wait_until_some(at, kSize, indices, skip, cmp::gt, 9) >= 1, "some");
  CHECK(shmem::wait_until_some_vector(at, kSize, indices, skip, cmp::ge, wanted) >= 1, "some of the vector");
  shmem::wait_until_all(at, kSize, skip, cmp::ge, 10);
  shmem::wait_until_all_vector(at, kSize, skip, cmp::eq, wanted);
  for (std::size_t i = 0; i < kSize; ++i)
    CHECK(at[i] == (i == 1 ? T{0} : wanted[i]), "element %zu after all were waited for", i);

  CHECK_EQ(shmem::test_all(at, kSize, skip, cmp::ge, 10), 1, "all are there");
  CHECK_EQ(shmem::test_all(at, kSize, nullptr, cmp::ge, 10), 0, "without a status 1 counts");
  CHECK(shmem::test_any(at, kSize, nullptr, cmp::eq, 14) == 4, "the only one that is 14");
  CHECK_EQ(shmem::test_some(at, kSize, indices, skip, cmp::lt, 13), 2, "10 and 12");
  CHECK(indices[0] + indices[1] == 2 && indices[0] != indices[1], "they are elements 0 and 2");
  CHECK_EQ(shmem::test_all_vector(at, kSize, skip, cmp::eq, wanted), 1, "all equal");
  wanted[3] = 1;
  CHECK(shmem::test_any_vector(at, kSize, skip, cmp::ne, wanted) == 3, "the only one that differs");
  CHECK_EQ(shmem::test_some_vector(at, kSize, indices, skip, cmp::ne, wanted), 1, "one differs");
  CHECK(indices[0] == 3, "it is %zu", indices[0]);
  shmem::barrier_all();
}

}  // namespace

int main() {
  check_begin();
  cxx::for_each_type(cxx::Amo{}, [](auto sample) {
    comparisons<decltype(sample)>();
    sets<decltype(sample)>();
  });
  return check_end();
}

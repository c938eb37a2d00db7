// Teams and collectives of <weft/shmem.hpp>: splits and what owns them, and every collective for every type it takes,
// on the world, on the world the other way round and on every second PE.
#include "elements.hpp"

#include <utility>

namespace {

constexpr std::size_t kMost = 16;  // PEs

void teams() {
  const shmem::team world = shmem::team::world();
  CHECK(world.my_pe() == check_me && world.n_pes() == check_n, "the world");
  CHECK(shmem::team{}.my_pe() == -1 && shmem::team{}.n_pes() == -1, "no team");
  for (int i = 0; i < 1100; ++i) {  // more than there can be at a time: each gives its place back
    shmem::unique_team back = world.split_strided(check_n - 1, -1, check_n);
    REQUIRE(static_cast<bool>(back), "a split");
    CHECK_EQ(back.my_pe(), check_n - 1 - check_me, "numbers of the reversed team");
    CHECK_EQ(world.translate_pe(0, back), check_n - 1, "translated");
    const shmem::team copy = back;
    CHECK(copy == back && copy != world && copy.sync() == 0, "a copy is the same team");
    shmem::unique_team moved{std::move(back)};
    CHECK(!back && moved && moved == copy, "moved");
    back = std::move(moved);
    CHECK(!moved && back == copy, "moved back");
  }
  const int half = (check_n + 1) / 2;
  shmem::unique_team even = world.split_strided(0, 2, half);
  CHECK(static_cast<bool>(even) == (check_me % 2 == 0), "members only");
  if (even) {
    CHECK(even.n_pes() == half && even.my_pe() == check_me / 2, "every second PE");
    CHECK(*even.ptr(&check_n, 0) == check_n, "memory of its first PE");
  }
  auto [row, column] = world.split_2d(2, 1);
  CHECK(row && row.my_pe() == check_me % 2 && column && column.my_pe() == check_me / 2, "a grid");
  const shmem::context in_row{row};
  CHECK(in_row && in_row.of_team() == row, "a context of the row");
  static int came;
  shmem::p(in_row, &came, 1 + check_me, row.n_pes() - 1);
  in_row.quiet();
  shmem::barrier_all();
  if (row.my_pe() == row.n_pes() - 1)
    CHECK(came >= 1 + row.translate_pe(0, world) && came <= 1 + check_me, "PE numbers are the row's: %d", came);
  shmem_team_destroy(column.release());
}

template <class T>
struct Data {
  static constexpr std::size_t kBlock = 2;
  shmem::symmetric<T> source{kMost * kBlock * 3};
  shmem::symmetric<T> dest{kMost * kBlock * 3};

  void start() {
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = cxx::value<T>(check_me, i);
    std::memset(static_cast<void*>(dest.data()), 0, dest.size() * sizeof(T));
    shmem::barrier_all();
  }
  void expect(const char* what, std::size_t at, int pe, std::size_t from) {
    CHECK(cxx::same(dest[at], cxx::value<T>(pe, from)), "%s of %zu bytes: element %zu", what, sizeof(T), at);
  }

  void moves(const shmem::team& team) {
    const shmem::team world = shmem::team::world();
    const int n = team.n_pes();
    const auto mine = static_cast<std::size_t>(team.my_pe());
    const auto pe_of = [&](int member) { return team.translate_pe(member, world); };
    start();
    if (team) {
      CHECK_EQ(shmem::broadcast(team, dest.data(), source.data(), kBlock, n - 1), 0, "broadcast");
      for (std::size_t i = 0; i < kBlock; ++i) expect("broadcast", i, pe_of(n - 1), i);
    }
    start();
    if (team) {
      CHECK_EQ(shmem::fcollect(team, dest.data(), source.data(), kBlock), 0, "fcollect");
      for (std::size_t i = 0; i < kBlock * static_cast<std::size_t>(n); ++i)
        expect("fcollect", i, pe_of(static_cast<int>(i / kBlock)), i % kBlock);
    }
    start();
    if (team) {
      CHECK_EQ(shmem::collect(team, dest.data(), source.data(), 1 + mine % 2), 0, "collect");
      std::size_t at = 0;
      for (int member = 0; member < n; ++member)
        for (std::size_t i = 0; i < 1 + static_cast<std::size_t>(member) % 2; ++i)
          expect("collect", at++, pe_of(member), i);
    }
    start();
    if (team) {
      CHECK_EQ(shmem::alltoall(team, dest.data(), source.data(), kBlock), 0, "alltoall");
      for (std::size_t i = 0; i < kBlock * static_cast<std::size_t>(n); ++i)
        expect("alltoall", i, pe_of(static_cast<int>(i / kBlock)), mine * kBlock + i % kBlock);
    }
    start();
    if (team) {
      CHECK_EQ(shmem::alltoalls(team, dest.data(), source.data(), 2, 3, kBlock), 0, "alltoalls");
      for (std::size_t i = 0; i < kBlock * static_cast<std::size_t>(n); ++i) {
        expect("alltoalls", 2 * i, pe_of(static_cast<int>(i / kBlock)), 3 * (mine * kBlock + i % kBlock));
        unsigned char zero[sizeof(T)] = {};
        CHECK(std::memcmp(&dest[2 * i + 1], zero, sizeof(T)) == 0, "alltoalls touched a gap");
      }
    }
    shmem::barrier_all();
  }
};

/// What each PE brings to a reduction: no operation on 5 and 6 gives 0, and a float holds the product over 7 PEs.
template <class T>
T share(int pe, std::size_t i) {
  const int number = 5 + (pe + static_cast<int>(i)) % 2;
  if constexpr (cxx::is_complex<T>) {
    using R = typename T::value_type;
    return T{static_cast<R>(number), static_cast<R>(1)};
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
struct Reductions {
  static constexpr std::size_t kCount = 3;
  static inline T source[kCount];
  static inline T dest[kCount + 1];

  // `call` is the collective, `combine` the operation; over the members [0, last) of the team.
  template <class Call, class Combine>
  static void check(const char* what, const shmem::team& team, T start, int first, int last, Call call,
                    Combine combine) {
    const shmem::team world = shmem::team::world();
    for (std::size_t i = 0; i < kCount; ++i) source[i] = share<T>(check_me, i);
    for (T& element : dest) element = T{};
    shmem::barrier_all();
    if (team) {
      CHECK_EQ(call(), 0, "%s", what);
      for (std::size_t i = 0; i < kCount; ++i) {
        T wanted = first == 0 ? start : share<T>(team.translate_pe(0, world), i);
        for (int member = first; member < last; ++member)
          wanted = static_cast<T>(combine(wanted, share<T>(team.translate_pe(member, world), i)));
        CHECK(dest[i] == wanted, "%s of %zu bytes: element %zu", what, sizeof(T), i);
      }
      CHECK(dest[kCount] == T{}, "%s: past the end", what);
    }
    shmem::barrier_all();
  }

  static void bitwise(const shmem::team& team) {
    const int n = team.n_pes();
    const auto is = [&](const char* what, auto call, auto combine) { check(what, team, T{}, 1, n, call, combine); };
    is(
        "and_reduce", [&] { return shmem::and_reduce(team, dest, source, kCount); }, [](T a, T b) { return a & b; });
    is(
        "or_reduce", [&] { return shmem::or_reduce(team, dest, source, kCount); }, [](T a, T b) { return a | b; });
    is(
        "xor_reduce", [&] { return shmem::xor_reduce(team, dest, source, kCount); }, [](T a, T b) { return a ^ b; });
  }
  static void ordered(const shmem::team& team) {
    const int n = team.n_pes();
    const auto is = [&](const char* what, auto call, auto combine) { check(what, team, T{}, 1, n, call, combine); };
    is(
        "min_reduce", [&] { return shmem::min_reduce(team, dest, source, kCount); },
        [](T a, T b) { return b < a ? b : a; });
    is(
        "max_reduce", [&] { return shmem::max_reduce(team, dest, source, kCount); },
        [](T a, T b) { return b > a ? b : a; });
  }
  static void arithmetic(const shmem::team& team) {
    const int n = team.n_pes(), me = team.my_pe();
    const auto sum = [](T a, T b) { return a + b; };
    check(
        "sum_reduce", team, T{}, 1, n, [&] { return shmem::sum_reduce(team, dest, source, kCount); }, sum);
    check(
        "prod_reduce", team, T{}, 1, n, [&] { return shmem::prod_reduce(team, dest, source, kCount); },
        [](T a, T b) { return a * b; });
    check(
        "sum_inscan", team, T{}, 0, me + 1, [&] { return shmem::sum_inscan(team, dest, source, kCount); }, sum);
    check(
        "sum_exscan", team, T{}, 0, me, [&] { return shmem::sum_exscan(team, dest, source, kCount); }, sum);
  }
};

using Unsigned = cxx::List<unsigned char, unsigned short, unsigned, unsigned long, unsigned long long, std::int8_t,
                           std::int16_t, std::int32_t, std::int64_t, std::size_t>;

}  // namespace

int main() {
  check_watch();
  const shmem::runtime library;
  check_identify();
  REQUIRE(check_n <= static_cast<int>(kMost), "%d PEs", check_n);
  STEP("teams");
  teams();
  const shmem::team world = shmem::team::world();
  const shmem::unique_team back = world.split_strided(check_n - 1, -1, check_n);
  const shmem::unique_team even = world.split_strided(0, 2, (check_n + 1) / 2);
  CHECK_EQ(shmem::sync(world), 0, "sync");
  for (const shmem::team& team :
       {world, static_cast<const shmem::team&>(back), static_cast<const shmem::team&>(even)}) {
    const auto moves = [&](auto sample) { Data<decltype(sample)>{}.moves(team); };
    STEP("data");
    cxx::for_each_type(cxx::Table{}, moves);
    cxx::for_each_type(cxx::Others{}, moves);
    STEP("reductions");
    cxx::for_each_type(Unsigned{}, [&](auto sample) { Reductions<decltype(sample)>::bitwise(team); });
    cxx::for_each_type(cxx::Table{}, [&](auto sample) {
      Reductions<decltype(sample)>::ordered(team);
      Reductions<decltype(sample)>::arithmetic(team);
    });
    cxx::for_each_type(cxx::List<std::complex<float>, std::complex<double>>{},
                       [&](auto sample) { Reductions<decltype(sample)>::arithmetic(team); });
  }
  if (check_failures != 0) check_give_up();
  return 0;  // the teams end before the library does
}

// Every transfer of <weft/shmem.hpp>, for the types of the table and others, with and without a context: what arrives,
// and that nothing beside it changes.
#include "elements.hpp"

namespace {

constexpr std::size_t kSize = 40;

template <class T>
struct Round {
  shmem::symmetric<T> box{kSize};
  shmem::symmetric<T> from{kSize};
  int to = check_right(1);
  int before = check_right(-1);

  Round() {
    for (std::size_t i = 0; i < kSize; ++i) from[i] = cxx::value<T>(check_me, i);
  }

  void clear() {
    shmem::barrier_all();
    std::memset(static_cast<void*>(box.data()), 0, kSize * sizeof(T));
    shmem::barrier_all();
  }

  // Element `at` of `box` is element `i` of PE `pe`, for the listed pairs; all others are zero.
  template <class Index>
  void expect(const char* what, int pe, std::size_t count, Index at, Index source) {
    T zero{};
    std::memset(static_cast<void*>(&zero), 0, sizeof zero);
    bool written[kSize] = {};
    for (std::size_t i = 0; i < count; ++i) {
      written[at(i)] = true;
      CHECK(cxx::same(box[at(i)], cxx::value<T>(pe, source(i))), "%s (%zu bytes each): element %zu", what, sizeof(T),
            at(i));
    }
    for (std::size_t i = 0; i < kSize; ++i)
      if (!written[i]) CHECK(cxx::same(box[i], zero), "%s (%zu bytes each): touched %zu", what, sizeof(T), i);
  }
  void expect_run(const char* what, int pe, std::size_t first, std::size_t count) {
    using Index = std::size_t (*)(std::size_t);
    static std::size_t offset;
    offset = first;
    expect(what, pe, count, Index([](std::size_t i) { return offset + i; }), Index([](std::size_t i) { return i; }));
  }

  template <class... Ctx>
  void contiguous(const Ctx&... ctx) {
    clear();
    shmem::put(ctx..., &box[3], from.data(), 20, to);
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    expect_run("put", before, 3, 20);
    clear();
    shmem::get(ctx..., &box[3], from.data(), 20, to);
    expect_run("get", to, 3, 20);
    clear();
    shmem::put_nbi(ctx..., &box[1], from.data(), 2, to);
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    expect_run("put_nbi", before, 1, 2);
    clear();
    shmem::get_nbi(ctx..., &box[2], from.data(), 3, to);
    (shmem::quiet(ctx), ...);
    shmem::quiet();
    expect_run("get_nbi", to, 2, 3);
    clear();
    shmem::p(ctx..., &box[7], from[0], to);
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    expect_run("p", before, 7, 1);
    const T got = shmem::g(ctx..., &from[5], to);
    CHECK(cxx::same(got, cxx::value<T>(to, 5)), "g of %zu bytes", sizeof(T));
  }

  template <class... Ctx>
  void strided(const Ctx&... ctx) {
    using Index = std::size_t (*)(std::size_t);
    const Index third = [](std::size_t i) { return 3 * i; };
    const Index second = [](std::size_t i) { return 2 * i; };
    clear();
    shmem::iput(ctx..., box.data(), from.data(), 3, 2, 5, to);
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    expect("iput", before, 5, third, second);
    clear();
    shmem::iget(ctx..., box.data(), from.data(), 3, 2, 5, to);
    expect("iget", to, 5, third, second);
    // Blocks of 2, 5 apart there and 3 apart here.
    const Index fives = [](std::size_t i) { return 5 * (i / 2) + i % 2; };
    const Index threes = [](std::size_t i) { return 3 * (i / 2) + i % 2; };
    clear();
    shmem::ibput(ctx..., box.data(), from.data(), 5, 3, 2, 4, to);
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    expect("ibput", before, 8, fives, threes);
    clear();
    shmem::ibget(ctx..., box.data(), from.data(), 5, 3, 2, 4, to);
    expect("ibget", to, 8, fives, threes);
  }

  template <class... Ctx>
  void signalled(const Ctx&... ctx) {
    static std::uint64_t signal;  // counts up: each kind sets or adds so that every step has a value of its own
    static std::uint64_t steps;
    clear();
    shmem::put_signal(ctx..., &box[4], from.data(), 6, &signal, ++steps, shmem::signal_op::set, to);
    CHECK(shmem::signal_wait_until(&signal, shmem::cmp::eq, steps) == steps, "the value that was waited for");
    expect_run("put_signal", before, 4, 6);
    clear();
    ++steps;
    shmem::put_signal_nbi(ctx..., &box[4], from.data(), 7, &signal, 1, shmem::signal_op::add, to);
    shmem::signal_wait_until(&signal, shmem::cmp::ge, steps);
    expect_run("put_signal_nbi", before, 4, 7);
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    CHECK(shmem::signal_fetch(&signal) == steps, "signals");
  }
};

std::uint64_t word;

void signals() {
  std::uint64_t expected = 0;
  cxx::for_each_context([&](const auto&... ctx) {
    shmem::signal_set(ctx..., &word, 40, check_right(1));
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    shmem::signal_add(ctx..., &word, 2, check_right(1));
    (shmem::quiet(ctx), ...);
    shmem::barrier_all();
    expected = 42;
    CHECK(shmem::signal_fetch(&word) == expected, "signal_set and signal_add");
    shmem::barrier_all();
  });
}

// What is not deduced converts: plain numbers for values, arrays and pointers to const for sources.
void conversions() {
  static long target[4];
  static const long source[] = {5, 6, 7};
  shmem::barrier_all();
  shmem::put(target, source, 3, check_right(1));
  shmem::p(&target[3], 8, check_right(1));
  shmem::barrier_all();
  for (int i = 0; i < 4; ++i) CHECK_EQ(target[i], 5 + i, "element %d", i);
  CHECK_EQ(shmem::g(&target[2], check_right(2)), 7, "g");
  shmem::put(target, nullptr, 0, check_right(1));

  static cxx::NoDefault object{0};
  shmem::barrier_all();  // the constructor may run when this line is reached
  shmem::p(&object, cxx::NoDefault{check_me + 5}, check_right(1));
  shmem::barrier_all();
  CHECK_EQ(shmem::g(&object, check_right(1)).value, check_me + 5, "a type without default constructor");
}

}  // namespace

int main() {
  check_begin();
  const auto all = [](auto sample) {
    using T = decltype(sample);
    STEP(__PRETTY_FUNCTION__);
    Round<T> round;
    cxx::for_each_context([&](const auto&... ctx) { round.contiguous(ctx...); });
    cxx::for_each_context([&](const auto&... ctx) { round.strided(ctx...); });
    cxx::for_each_context([&](const auto&... ctx) { round.signalled(ctx...); });
    shmem::barrier_all();
  };
  cxx::for_each_type(cxx::Table{}, all);
  cxx::for_each_type(cxx::Others{}, all);
  signals();
  conversions();
  return check_end();
}

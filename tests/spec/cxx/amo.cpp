// Every atomic of <weft/shmem.hpp>, for every type it takes, with and without a context: what is returned and stored.
#include "elements.hpp"

namespace {

template <class T>
struct Word {
  static inline T at[2];  // at[1] is nobody's
  int to = check_right(1);

  void reset(T start) {
    shmem::barrier_all();
    at[0] = start;
    at[1] = 99;
    shmem::barrier_all();
  }
  void expect(const char* what, T stored) {
    shmem::barrier_all();
    CHECK(at[0] == stored, "%s of %zu bytes: stored %g, expected %g", what, sizeof(T), static_cast<double>(at[0]),
          static_cast<double>(stored));
    CHECK(at[1] == T{99}, "%s of %zu bytes: touched the next word", what, sizeof(T));
  }
  void got(const char* what, T value, T expected) {
    CHECK(value == expected, "%s of %zu bytes: got %g, expected %g", what, sizeof(T), static_cast<double>(value),
          static_cast<double>(expected));
  }

  // One step: start value, operation, what it returns and what it leaves. `op` returns the fetched value, or `old`.
  template <class Op, class... Ctx>
  void step(const char* what, T old, T left, Op op, const Ctx&... ctx) {
    reset(old);
    const T value = op();
    (shmem::quiet(ctx), ...);
    got(what, value, old);
    expect(what, left);
  }
  template <class Op, class... Ctx>
  void step_nbi(const char* what, T old, T left, Op op, const Ctx&... ctx) {
    reset(old);
    T fetched = 77;
    op(&fetched);
    (shmem::quiet(ctx), ...);
    shmem::quiet();
    got(what, fetched, old);
    expect(what, left);
  }
};

template <class T, class... Ctx>
void extended(const Ctx&... ctx) {
  Word<T> w;
  T* at = w.at;
  const int to = w.to;
  w.step(
      "atomic_fetch", 5, 5, [&] { return shmem::atomic_fetch(ctx..., at, to); }, ctx...);
  w.step(
      "atomic_set", 5, 6, [&] { return shmem::atomic_set(ctx..., at, 6, to), T{5}; }, ctx...);
  w.step(
      "atomic_swap", 5, 7, [&] { return shmem::atomic_swap(ctx..., at, 7, to); }, ctx...);
  w.step_nbi(
      "atomic_fetch_nbi", 5, 5, [&](T* f) { shmem::atomic_fetch_nbi(ctx..., f, at, to); }, ctx...);
  w.step_nbi(
      "atomic_swap_nbi", 5, 7, [&](T* f) { shmem::atomic_swap_nbi(ctx..., f, at, 7, to); }, ctx...);
}

template <class T, class... Ctx>
void standard(const Ctx&... ctx) {
  Word<T> w;
  T* at = w.at;
  const int to = w.to;
  w.step(
      "compare_swap, equal", 5, 9, [&] { return shmem::atomic_compare_swap(ctx..., at, 5, 9, to); }, ctx...);
  w.step(
      "compare_swap, other", 5, 5, [&] { return shmem::atomic_compare_swap(ctx..., at, 4, 9, to); }, ctx...);
  w.step(
      "atomic_fetch_inc", 5, 6, [&] { return shmem::atomic_fetch_inc(ctx..., at, to); }, ctx...);
  w.step(
      "atomic_inc", 5, 6, [&] { return shmem::atomic_inc(ctx..., at, to), T{5}; }, ctx...);
  w.step(
      "atomic_fetch_add", 5, 8, [&] { return shmem::atomic_fetch_add(ctx..., at, 3, to); }, ctx...);
  w.step(
      "atomic_add", 5, 8, [&] { return shmem::atomic_add(ctx..., at, 3, to), T{5}; }, ctx...);
  w.step_nbi(
      "compare_swap_nbi", 5, 9, [&](T* f) { shmem::atomic_compare_swap_nbi(ctx..., f, at, 5, 9, to); }, ctx...);
  w.step_nbi(
      "fetch_inc_nbi", 5, 6, [&](T* f) { shmem::atomic_fetch_inc_nbi(ctx..., f, at, to); }, ctx...);
  w.step_nbi(
      "fetch_add_nbi", 5, 8, [&](T* f) { shmem::atomic_fetch_add_nbi(ctx..., f, at, 3, to); }, ctx...);
}

template <class T, class... Ctx>
void bitwise(const Ctx&... ctx) {
  Word<T> w;
  T* at = w.at;
  const int to = w.to;
  w.step(
      "atomic_fetch_and", 6, 2, [&] { return shmem::atomic_fetch_and(ctx..., at, 3, to); }, ctx...);
  w.step(
      "atomic_and", 6, 2, [&] { return shmem::atomic_and(ctx..., at, 3, to), T{6}; }, ctx...);
  w.step(
      "atomic_fetch_or", 6, 7, [&] { return shmem::atomic_fetch_or(ctx..., at, 3, to); }, ctx...);
  w.step(
      "atomic_or", 6, 7, [&] { return shmem::atomic_or(ctx..., at, 3, to), T{6}; }, ctx...);
  w.step(
      "atomic_fetch_xor", 6, 5, [&] { return shmem::atomic_fetch_xor(ctx..., at, 3, to); }, ctx...);
  w.step(
      "atomic_xor", 6, 5, [&] { return shmem::atomic_xor(ctx..., at, 3, to), T{6}; }, ctx...);
  w.step_nbi(
      "fetch_and_nbi", 6, 2, [&](T* f) { shmem::atomic_fetch_and_nbi(ctx..., f, at, 3, to); }, ctx...);
  w.step_nbi(
      "fetch_or_nbi", 6, 7, [&](T* f) { shmem::atomic_fetch_or_nbi(ctx..., f, at, 3, to); }, ctx...);
  w.step_nbi(
      "fetch_xor_nbi", 6, 5, [&](T* f) { shmem::atomic_fetch_xor_nbi(ctx..., f, at, 3, to); }, ctx...);
}

}  // namespace

int main() {
  check_begin();
  const auto extended_of = [](auto sample) {
    cxx::for_each_context([](const auto&... ctx) { extended<decltype(sample)>(ctx...); });
  };
  cxx::for_each_type(cxx::Amo{}, extended_of);
  cxx::for_each_type(cxx::List<float, double>{}, extended_of);
  cxx::for_each_type(cxx::Amo{}, [](auto sample) {
    cxx::for_each_context([](const auto&... ctx) { standard<decltype(sample)>(ctx...); });
  });
  cxx::for_each_type(cxx::Bits{}, [](auto sample) {
    cxx::for_each_context([](const auto&... ctx) { bitwise<decltype(sample)>(ctx...); });
  });
  return check_end();
}

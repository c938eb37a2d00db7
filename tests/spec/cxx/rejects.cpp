// Calls that must not compile, one for each CASE, and the reason the compiler has to print; read by check_rejects.py
// of tests/spec/api. Without CASE the file compiles, so each failure is the case's own.
#include <string>
#include <weft/shmem.hpp>

struct Named {
  std::string name;
};

void rejects(const shmem::context& ctx, float* f, double* d, short* s, int* i, const int* ci, long* l, Named* named,
             void* nothing);
void rejects(const shmem::context& ctx, float* f, double* d, short* s, int* i, const int* ci, long* l, Named* named,
             void* nothing) {
  static_cast<void>(ctx), static_cast<void>(f), static_cast<void>(d), static_cast<void>(s), static_cast<void>(i);
  static_cast<void>(ci), static_cast<void>(l), static_cast<void>(named), static_cast<void>(nothing);
#if CASE == 1 /* trivially copyable */
  shmem::put(named, named, 1, 0);
#elif CASE == 2  /* trivially copyable */
  shmem::get_nbi(ctx, named, named, 1, 0);
#elif CASE == 3  /* trivially copyable */
  shmem::symmetric<Named> names(1);
#elif CASE == 4  /* neither const nor volatile */
  shmem::put(ci, ci, 1, 0);
#elif CASE == 5  /* trivially copyable */
  shmem::put(nothing, nothing, 1, 0);
#elif CASE == 6  /* shmem::atomic_add has no routine for this element type. It takes: int, long, long long, */
  shmem::atomic_add(f, 1.0f, 0);
#elif CASE == 7  /* shmem::atomic_fetch has no routine for this element type. It takes: float, double, int, */
  static_cast<void>(shmem::atomic_fetch(s, 0));
#elif CASE == 8  /* shmem::atomic_or has no routine for this element type. It takes: unsigned int, */
  shmem::atomic_or(ctx, d, 1.0, 0);
#elif CASE == 9  /* shmem::atomic_compare_swap_nbi has no routine for this element type */
  shmem::atomic_compare_swap_nbi(s, s, 1, 2, 0);
#elif CASE == 10 /* shmem::wait_until has no routine for this element type */
  shmem::wait_until(d, shmem::cmp::eq, 1.0);
#elif CASE == 11 /* shmem::test_any_vector has no routine for this element type */
  static_cast<void>(shmem::test_any_vector(f, 1, nullptr, shmem::cmp::eq, f));
#elif CASE == 12 /* no matching function */
  shmem::put(i, l, 1, 0);
#elif CASE == 13 /* no matching function */
  shmem::wait_until(l, SHMEM_CMP_EQ, 1);
#elif CASE == 14 /* no matching function */
  shmem::put_signal(l, l, 1, nullptr, 1, SHMEM_SIGNAL_SET, 0);
#elif CASE == 15 /* deleted */
  const shmem::context copy{ctx};
#elif CASE == 16 /* deleted */
  shmem::symmetric<int> numbers;
  const shmem::symmetric<int> copy{numbers};
#elif CASE == 17 /* shmem::sum_reduce has no routine for this element type. It takes: char, signed char, short, */
  static_cast<void>(shmem::sum_reduce(shmem::team::world(), named, named, 1));
#elif CASE == 18 /* shmem::xor_reduce has no routine for this element type. It takes: unsigned char, */
  static_cast<void>(shmem::xor_reduce(shmem::team::world(), f, f, 1));
#elif CASE == 19 /* shmem::max_reduce has no routine for this element type */
  std::complex<double> z;
  static_cast<void>(shmem::max_reduce(shmem::team::world(), &z, &z, 1));
#elif CASE == 20 /* trivially copyable */
  shmem::fcollect(shmem::team::world(), named, named, 1);
#elif CASE == 21 /* deleted */
  const shmem::unique_team split = shmem::team::world().split_strided(0, 1, 1);
  const shmem::unique_team copy{split};
#endif
}

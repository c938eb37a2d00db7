// What these functions leave for the linker is read by check_bodies.py: nothing but the library's way for what is not
// on this node, each in the name of the element's type.
#include <weft/shmem.hpp>

void put(long* to, const long* from, int pe) { shmem::put(to, from, 1, pe); }
void put_many(double* to, const double* from, std::size_t n, int pe) { shmem::put(to, from, n, pe); }
void put_complex(std::complex<double>* to, const std::complex<double>* from, int pe) { shmem::put(to, from, 1, pe); }
void get(unsigned short* to, const unsigned short* from, int pe) { shmem::get(to, from, 3, pe); }
void p(float* to, int pe) { shmem::p(to, 1.5f, pe); }
char g(const char* from, int pe) { return shmem::g(from, pe); }
long add(long* to, int pe) { return shmem::atomic_fetch_add(to, 1, pe); }
void set(unsigned* to, int pe) { shmem::atomic_or(to, 1u, pe); }
// Contexts have no inline bodies; the call has to be the typed one all the same.
void put_ctx(const shmem::context& ctx, int* to, const int* from, int pe) { shmem::put(ctx, to, from, 1, pe); }

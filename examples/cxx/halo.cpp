// The C++ interface: every PE owns some cells of a rod, warms its ends by its neighbours' cells, and all agree on the
// heat that is left. Types say which routine is called, owners when memory comes and goes.
//
//   oshc++ -std=c++17 halo.cpp -o halo && oshrun -n 4 ./halo
#include <cmath>
#include <cstdio>
#include <weft/shmem.hpp>

int main() {
  constexpr int kCells = 64;
  constexpr int kSteps = 500;
  const shmem::runtime library;
  const int me = shmem::my_pe();
  const int n = shmem::n_pes();

  // Cell 0 and cell kCells + 1 are copies of the neighbours' cells; the rod's own ends let no heat out.
  shmem::symmetric<double> rod(kCells + 2);
  shmem::symmetric<double> next(kCells + 2);
  shmem::symmetric_object<double> total;
  if (me == 0) rod[1] = 100.0;

  for (int step = 0; step < kSteps; ++step) {
    rod[0] = rod[1];
    rod[kCells + 1] = rod[kCells];
    shmem::barrier_all();
    if (me > 0) shmem::p(&rod[kCells + 1], rod[1], me - 1);
    if (me < n - 1) shmem::p(&rod[0], rod[kCells], me + 1);
    shmem::barrier_all();
    for (std::size_t i = 1; i <= kCells; ++i) next[i] = rod[i] + 0.25 * (rod[i - 1] - 2 * rod[i] + rod[i + 1]);
    // Neighbours write to where rod lies, so only contents may change places.
    for (std::size_t i = 1; i <= kCells; ++i) rod[i] = next[i];
  }

  double mine = 0;
  for (std::size_t i = 1; i <= kCells; ++i) mine += rod[i];
  *total = mine;
  shmem::barrier_all();
  if (me == 0) {
    double heat = 0;
    for (int pe = 0; pe < n; ++pe) heat += shmem::g(total.get(), pe);
    std::printf("heat is kept: %s\n", std::fabs(heat - 100.0) < 1e-9 ? "yes" : "no");
  }
  shmem::barrier_all();
  return 0;
}

// The smallest OpenSHMEM program in C++.
//
//   oshc++ hello.cpp -o hello && oshrun -n 4 ./hello
#include <shmem.h>

#include <iostream>
#include <sstream>

int main() {
  shmem_init();
  // One write per line, so that the lines of several PEs do not mix.
  std::ostringstream line;
  line << "hello from PE " << shmem_my_pe() << " of " << shmem_n_pes() << "\n";
  std::cout << line.str() << std::flush;
  shmem_finalize();
  return 0;
}

#include "shmem/foreign.hpp"

#include <dlfcn.h>

#include <cstring>

#include "base/lines.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"

namespace weft::shmem {

void note_mpi() noexcept {
  const job::Node& node = job::node();
  if (node.me != 0 || node.n_pes == 1 || job::g_process.managed) {
    return;
  }
  const void* init = ::dlsym(RTLD_DEFAULT, "MPI_Init");
  Dl_info info{};
  if (init == nullptr || ::dladdr(init, &info) == 0 || info.dli_fname == nullptr) {
    return;
  }
  const char* slash = std::strrchr(info.dli_fname, '/');
  base::say(
      job::current_call(),
      "this program has MPI too (MPI_Init is in %s), and to MPI each of the %d PEs is a world of one process: oshrun "
      "starts no MPI; start it with that MPI's mpirun or mpiexec instead, which Weft's PEs run under as well",
      slash == nullptr ? info.dli_fname : slash + 1, node.n_pes);
}

}  // namespace weft::shmem

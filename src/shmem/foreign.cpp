#include "shmem/foreign.hpp"

#include <dlfcn.h>

#include <cstring>

#include "base/lines.hpp"
#include "job/attach.hpp"
#include "job/front_end.hpp"
#include "job/node.hpp"

namespace weft::shmem {
namespace {

bool find(const char* name, Dl_info* info) noexcept {
  const void* at = ::dlsym(RTLD_DEFAULT, name);
  return at != nullptr && ::dladdr(at, info) != 0 && info->dli_fname != nullptr;
}

const char* file_of(const Dl_info& info) noexcept {
  const char* slash = std::strrchr(info.dli_fname, '/');
  return slash == nullptr ? info.dli_fname : slash + 1;
}

}  // namespace

void note_mpi() noexcept {
  const job::Node& node = job::node();
  const bool is_ours = job::front_end(boot::Interface::kMpi) != nullptr;
  if (node.me != 0 || node.n_pes == 1 || job::g_process.managed || is_ours) {
    return;
  }
  Dl_info info{};
  const bool found = find("MPI_Init", &info);
  // Our tools stand before MPI's functions too, whether there is one or not, and not before what tools call.
  if (!found || (std::strncmp(file_of(info), "libweft", 7) == 0 && !find("PMPI_Init", &info))) {
    return;
  }
  base::say(
      job::current_call(),
      "this program has MPI too (MPI_Init is in %s), and to MPI each of the %d PEs is a world of one process: oshrun "
      "starts no MPI; start it with that MPI's mpirun or mpiexec instead, which Weft's PEs run under as well",
      file_of(info), node.n_pes);
}

}  // namespace weft::shmem

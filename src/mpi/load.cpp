#include "mpi/load.hpp"

#include "api/mpi/calls.hpp"
#include "job/attach.hpp"
#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/environment.hpp"
#include "mpi/errors.hpp"
#include "mpi/groups.hpp"
#include "mpi/info.hpp"
#include "mpi/ops.hpp"
#include "msg/start.hpp"

namespace weft::mpi {
namespace {

// Plain data, as the constructor below may come before those of this library's objects. No tools yet: they know the
// functions of OpenSHMEM only.
constinit const job::FrontEnd kFrontEnd{
    .interface = boot::Interface::kMpi,
    .needs = {.network = true, .own_bytes = msg::kOwnBytes},
    .words = {.interface = "MPI",
              .library = "libmpi_abi.so.1",
              .begin = "MPI_Init",
              .end = "MPI_Finalize",
              .exit_all = "MPI_Abort",
              .allocate = "MPI_Alloc_mem",
              .member = "rank"},
    .symbol = "PMPI_Abi_get_version",
    .name_of = [](job::CallNumber call) noexcept { return api::mpi::call_name(static_cast<api::mpi::Call>(call)); },
    .opening = msg::opening,
};

// glibc gives constructors what main gets.
[[gnu::constructor]] void load(int /*argc*/, char** argv) {
  set_up();
  job::attach(argv, kFrontEnd);
}

}  // namespace

const job::FrontEnd& front_end() noexcept { return kFrontEnd; }

void set_up() noexcept {
  set_up_errors();
  set_up_info();
  set_up_groups();
  set_up_communicators();
  set_up_datatypes();
  set_up_ops();
}

}  // namespace weft::mpi

#include "mpi/load.hpp"

#include <cstdlib>

#include "api/mpi/calls.hpp"
#include "job/attach.hpp"
#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/environment.hpp"
#include "mpi/errors.hpp"
#include "mpi/groups.hpp"
#include "mpi/info.hpp"
#include "mpi/ops.hpp"
#include "mpi/win_elements.hpp"
#include "msg/listener.hpp"
#include "msg/start.hpp"
#include "win/far.hpp"

// The profile defines them; the address of what is not loaded is null.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] extern const char weft_profile_tool;
[[gnu::weak, gnu::visibility("default")]] extern const weft::msg::Listener weft_messages_tool;
}

namespace weft::mpi {
namespace {

bool profile_asked_for() noexcept {
  const char* folder = ::secure_getenv("WEFT_PROFILE");
  return folder != nullptr && *folder != '\0';
}

constinit const job::Tool kTools[] = {
    {"libweft_profile.so", "WEFT_PROFILE", profile_asked_for, []() noexcept { return &weft_profile_tool != nullptr; }},
};

// Addresses for windows and MPI_Alloc_mem, of each rank.
constexpr std::uint64_t kWindowBytes = std::uint64_t{16} << 30;

// Plain data, as the constructor below may come before those of this library's objects.
constinit const job::FrontEnd kFrontEnd{
    .interface = boot::Interface::kMpi,
    .needs = {.network = true, .own_bytes = msg::kOwnBytes, .own_more = kWindowBytes},
    .words = {.interface = "MPI",
              .library = "libmpi_abi.so.1",
              .begin = "MPI_Init",
              .end = "MPI_Finalize",
              .exit_all = "MPI_Abort",
              .allocate = "MPI_Alloc_mem",
              .member = "rank"},
    .symbol = "PMPI_Abi_get_version",
    .tools = kTools,
    .name_of = [](job::CallNumber call) noexcept { return api::mpi::call_name(static_cast<api::mpi::Call>(call)); },
    .opening =
        [](transport::Transport* network) noexcept {
          msg::opening(network);
          win::open_far(network);
        },
};

// glibc gives constructors what main gets.
[[gnu::constructor]] void load(int /*argc*/, char** argv) {
  set_up();
  job::attach(argv, kFrontEnd);
}

}  // namespace

const job::FrontEnd& front_end() noexcept { return kFrontEnd; }

void let_tools_listen() noexcept {
  if (&weft_messages_tool != nullptr) {
    msg::listen(&weft_messages_tool);
    job::set_tool_site(weft_messages_tool.site);
  }
}

void set_up() noexcept {
  set_up_errors();
  set_up_info();
  set_up_groups();
  set_up_communicators();
  set_up_datatypes();
  set_up_ops();
  set_up_far_elements();
}

}  // namespace weft::mpi

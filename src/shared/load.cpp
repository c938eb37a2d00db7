#include "shared/load.hpp"

#include "api/shared/calls.hpp"
#include "base/option_table.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/state.hpp"
#include "job/attach.hpp"
#include "shared/control.hpp"
// After base/option_table.hpp.
#include "api/shared/options.inc"

namespace weft::shared {
namespace {

// Plain data, as the constructor below may come before those of this library's objects.
constinit job::FrontEnd g_front_end{
    .interface = boot::Interface::kSharedPages,
    .needs = {.network = true},
    .words = {.interface = api::shared::words::kInterface,
              .library = "libweft_shared.so",
              .begin = api::shared::words::kBegin,
              .end = api::shared::words::kEnd,
              .allocate = "weft_shared_malloc"},
    .symbol = "weft_shared_init",
    .name_of =
        [](job::CallNumber call) noexcept { return api::shared::call_name(static_cast<api::shared::Call>(call)); },
    .opening = dsm::opening,
    .forked = refuse_calls,
};

// glibc gives constructors what main gets. How much memory others reach of a PE has to be known by then; a value that
// is wrong is told of in weft_shared_init.
[[gnu::constructor]] void load(int /*argc*/, char** argv) {
  const auto options = api::shared::read_options();
  if (options && options->size.value <= dsm::kMostBytes) {
    g_front_end.needs.own_bytes = dsm::own_bytes(options->size.value);
  }
  job::attach(argv, g_front_end);
}

}  // namespace

const job::FrontEnd& front_end() noexcept { return g_front_end; }

}  // namespace weft::shared

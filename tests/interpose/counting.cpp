#include WEFT_TOOL_HOOKS

#include <atomic>
#include <cstdio>

#include "interpose/real.hpp"

// libweft.so asks whether safe mode is there, and takes this for it.
extern "C" [[gnu::visibility("default")]] const char weft_check_tool;
extern "C" const char weft_check_tool = 1;

namespace weft::hooks {
namespace {

std::atomic<int> g_calls[api::kCalls];
std::atomic<bool> g_told = false;

}  // namespace

void before(const interpose::Invocation& call) noexcept {
  ++g_calls[static_cast<std::size_t>(call.call)];
  if (call.op == api::Op::p && !g_told.exchange(true)) {
    std::printf("PE %d: %zu bytes to PE %d by %s\n", WEFT_REAL(my_pe)(), call.element, call.pe,
                api::call_name(call.call));
  }
  if (call.op == api::Op::finalize) {
    for (std::size_t k = 0; k < api::kCalls; ++k) {
      if (g_calls[k] != 0) {
        std::printf("PE %d: %s %d\n", WEFT_REAL(my_pe)(), api::call_name(static_cast<api::Call>(k)), g_calls[k].load());
      }
    }
  }
}

}  // namespace weft::hooks

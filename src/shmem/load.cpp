// What the library does when it is loaded: tells the job of this front end, and comes to it.
#include "api/calls.hpp"
#include "job/attach.hpp"
#include "job/front_end.hpp"
#include "shmem/inline_window.hpp"
#include "shmem/shortage.hpp"

namespace weft::shmem {
namespace {

constexpr job::FrontEnd kFrontEnd{
    .interface = boot::Interface::kOpenShmem,
    .name_of = [](job::CallNumber call) noexcept { return api::call_name(static_cast<api::Call>(call)); },
    .settled = describe_window,
    .forked = close_window,
    .why_null = [](std::uintptr_t at) noexcept { return follows_from_shortage(at) ? shortage() : nullptr; },
};

// glibc gives constructors what main gets.
[[gnu::constructor]] void load(int /*argc*/, char** argv) {
  job::add(kFrontEnd);
  job::attach(argv, "weft_window");
}

}  // namespace
}  // namespace weft::shmem

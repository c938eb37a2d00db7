#include "shmem/tools.hpp"

#include <cstdlib>

#include "base/options.hpp"

// Each tool defines its own of these; the address of one that is not loaded is null.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] extern const char weft_check_tool;
[[gnu::weak, gnu::visibility("default")]] extern const char weft_profile_tool;
}

namespace weft::shmem {
namespace {

bool check_asked_for() noexcept {
  const char* value = ::secure_getenv("SHMEM_DEBUG");
  return base::parse_debug(value != nullptr ? value : ::secure_getenv("SMA_DEBUG")).check;
}

bool profile_asked_for() noexcept {
  const char* folder = ::secure_getenv("WEFT_PROFILE");
  return folder != nullptr && *folder != '\0';
}

}  // namespace

// In the order in which a call comes to them.
constinit const job::Tool kTools[] = {
    {"libweft_profile.so", "WEFT_PROFILE", profile_asked_for, []() noexcept { return &weft_profile_tool != nullptr; }},
    {"libweft_check.so", "SHMEM_DEBUG=check", check_asked_for, []() noexcept { return &weft_check_tool != nullptr; }},
};

}  // namespace weft::shmem

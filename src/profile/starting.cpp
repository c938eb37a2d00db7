// How a recording begins, and that it ends with the process.
#include <cstdio>
#include <cstdlib>

#include "interpose/real.hpp"
#include "profile/beginning.hpp"
#include "profile/hooks.hpp"
#include "profile/program_site.hpp"
#include "profile/session.hpp"

// libweft.so sees by it that this library is loaded.
extern "C" [[gnu::visibility("default")]] const char weft_profile_tool;
extern "C" const char weft_profile_tool = 1;

namespace weft::profile {
namespace {

bool library_is_started() noexcept {
  int initialised = 0;
  WEFT_REAL(query_initialized)(&initialised);
  return initialised != 0;
}

void open(const char* folder, api::Call call, const Moment& moment) noexcept {
  const auto opened = open_session(shmem_beginning(folder, WEFT_REAL(my_pe)(), WEFT_REAL(n_pes)(), moment));
  if (!opened) {
    char text[600];
    (void)std::snprintf(text, sizeof text, "WEFT_PROFILE: %s; this PE goes on without a profile",
                        opened.error().text());
    interpose::library().say(api::call_name(call), text);
  }
}

[[gnu::destructor]] void note_exit() { mark_end(State::kExited); }

}  // namespace

Starting::Starting(const interpose::Invocation& call) noexcept : call_(call) {
  if (session_header() == nullptr) {
    choose_clock();
  }
  moment_ = session_clock().moment();
}

Starting::~Starting() {
  const char* folder = ::secure_getenv("WEFT_PROFILE");
  if (folder == nullptr || *folder == '\0' || !library_is_started()) {
    return;
  }
  if (session_header() == nullptr) {
    open(folder, call_.call, moment_);
  }
  // Also where another front end has opened it.
  if (Header* header = session_header(); header != nullptr && header->heap_bytes == 0) {
    header->heap_bytes = interpose::library().heap_bytes();
    find_fortran();
  }
  Probe probe = begin(static_cast<std::uint32_t>(call_.call), Kind::kSetup, call_.site);
  probe.begin = moment_.ticks;
  end(probe, Kind::kSetup, 0, -1);
}

}  // namespace weft::profile

// How a recording begins, and that it ends with the process.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "interpose/real.hpp"
#include "profile/hooks.hpp"
#include "profile/program_site.hpp"
#include "profile/routines.hpp"
#include "profile/session.hpp"

// libweft.so sees by it that this library is loaded.
extern "C" [[gnu::visibility("default")]] const char weft_profile_tool;
extern "C" const char weft_profile_tool = 1;

namespace weft::profile {
namespace {

// Of all PEs together; a trace of more is too large for what shows it.
constexpr std::uint32_t kTraceEvents = 1U << 20;
constexpr std::uint32_t kTraceEventsPerThread = 1U << 16;

std::uint32_t trace_room(int n_pes) noexcept {
  const bool wanted = ::secure_getenv("WEFT_PROFILE_TRACE") != nullptr;
  return wanted ? std::min(kTraceEventsPerThread, kTraceEvents / static_cast<std::uint32_t>(n_pes)) : 0;
}

bool library_is_started() noexcept {
  int initialised = 0;
  WEFT_REAL(query_initialized)(&initialised);
  return initialised != 0;
}

void open(const char* folder, api::Call call, const Moment& moment) noexcept {
  const int n_pes = WEFT_REAL(n_pes)();
  const auto opened = open_session({.folder = folder,
                                    .pe = WEFT_REAL(my_pe)(),
                                    .n_pes = n_pes,
                                    .trace_room = trace_room(n_pes),
                                    .interface = kInterface,
                                    .calls = api::kCalls,
                                    .calls_hash = hash_of_routines(),
                                    .moment = moment});
  if (!opened) {
    char text[600];
    (void)std::snprintf(text, sizeof text, "WEFT_PROFILE: %s; this PE goes on without a profile",
                        opened.error().text());
    interpose::library().say(api::call_name(call), text);
    return;
  }
  session_header()->heap_bytes = interpose::library().heap_bytes();
  find_fortran();
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
  Probe probe = begin(call_.call, Kind::kSetup, call_.site);
  probe.begin = moment_.ticks;
  end(probe, Kind::kSetup, 0, -1);
}

}  // namespace weft::profile

#include "check/report.hpp"

#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "base/options.hpp"
#include "check/board.hpp"
#include "check/tool.hpp"
#include "interpose/site.hpp"

namespace weft::check {
namespace {

std::mutex g_mutex;
std::map<const void*, std::string> g_places;  // what has been looked up
std::set<const void*> g_noted;                // where note_here has spoken of

thread_local bool t_telling = false;  // this library says the place itself

const char* name_of(const Invocation& call) noexcept {
  const char* other = interpose::library().caller_name();
  return other != nullptr ? other : api::call_name(call.call);
}

bool carries_on() noexcept {
  const char* value = ::secure_getenv("SHMEM_DEBUG");
  return base::parse_debug(value != nullptr ? value : ::secure_getenv("SMA_DEBUG")).carry_on;
}

// For lines of the library itself: it knows the routine, this library the place.
bool tell_place(char* room, std::size_t size) noexcept {
  const Invocation* call = current();
  if (call == nullptr || t_telling) {
    return false;
  }
  (void)std::snprintf(room, size, "%s", place(interpose::program_site(call->site)).c_str());
  return true;
}

// Another PE has begun to tell. It ends the job, and this one with it.
void let_the_other_tell() noexcept {
  timespec rest{10, 0};
  while (::nanosleep(&rest, &rest) != 0) {
  }
  ::_exit(1);
}

std::string joined(const std::string& what, const std::vector<std::string>& context) {
  std::string lines = what;
  for (const std::string& line : context) {
    lines += "\n    " + line;
  }
  return lines;
}

const interpose::AtLibrary g_tell_places([] { interpose::library().set_place(tell_place); });

}  // namespace

std::string text(const char* format, ...) {
  char room[1024];
  va_list args;
  va_start(args, format);
  (void)std::vsnprintf(room, sizeof room, format, args);
  va_end(args);
  return room;
}

Made made_here() noexcept {
  const Invocation* call = current();
  return call == nullptr ? Made{} : Made{call->call, interpose::program_site(call->site)};
}

void look_up(const std::vector<const void*>& sites) {
  const std::scoped_lock lock(g_mutex);
  std::vector<const void*> unknown;
  for (const void* site : sites) {
    if (!g_places.contains(site)) {
      g_places[site];
      unknown.push_back(site);
    }
  }
  if (!unknown.empty()) {
    const std::vector<std::string> found = interpose::describe_sites(unknown);
    for (std::size_t k = 0; k < unknown.size(); ++k) {
      g_places[unknown[k]] = found[k];
    }
  }
}

std::string place(const void* site) {
  look_up({site});
  const std::scoped_lock lock(g_mutex);
  const std::string& found = g_places[site];
  return (found.find(" at ") != std::string::npos ? "in " : "at ") + found;
}

std::string told(const Made& made) { return std::string(api::call_name(made.call)) + " " + place(made.site); }

void report(const std::string& what, const std::vector<std::string>& context) {
  const bool going_on = carries_on();
  if (!going_on && !first_to_report()) {
    let_the_other_tell();
  }
  t_telling = true;
  const Invocation* call = current();
  const std::string name = call == nullptr ? "safe mode" : name_of(*call);
  const std::string where = call == nullptr ? "" : " (called " + place(made_here().site) + ")";
  std::string lines = joined(what + where, context);
  if (!going_on) {
    lines += "\n    SHMEM_DEBUG=check,continue goes on after a report";
    interpose::library().fail(name.c_str(), lines.c_str());
  }
  interpose::library().say(name.c_str(), lines.c_str());
  t_telling = false;
}

void report_fault(const std::string& what, const std::string& detail, const std::vector<std::string>& context) {
  if (!first_to_report()) {
    let_the_other_tell();
  }
  const std::string where = what + " " + place(interpose::interrupted_site()) + ": ";
  interpose::library().fail(nullptr, joined(where + detail, context).c_str());
}

void note_here(const std::string& what) {
  const Invocation* call = current();
  const void* site = made_here().site;
  {
    const std::scoped_lock lock(g_mutex);
    if (!g_noted.insert(site).second) {
      return;
    }
  }
  note(std::string(name_of(*call)) + ": " + what + " (called " + place(site) + ")");
}

void note(const std::string& what) { interpose::library().say("note", what.c_str()); }

}  // namespace weft::check

#include "job/tools.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/lines.hpp"
#include "base/words.hpp"
#include "job/node.hpp"
#include "os/start_again.hpp"

namespace weft::job {
namespace {

// "<process id>:<LD_PRELOAD as it was>", in a program that was started anew. With the process id, since the variable
// must mean nothing to programs that this one starts.
constexpr const char* kMark = "WEFT_PRELOADED";
constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kSearch = "LD_LIBRARY_PATH";

bool missing(const Tool& tool) noexcept { return tool.asked_for() && !tool.loaded(); }

// That the core was loaded from, where tools lie too: all are of one version, and an installation can be moved. Front
// ends' libraries may lie elsewhere. `folder` has room for PATH_MAX letters.
bool find_own_folder(char* folder) noexcept {
  Dl_info info{};
  link_map* self = nullptr;
  const auto* here = static_cast<const void*>(&kMark);
  return ::dladdr1(here, &info, reinterpret_cast<void**>(&self), RTLD_DL_LINKMAP) != 0 &&
         ::dlinfo(self, RTLD_DI_ORIGIN, folder) == 0;
}

// LD_PRELOAD ends a path at a blank, LD_LIBRARY_PATH does not: a library in such a folder is named without it and found
// by the latter.
bool needs_search(const char* folder) noexcept { return std::strchr(folder, ' ') != nullptr; }

void search_in(const char* folder) noexcept {
  const char* before = ::secure_getenv(kSearch);
  char* path = nullptr;
  if (::asprintf(&path, "%s%s%s", folder, before != nullptr ? ":" : "", before != nullptr ? before : "") >= 0) {
    (void)::setenv(kSearch, path, 1);
    std::free(path);
  }
}

void search_no_more_in(const char* folder) noexcept {
  const char* now = ::secure_getenv(kSearch);
  const std::size_t length = std::strlen(folder);
  if (now == nullptr || std::strncmp(now, folder, length) != 0) {
    return;
  }
  if (now[length] == ':') {
    (void)::setenv(kSearch, now + length + 1, 1);
  } else if (now[length] == '\0') {
    (void)::unsetenv(kSearch);
  }
}

// The tools that are missing, as LD_PRELOAD takes them.
base::Result<void> list_missing(Tools tools, const char* folder, char* list, std::size_t room) noexcept {
  std::size_t used = 0;
  for (const Tool& tool : tools) {
    if (!missing(tool)) {
      continue;
    }
    char* path = list + used + (used == 0 ? 0 : 1);
    int length = std::snprintf(path, room - used - 1, "%s/%s", folder, tool.library);
    if (::access(path, R_OK) != 0) {
      return base::Error::make("%s is not there; install Weft anew", path);
    }
    if (needs_search(folder)) {
      length = std::snprintf(path, room - used - 1, "%s", tool.library);
    }
    if (used != 0) {
      list[used] = ':';
    }
    used = static_cast<std::size_t>(path - list + length);
  }
  return {};
}

// The run-time of a sanitizer refuses to start behind another library, so one that is loaded goes before the tools.
const char* sanitizer() noexcept {
  for (const char* function : {"__asan_init", "__tsan_init"}) {
    Dl_info info{};
    const void* at = ::dlsym(RTLD_DEFAULT, function);
    if (at != nullptr && ::dladdr(at, &info) != 0 && std::strstr(info.dli_fname, ".so") != nullptr) {
      return info.dli_fname;
    }
  }
  return "";
}

// Takes the traces of the new start out of the environment: programs that this one starts are none of ours.
bool was_started_again() noexcept {
  const char* mark = ::secure_getenv(kMark);
  if (mark == nullptr) {
    return false;
  }
  char* before = nullptr;
  const bool own = std::strtol(mark, &before, 10) == ::getpid() && *before == ':';
  if (own && before[1] != '\0') {
    (void)::setenv(kPreload, before + 1, 1);
  } else if (own) {
    (void)::unsetenv(kPreload);
  }
  (void)::unsetenv(kMark);
  if (char folder[PATH_MAX]; own && find_own_folder(folder) && needs_search(folder)) {
    search_no_more_in(folder);
  }
  return own;
}

// Says why it could not.
base::Error start_with_tools(char* const* argv, Tools tools) noexcept {
  char folder[PATH_MAX];
  if (!find_own_folder(folder)) {
    return base::Error::make("cannot find out where %s lies", base::words().library);
  }
  char list[4 * PATH_MAX];
  if (const auto listed = list_missing(tools, folder, list, sizeof list); !listed) {
    return listed.error();
  }
  if (!os::is_starting(tools.data())) {  // which are the front end's
    return base::Error::make("%s was loaded by a program that runs (dlopen); start it with LD_PRELOAD=%s",
                             base::words().library, list);
  }
  const char* found = ::secure_getenv(kPreload);
  const char* before = found != nullptr ? found : "";
  const char* first = sanitizer();
  char* preload = nullptr;
  char* mark = nullptr;
  if (::asprintf(&preload, "%s%s%s%s%s", first, *first != '\0' ? ":" : "", list, *before != '\0' ? ":" : "", before) <
          0 ||
      ::asprintf(&mark, "%d:%s", ::getpid(), before) < 0) {
    return base::Error::make("no memory to start the program anew");
  }
  (void)::setenv(kPreload, preload, 1);
  (void)::setenv(kMark, mark, 1);
  if (needs_search(folder)) {
    search_in(folder);
  }
  const base::Error why = os::start_again(argv);
  (void)was_started_again();  // the program goes on without
  return base::Error::make("%s; start it with LD_PRELOAD=%s", why.text(), list);
}

}  // namespace

bool tool_is_loaded(Tools tools) noexcept {
  for (const Tool& tool : tools) {
    if (tool.loaded()) {
      return true;
    }
  }
  return false;
}

void tell_of_blind_tools(Tools tools) noexcept {
  for (const Tool& tool : tools) {
    if (tool.loaded() && !job::has_tool_site()) {
      base::say(job::current_call(),
                "%s is loaded and sees no call: the program looks routines up in %s itself (dlsym); let it open "
                "%s instead",
                tool.library, base::words().library, tool.library);
    }
  }
}

base::Result<void> load_tools(char* const* argv, Tools tools) noexcept {
  const bool again = was_started_again();
  for (const Tool& tool : tools) {
    if (missing(tool)) {
      const base::Error why =
          again ? base::Error::make("the dynamic linker did not load %s; does the program run as another user?",
                                    tool.library)
                : start_with_tools(argv, tools);
      return base::Error::make("%s: %s, or unset it", tool.asked_by, why.text());
    }
  }
  return {};
}

}  // namespace weft::job

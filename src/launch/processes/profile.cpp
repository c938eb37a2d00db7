#include "launch/processes/profile.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "helper/helper.hpp"

namespace weft::launch::processes {
namespace {

using base::Error;
using base::Result;

bool is_ours(std::string_view name) {
  const bool recording = name.size() > 5 && name.substr(name.size() - 5) == ".weft";
  return recording || name == "profile.json" || name == "profile.html" || name == "trace.json";
}

// A PE that this job does not have, or a page of what it was, would pass for this job's.
Result<void> forget_recording(const std::string& folder) {
  DIR* entries = ::opendir(folder.c_str());
  if (entries == nullptr) return Error::make("cannot read %.300s: %s", folder.c_str(), std::strerror(errno));
  Result<void> done;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string path = folder + "/" + entry->d_name;
    if (is_ours(entry->d_name) && ::unlink(path.c_str()) != 0) {
      done = Error::make("cannot remove %.300s: %s", path.c_str(), std::strerror(errno));
    }
  }
  (void)::closedir(entries);
  return done;
}

Result<void> make_folders(const std::string& folder) {
  for (std::size_t slash = folder.find('/', 1);; slash = folder.find('/', slash + 1)) {
    if (::mkdir(folder.substr(0, slash).c_str(), 0777) != 0 && errno != EEXIST) {
      return Error::make("cannot make the folder %.300s: %s", folder.substr(0, slash).c_str(), std::strerror(errno));
    }
    if (slash == std::string::npos) return {};
  }
}

}  // namespace

std::string new_profile_folder() {
  const std::string name = "weft-profile." + std::to_string(::getpid());
  std::string free = name;
  for (int k = 2; ::access(free.c_str(), F_OK) == 0; ++k) free = name + "." + std::to_string(k);
  return free;
}

Result<std::string> prepare_profile(const std::string& folder) {
  if (const Result<void> made = make_folders(folder); !made) return made.error();
  char* absolute = ::realpath(folder.c_str(), nullptr);
  if (absolute == nullptr) return Error::make("%.300s: %s", folder.c_str(), std::strerror(errno));
  const std::string path = absolute;
  std::free(absolute);
  if (const Result<void> forgotten = forget_recording(path); !forgotten) return forgotten.error();
  if (::access(path.c_str(), W_OK | X_OK) != 0) {
    return Error::make("may not write to %.300s: %s; name another folder", path.c_str(), std::strerror(errno));
  }
  return path;
}

Result<void> show_profile(const std::string& folder) {
  const Result<helper::Answer> summary =
      helper::ask(helper::beside_us("weft-profile"), {"weft-profile", "--ended-now", folder}, 0);
  if (!summary) return Error::make("%s; it comes with Weft: install Weft anew", summary.error().text());
  (void)std::fputs(summary->text.c_str(), stderr);  // standard output is the program's
  return {};
}

}  // namespace weft::launch::processes

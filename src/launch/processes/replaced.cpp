#include "launch/processes/replaced.hpp"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>

#include "boot/presence.hpp"
#include "launch/rules/records.hpp"
#include "os/process.hpp"

namespace weft::launch::processes {
namespace {

struct Close {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

enum class Maps : std::uint8_t { kNone, kOurs, kOthers };

// Of a PE the job's control file is mapped as long as its program runs. A zombie has no mappings at all.
Maps maps_of(const std::string& process) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen((process + "/maps").c_str(), "re"));
  if (!file) return errno == EACCES || errno == EPERM ? Maps::kOthers : Maps::kNone;  // another user's rights, or gone
  Maps found = Maps::kNone;
  char line[PATH_MAX + 128];
  while (std::fgets(line, sizeof line, file.get()) != nullptr) {
    if (std::strstr(line, "memfd:weft-control") != nullptr) return Maps::kOurs;
    found = Maps::kOthers;
  }
  return found;
}

std::optional<std::string> replacement_of(const boot::PeRecord& record, std::uint64_t mark) {
  const pid_t pid = record.pid.load(std::memory_order_relaxed);
  // One of the job's: a number in a container is not the one out here.
  if (pid <= 1 || !os::wears(pid, mark)) return std::nullopt;
  const std::string process = "/proc/" + std::to_string(pid);
  if (maps_of(process) != Maps::kOthers) return std::nullopt;
  char path[PATH_MAX];
  const ssize_t length = ::readlink((process + "/exe").c_str(), path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "another user's";
}

}  // namespace

std::optional<std::string> Replacements::find(int pe, const boot::PeRecord& record, std::uint64_t now) {
  // The thread that loaded the library may have ended, and the program goes on: then it seems replaced for good, and
  // each look reads a file of all that the process has mapped.
  constexpr std::uint64_t kBetweenLooks = 1'000'000'000;  // ns
  if (rules::phase_of(record) != boot::Phase::kInitialised || !boot::seems_replaced(record)) return std::nullopt;
  std::uint64_t& not_before = not_before_[static_cast<std::size_t>(pe)];
  if (now < not_before) return std::nullopt;
  not_before = now + kBetweenLooks;
  return replacement_of(record, mark_);
}

}  // namespace weft::launch::processes

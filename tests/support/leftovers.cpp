#include "support/leftovers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <random>

namespace weft::test {

namespace fs = std::filesystem;

namespace {

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // ends where reading fails, as it does in the files of a process that has just ended
  return text.str();
}

bool carries(const std::string& environment, const std::string& assignment) {
  // Entries end with a NUL; the whole entry must be equal, so that mark 1 is not found in mark 12.
  std::size_t at = 0;
  while ((at = environment.find(assignment, at)) != std::string::npos) {
    const std::size_t end = at + assignment.size();
    if ((at == 0 || environment[at - 1] == '\0') && (end == environment.size() || environment[end] == '\0'))
      return true;
    at = end;
  }
  return false;
}

/// Whether the kernel says that a process has an empty environment. In the middle of exec it has none yet, and no
/// address of one; kernel threads, zombies and other people's processes have no executable that we may see.
bool has_no_environment(const fs::path& process) {
  std::error_code none;
  if (fs::read_symlink(process / "exe", none).empty()) return true;
  const std::string stat = read_all(process / "stat");
  std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  constexpr int kStart = 50;  // fields are counted from 1 (proc(5)); those after the name begin with the third
  std::string skipped;
  for (int field = 3; field < kStart; ++field) fields >> skipped;
  unsigned long start = 0;
  unsigned long end = 0;
  return !(fields >> start >> end) || (end != 0 && start == end);
}

std::string environment_of(const fs::path& process) {
  std::string environment;
  (void)eventually(
      [&] {
        environment = read_all(process / "environ");
        return !environment.empty() || has_no_environment(process);
      },
      Milliseconds(2000));
  return environment;
}

std::string describe(const fs::path& process) {
  std::string command = read_all(process / "cmdline");
  std::replace(command.begin(), command.end(), '\0', ' ');
  const std::string stat = read_all(process / "stat");
  const std::size_t name_end = stat.rfind(')');
  const std::string state =
      name_end != std::string::npos && name_end + 2 < stat.size() ? stat.substr(name_end + 2, 1) : "?";
  const std::string waits = read_all(process / "wchan");
  return "state " + state + (waits.empty() || waits == "0" ? "" : " in " + waits) + ": " + command;
}

}  // namespace

Mark::Mark() {
  std::random_device random;
  assignment_ = "WEFT_TEST_MARK=" + std::to_string(::getpid()) + "." + std::to_string(random());
}

namespace {

std::vector<Process> look_for(const Mark& mark) {
  std::vector<Process> found;
  std::error_code ignored;  // processes come and go while we look
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    const auto pid = static_cast<pid_t>(std::stol(name));
    if (pid == ::getpid() || !carries(environment_of(entry.path()), mark.assignment())) continue;
    found.push_back({pid, describe(entry.path())});
  }
  return found;
}

}  // namespace

// Twice where none is found: for an instant in the middle of exec the kernel shows no executable either, and a process
// looks as if it had no environment.
std::vector<Process> processes(const Mark& mark) {
  std::vector<Process> found = look_for(mark);
  return found.empty() ? look_for(mark) : found;
}

void kill_all(const Mark& mark) {
  // A process may fork between our look and our kill: repeat until none is seen.
  (void)eventually(
      [&] {
        const std::vector<Process> found = processes(mark);
        for (const Process& process : found) (void)::kill(process.pid, SIGKILL);
        return found.empty();
      },
      Milliseconds(5000));
}

std::vector<std::string> shared_objects() {
  std::vector<std::string> found;
  for (const std::string& name : files_in("/dev/shm")) {
    if (name.find("weft") != std::string::npos || name.find("oshrun") != std::string::npos) found.push_back(name);
  }
  return found;
}

std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) found.push_back(entry.path().filename());
  std::sort(found.begin(), found.end());
  return found;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (fs::temp_directory_path() / "weft-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    std::perror("tests: mkdtemp");
    std::abort();
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string leftovers(const Mark& mark, const TemporaryDirectory& files, Milliseconds grace) {
  std::string text;
  (void)eventually(
      [&] {
        text.clear();
        for (const Process& process : processes(mark)) {
          text += "process " + std::to_string(process.pid) + " " + process.text + "\n";
        }
        for (const std::string& name : shared_objects()) text += "/dev/shm/" + name + "\n";
        for (const std::string& name : files_in(files.path())) text += "temporary file " + name + "\n";
        return text.empty();
      },
      grace);
  return text;
}

}  // namespace weft::test

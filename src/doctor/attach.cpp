#include "doctor/attach.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "doctor/process.hpp"

namespace weft::doctor {
namespace {

using base::Error;
using base::Result;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) return names;
  while (const dirent* entry = ::readdir(open)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  (void)::closedir(open);
  return names;
}

// Opens the file in memory that the process knows by this label; -1 when it has none.
int open_file_of(int process, const char* label) {
  const std::string folder = "/proc/" + std::to_string(process) + "/fd/";
  const std::string target = std::string("/memfd:") + label + " ";
  for (const std::string& name : names_in(folder)) {
    char text[PATH_MAX];
    const ssize_t length = ::readlink((folder + name).c_str(), text, sizeof text);
    if (length <= 0 || std::string_view(text, static_cast<std::size_t>(length)).rfind(target, 0) != 0) continue;
    return ::open((folder + name).c_str(), O_RDONLY | O_CLOEXEC);
  }
  return -1;
}

bool is_launcher(int process) {
  const int fd = open_file_of(process, "weft-control");
  if (fd < 0) return false;
  boot::JobHeader header{};
  const bool whole = ::pread(fd, static_cast<void*>(&header), sizeof header, 0) == static_cast<ssize_t>(sizeof header);
  (void)::close(fd);
  return whole && header.magic == boot::kJobMagic && header.launcher_pid == process;
}

}  // namespace

Result<Job> attach(int launcher) {
  if (!is_launcher(launcher)) {
    return Error::make("process %d is no oshrun that runs a job of yours", launcher);
  }
  Job job;
  const int control = open_file_of(launcher, "weft-control");
  job.data_fd = open_file_of(launcher, "weft-data");
  job.heap_fd = open_file_of(launcher, "weft-heap");
  if (job.heap_fd < 0) job.heap_fd = job.data_fd;
  struct stat file {};
  if (control < 0 || ::fstat(control, &file) != 0) {
    return Error::make("the job of process %d has just ended", launcher);
  }
  void* mapped = ::mmap(nullptr, static_cast<std::size_t>(file.st_size), PROT_READ, MAP_SHARED, control, 0);
  (void)::close(control);
  if (mapped == MAP_FAILED) return Error::make("cannot map the job's control file: %s", std::strerror(errno));
  job.header = static_cast<boot::JobHeader*>(mapped);
  if (job.header->layout != boot::kJobLayout) {
    return Error::make("the job of process %d was started by an oshrun of another version; use that one", launcher);
  }
  return job;
}

std::vector<bool> living(const Job& job) {
  std::vector<bool> alive;
  for (int pe = 0; pe < static_cast<int>(job.header->n_pes); ++pe) {
    const int pid = boot::pe_record(job.header, pe)->pid.load(std::memory_order_relaxed);
    // 0: it has not loaded the library yet. Elsewhere the launcher notes it with -1 when one is gone.
    alive.push_back(pid == 0 || (job.elsewhere() ? pid > 0 : lives(pid)));
  }
  return alive;
}

std::vector<int> jobs() {
  std::vector<int> found;
  for (const std::string& name : names_in("/proc")) {
    const int process = std::atoi(name.c_str());
    if (process > 0 && is_launcher(process)) found.push_back(process);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace weft::doctor

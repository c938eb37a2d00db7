#include "doctor/look_in.hpp"

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

#include "boot/enter.hpp"
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

constexpr std::uint64_t bytes_of_records(std::uint32_t n_pes) { return boot::records_bytes(static_cast<int>(n_pes)); }

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

// Any process may make a file of this name, with anything in it: nothing in the header is used before it is known to be
// what oshrun makes, and the file can neither shrink nor is too short for what is read of it.
Result<void> check(int fd, int launcher, boot::JobHeader* header) {
  const Error not_ours = Error::make("process %d is no oshrun that runs a job of yours", launcher);
  struct stat file {};
  if (fd < 0 || ::fstat(fd, &file) != 0) return not_ours;
  const ssize_t got = ::pread(fd, static_cast<void*>(header), sizeof *header, 0);
  if (got != static_cast<ssize_t>(sizeof *header) || header->magic != boot::kJobMagic ||
      header->launcher_pid != launcher) {
    return not_ours;
  }
  if (header->layout != boot::kJobLayout) {
    return Error::make("the job of process %d was started by an oshrun of another version; use that one", launcher);
  }
  const int seals = ::fcntl(fd, F_GET_SEALS);
  const bool whole = header->n_pes >= 1 && header->n_pes <= static_cast<std::uint32_t>(boot::kMostJobPes) &&
                     static_cast<std::uint64_t>(file.st_size) >= bytes_of_records(header->n_pes);
  if (!whole || seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return Error::make("the job's file of process %d is damaged: %lld bytes for %u PEs", launcher,
                       static_cast<long long>(file.st_size), header->n_pes);
  }
  return {};
}

bool is_launcher(int process) {
  const int fd = open_file_of(process, "weft-control");
  boot::JobHeader header{};
  const bool is_one = static_cast<bool>(check(fd, process, &header));
  if (fd >= 0) (void)::close(fd);
  return is_one;
}

}  // namespace

Result<Job> look_in(int launcher) {
  const int control = open_file_of(launcher, "weft-control");
  boot::JobHeader header{};
  const Result<void> checked = check(control, launcher, &header);
  if (!checked) {
    if (control >= 0) (void)::close(control);
    return checked.error();
  }
  void* mapped = ::mmap(nullptr, bytes_of_records(header.n_pes), PROT_READ, MAP_SHARED, control, 0);
  (void)::close(control);
  if (mapped == MAP_FAILED) return Error::make("cannot map the job's control file: %s", std::strerror(errno));
  const int data = open_file_of(launcher, "weft-data");
  const int heap = open_file_of(launcher, "weft-heap");
  return Job{static_cast<boot::JobHeader*>(mapped), data, heap < 0 ? data : heap, Shape(header), launcher};
}

std::vector<bool> living(const Job& job) {
  std::vector<bool> alive;
  for (int pe = 0; pe < job.shape.n_pes; ++pe) {
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

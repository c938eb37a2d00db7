#include "pmi/identity.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "boot/job.hpp"
#include "os/memory_info.hpp"
#include "pmi/manager.hpp"

namespace weft::pmi {
namespace {

static_assert(sizeof(Identity) <= kMostValue && std::is_trivially_copyable_v<Identity>);

// "f81d4fae-7dec-..." as 16 bytes. A kernel that does not tell leaves zeros: then the evidence alone decides.
void read_boot_id(std::uint8_t* id) noexcept {
  char text[64] = "";
  const int fd = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return;
  }
  const ssize_t bytes = ::read(fd, text, sizeof text - 1);
  (void)::close(fd);
  int digits = 0;
  for (ssize_t k = 0; k < bytes && digits < 32; ++k) {
    const char c = text[k];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit >= 0) {
      id[digits / 2] = static_cast<std::uint8_t>(id[digits / 2] * 16 + digit);
      ++digits;
    }
  }
}

}  // namespace

base::Result<Identity> describe_self(const base::Options& options, int token_fd, const Token& token,
                                     int statics_fd) noexcept {
  Identity self;
  self.layout = boot::kJobLayout;
  self.cpu_quota = static_cast<std::uint32_t>(os::cpu_quota());
  read_boot_id(self.boot_id);
  struct stat space {};
  self.pid_space = ::stat("/proc/self/ns/pid", &space) == 0 ? space.st_ino : 0;
  const auto token_file = describe_file(token_fd);
  if (!token_file) {
    return token_file.error();
  }
  const auto statics_file = describe_file(statics_fd);
  if (!statics_file) {
    return statics_file.error();
  }
  self.token_file = *token_file;
  self.token = token;
  self.statics_file = *statics_file;
  if (::getrandom(self.job_key, sizeof self.job_key, 0) != static_cast<ssize_t>(sizeof self.job_key)) {
    return base::Error::make("cannot get random numbers: %s", std::strerror(errno));
  }
  const os::MemoryInfo memory = os::memory_info();
  self.heap = {options.symmetric_size.value,
               memory.bytes,
               options.symmetric_size.given,
               options.overcommit.on,
               static_cast<std::uint8_t>(options.pages()),
               memory.is_container,
               0};
  cpu_set_t cpus;
  static_assert(sizeof cpus == sizeof self.cpus);
  if (::sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    std::memcpy(self.cpus, &cpus, sizeof cpus);
  }
  (void)::gethostname(self.host, sizeof self.host - 1);
  return self;
}

base::Result<void> agree(const Identity& own, const Identity& other, int pe) noexcept {
  constexpr int kHost = sizeof other.host;  // its end may be missing
  if (other.layout != own.layout) {
    return base::Error::make("PE %d (on %.*s) runs another version of Weft; all PEs must have the same libweft.so", pe,
                             kHost, other.host);
  }
  if (other.heap.asked != own.heap.asked || other.heap.given != own.heap.given || other.heap.pages != own.heap.pages ||
      other.heap.overcommit != own.heap.overcommit) {
    return base::Error::make(
        "PE %d (on %.*s) has SHMEM_SYMMETRIC_SIZE, WEFT_HUGE_PAGES or WEFT_OVERCOMMIT set to something else (its heap: "
        "%llu bytes, this PE's: %llu); have the launcher pass the same environment to all PEs",
        pe, kHost, other.host, static_cast<unsigned long long>(other.heap.asked),
        static_cast<unsigned long long>(own.heap.asked));
  }
  return {};
}

bool may_share(const Identity& one, const Identity& other) noexcept {
  return one.heap.named != 0 && other.heap.named != 0 &&
         std::memcmp(one.boot_id, other.boot_id, sizeof one.boot_id) == 0 && one.pid_space == other.pid_space;
}

}  // namespace weft::pmi

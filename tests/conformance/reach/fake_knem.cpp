#include "fake_knem.hpp"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "reach/knem.hpp"

namespace weft::reach::test {
namespace {

constexpr int kRegions = 1024;
constexpr std::uint32_t kFailed = 2;

struct FakeRegion {
  std::atomic<std::int32_t> pid;  // 0: free
  std::uint64_t address, bytes;
  std::uint32_t protection;
};
FakeRegion* g_regions = nullptr;

int answer(int error) {
  errno = error;
  return error == 0 ? 0 : -1;
}

int create(knem::Create* what) {
  const auto* segment = reinterpret_cast<const knem::Segment*>(what->segments);
  for (int k = 0; k < kRegions; ++k) {
    std::int32_t none = 0;
    if (g_regions[k].pid.compare_exchange_strong(none, ::getpid())) {
      g_regions[k].address = segment->address;
      g_regions[k].bytes = segment->bytes;
      g_regions[k].protection = what->protection;
      what->cookie = static_cast<std::uint64_t>(k) + 1;
      return answer(0);
    }
  }
  return answer(ENOMEM);
}

FakeRegion* find(std::uint64_t cookie) {
  return cookie >= 1 && cookie <= kRegions && g_regions[cookie - 1].pid != 0 ? &g_regions[cookie - 1] : nullptr;
}

int destroy(const std::uint64_t* cookie) {
  FakeRegion* region = find(*cookie);
  if (region == nullptr) return answer(EINVAL);
  region->pid = 0;
  return answer(0);
}

int copy(knem::Copy* what) {
  FakeRegion* region = find(what->cookie);
  if (region == nullptr || what->offset > region->bytes) return answer(EINVAL);
  const bool writes = what->write != 0;
  if ((region->protection & static_cast<std::uint32_t>(writes ? PROT_WRITE : PROT_READ)) == 0) return answer(EACCES);
  const auto* segments = reinterpret_cast<const knem::Segment*>(what->segments);
  std::uint64_t at = region->address + what->offset;
  for (std::uint32_t k = 0; k < what->n_segments; ++k) {
    const iovec here{reinterpret_cast<void*>(segments[k].address), segments[k].bytes};
    const iovec there{reinterpret_cast<void*>(at), segments[k].bytes};
    const ssize_t came = writes ? ::process_vm_writev(region->pid, &here, 1, &there, 1, 0)
                                : ::process_vm_readv(region->pid, &here, 1, &there, 1, 0);
    if (came < 0 && errno == ESRCH) return answer(EINVAL);  // the driver forgets a process's regions with it
    if (came != static_cast<ssize_t>(segments[k].bytes)) {
      what->status = kFailed;
      return answer(0);
    }
    at += segments[k].bytes;
  }
  what->status = knem::kSuccess;
  return answer(0);
}

}  // namespace

void make_knem() {
  void* at = ::mmap(nullptr, kRegions * sizeof(FakeRegion), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_regions = at == MAP_FAILED ? nullptr : static_cast<FakeRegion*>(at);
}

int control_knem(int, unsigned long command, void* argument) {
  if (g_regions == nullptr) return answer(ENXIO);
  if (command == knem::kGetInfo) {
    static_cast<knem::Info*>(argument)->version = knem::kVersion;
    return answer(0);
  }
  if (command == knem::kCreateRegion) return create(static_cast<knem::Create*>(argument));
  if (command == knem::kDestroyRegion) return destroy(static_cast<const std::uint64_t*>(argument));
  if (command == knem::kCopy) return copy(static_cast<knem::Copy*>(argument));
  return answer(EINVAL);
}

}  // namespace weft::reach::test

#include "profile/clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace weft::profile {

bool tsc_can_be_trusted() noexcept {
#if defined(__x86_64__)
  constexpr unsigned kInvariant = 1U << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 || (d & kInvariant) == 0) {
    return false;
  }
  const int file = ::open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  char name[16] = "";
  const ssize_t length = ::read(file, name, sizeof name - 1);
  ::close(file);
  return length == 4 && std::strcmp(name, "tsc\n") == 0;
#else
  return false;
#endif
}

}  // namespace weft::profile

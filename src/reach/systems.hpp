// What of the system the ways use, so that tests can put something else in its place: kernel modules that are not here,
// settings that cannot be changed.
#pragma once

namespace weft::reach {

struct Systems {
  const char* ptrace_scope = "/proc/sys/kernel/yama/ptrace_scope";
  const char* xpmem_device = "/dev/xpmem";
  const char* xpmem_library = "libxpmem.so.0";
  const char* knem_device = "/dev/knem";
  /// ioctl, for knem's device. Null: the system's.
  int (*knem_control)(int device, unsigned long command, void* argument) = nullptr;
};

}  // namespace weft::reach

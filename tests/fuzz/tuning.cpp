// The file that `weft-perf --tune` writes.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "fuzz.hpp"
#include "transport/transport.hpp"
#include "transport/tuning.hpp"

using weft::fuzz::must;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("tuning", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  must(::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the file is written");
  const auto bytes = weft::transport::read_tuning(path.c_str(), "tcp");
  if (!bytes) {
    weft::fuzz::must_be_a_line(bytes.error().text());
  } else if (*bytes) {
    must(**bytes <= weft::transport::kMostCopyBytes, "what is copied has bounds");
  }
  return 0;
}

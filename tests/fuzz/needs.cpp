// The file of a program that is to be started: which libraries it asks for.
#include "launch/command/needs.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.hpp"

using weft::fuzz::must;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int fd = ::memfd_create("program", MFD_CLOEXEC);
  must(fd >= 0 && ::write(fd, data, size) == static_cast<ssize_t>(size), "there is memory for the file");
  if (const auto needs = weft::launch::command::read_needs(fd)) {
    must(needs->libraries.size() <= size, "each library stands in the file");
    for (const std::string& library : needs->libraries) must(library.size() < size, "and so does its name");
    must(needs->rpath.size() < size && needs->runpath.size() < size, "and where they are looked for");
  }
  (void)::close(fd);
  return 0;
}

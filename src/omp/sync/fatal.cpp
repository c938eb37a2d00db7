#include "omp/sync/fatal.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weft::omp {

namespace {

void write_line(const char* format, std::va_list arguments) noexcept {
  char text[512] = "\nlibgomp: ";
  const std::size_t begun = std::strlen(text);
  const int more = std::vsnprintf(text + begun, sizeof text - begun - 1, format, arguments);
  std::size_t length = begun + (more > 0 ? static_cast<std::size_t>(more) : 0);
  length = length < sizeof text - 1 ? length : sizeof text - 2;
  text[length++] = '\n';
  (void)!::write(2, text, length);  // one write: lines of several threads do not mix
}

}  // namespace

void complain(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void die(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
  std::exit(1);
}

void* need_memory(unsigned long bytes, unsigned long alignment) noexcept {
  void* found = nullptr;
  if (::posix_memalign(&found, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes) != 0) {
    die("Out of memory allocating %lu bytes", bytes);
  }
  return found;
}

}  // namespace weft::omp

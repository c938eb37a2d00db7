#include "omp/sync/fatal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weft::omp {

namespace {

// More than all variables of the environment have to say; what is too much is said at once.
constexpr std::size_t kRoom = 4096;
constinit char g_kept[kRoom];
constinit std::size_t g_length = 0;
constinit bool g_keeps = false;

void put(const char* text, std::size_t length, bool may_wait) noexcept {
  if (may_wait && g_keeps && length <= kRoom - g_length) {
    (void)std::copy_n(text, length, g_kept + g_length);
    g_length += length;
    return;
  }
  (void)!::write(2, text, length);  // one write: lines of several threads do not mix
}

void write_line(const char* format, std::va_list arguments, bool may_wait) noexcept {
  char text[512] = "\nlibgomp: ";
  const std::size_t begun = std::strlen(text);
  const int more = std::vsnprintf(text + begun, sizeof text - begun - 1, format, arguments);
  std::size_t length = begun + (more > 0 ? static_cast<std::size_t>(more) : 0);
  length = length < sizeof text - 1 ? length : sizeof text - 2;
  text[length++] = '\n';
  put(text, length, may_wait);
}

}  // namespace

void keep_complaints() noexcept { g_keeps = true; }

void end_complaints(bool tell) noexcept {
  g_keeps = false;
  if (tell && g_length > 0) {
    (void)!::write(2, g_kept, g_length);
  }
  g_length = 0;
}

void complain(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments, true);
  va_end(arguments);
}

void die(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments, false);
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

#include "base/lines.hpp"

#include <stdio_ext.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>

#include "base/words.hpp"

namespace weft::base {
namespace {

constexpr int kMaxLine = 2048;

int g_pe = -1;
bool g_debug = false;
bool g_flush = true;
void (*g_hook)() = nullptr;
bool (*g_place)(char* text, std::size_t size) = nullptr;

// `place` may be null.
void write_line(const char* call, const char* place, const char* format, va_list args) noexcept {
  char line[kMaxLine];
  int used = g_pe >= 0 ? std::snprintf(line, sizeof line, "weft: %s %d: ", words().member, g_pe)
                       : std::snprintf(line, sizeof line, "weft: ");
  if (call != nullptr) {
    used += std::snprintf(line + used, sizeof line - static_cast<unsigned>(used), "%s: ", call);
  }
  const int text = std::vsnprintf(line + used, sizeof line - static_cast<unsigned>(used), format, args);
  used = text < 0 ? used : used + text;
  if (place != nullptr && used < kMaxLine) {
    used += std::snprintf(line + used, sizeof line - static_cast<unsigned>(used), " (called %s)", place);
  }
  if (used > kMaxLine - 1) {
    used = kMaxLine - 1;
  }
  line[used] = '\n';
  // Nothing sensible can be done when stderr is gone.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line, static_cast<unsigned>(used) + 1);
}

}  // namespace

void set_reporting_pe(int pe) noexcept { g_pe = pe; }
void set_failure_hook(void (*hook)()) noexcept { g_hook = hook; }
void leave_parent() noexcept {
  g_hook = nullptr;
  g_flush = __fpending(stdout) == 0;
}
void set_place_hook(bool (*hook)(char* text, std::size_t size)) noexcept { g_place = hook; }
void set_debug(bool on) noexcept { g_debug = on; }
bool debug_on() noexcept { return g_debug; }

void say(const char* call, const char* format, ...) noexcept {
  va_list args;
  va_start(args, format);
  write_line(call, nullptr, format, args);
  va_end(args);
}

void debug(const char* format, ...) noexcept {
  if (!g_debug) {
    return;
  }
  va_list args;
  va_start(args, format);
  write_line("debug", nullptr, format, args);
  va_end(args);
}

void flush_stdout() noexcept {
  if (g_flush && ftrylockfile(stdout) == 0) {
    fflush_unlocked(stdout);
    funlockfile(stdout);
  }
}

void fail(const char* call, const char* format, ...) noexcept {
  flush_stdout();
  char place[256];
  const bool placed = call != nullptr && g_place != nullptr && g_place(place, sizeof place);
  va_list args;
  va_start(args, format);
  write_line(call, placed ? place : nullptr, format, args);
  va_end(args);
  if (g_hook != nullptr) {
    g_hook();
  }
  // Not exit(): handlers of the program may call the library again or wait for PEs that will never answer.
  ::_exit(1);
}

}  // namespace weft::base

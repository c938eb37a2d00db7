// What the C++ library's containers throw ends here. Weft is built without exceptions, so nobody catches; but one
// thrown in the C++ library brings that library's whole machinery into each of ours: a hundred relocations, two hundred
// kilobytes, and 72 KiB of memory taken at the start of every process, for an exception when there is no other. Each
// library of Weft has these for itself, hidden: what a program throws is its own affair. meta.lean holds the libraries
// to it.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/lines.hpp"

namespace {

// Not by base::fail: who looks for the fault needs the stack that a crash tells.
[[noreturn]] void give_up(const char* what) noexcept {
  weft::base::say(nullptr, "a fault in Weft itself, which must not happen: %s; please report it", what);
  std::abort();
}

// One for all variables that the first call of a function makes. Making one may want another; none waits for another
// thread.
constinit std::recursive_mutex g_making;

// The first byte of a guard, by the ABI: not 0 once its variable is made. The rest is ours.
std::atomic_ref<char> made(std::int64_t* guard) noexcept {
  return std::atomic_ref<char>(*reinterpret_cast<char*>(guard));
}

}  // namespace

namespace std {

void __throw_length_error(const char* what) { give_up(what); }
void __throw_logic_error(const char* what) { give_up(what); }
void __throw_out_of_range(const char* what) { give_up(what); }
void __throw_out_of_range_fmt(const char* what, ...) { give_up(what); }
void __throw_invalid_argument(const char* what) { give_up(what); }
void __throw_runtime_error(const char* what) { give_up(what); }
void __throw_system_error(int) { give_up("a lock of the C++ library refuses"); }
void __throw_bad_cast() { give_up("bad_cast"); }
void __throw_bad_function_call() { give_up("an empty function was called"); }
void __throw_bad_alloc() { give_up("no memory for what counts its elements wrongly"); }
void __throw_bad_array_new_length() { give_up("an array longer than memory"); }

}  // namespace std

// NOLINTBEGIN(readability-identifier-naming): the ABI's names.
// Frames of the C++ library inside ours are passed by, as all of ours are: by a program's exception that crosses a
// function it gave us, and by a thread that is cancelled. 8 is "go on unwinding".
extern "C" {
int __gxx_personality_v0(int, int, unsigned long, void*, void*) { return 8; }

// The C++ library's own throw when a variable is wanted while it is made.
int weft_guard_acquire(std::int64_t* guard) {
  g_making.lock();
  // Relaxed: who made it held the lock.
  if (made(guard).load(std::memory_order_relaxed) == 0) return 1;
  g_making.unlock();
  return 0;
}

void weft_guard_release(std::int64_t* guard) {
  // Release: who finds it made, without the lock, finds the variable.
  made(guard).store(1, std::memory_order_release);
  g_making.unlock();
}

#ifndef WEFT_GUARDS_OF_PROGRAM  // libweft_image.so has these for the program too, and calls those above
int __cxa_guard_acquire(std::int64_t* guard) { return weft_guard_acquire(guard); }
void __cxa_guard_release(std::int64_t* guard) { weft_guard_release(guard); }
#endif

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

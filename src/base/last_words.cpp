// What is said where the C++ run-time would end the process without a word of ours: nobody here catches exceptions, and
// operator new throws one.
#include <cxxabi.h>
#include <errno.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <typeinfo>

#include "base/report.hpp"

namespace weft::base {
namespace {

constinit std::atomic_flag g_begun = ATOMIC_FLAG_INIT;
constinit std::terminate_handler g_before = nullptr;

void end_with_a_line() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  const bool is_memory = thrown != nullptr && std::strcmp(thrown->name(), "St9bad_alloc") == 0;
  if (!is_memory) {
    g_before();  // a program's own, where it shares the run-time with us
    return;
  }
  if (g_begun.test_and_set(std::memory_order_relaxed)) {  // relaxed: nothing else goes with it
    ::_exit(1);                                           // to say it took memory, too
  }
  fail(nullptr,
       "%s has run out of private memory (not of symmetric heap); start fewer PEs on this machine, or raise ulimit -v "
       "or "
       "the container's limit",
       program_invocation_short_name);
}

[[gnu::constructor]] void install() { g_before = std::set_terminate(end_with_a_line); }

}  // namespace
}  // namespace weft::base

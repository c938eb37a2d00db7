// Before the program's constructors: the processes of a job become one program. The dynamic linker has run the
// libraries' constructors by then, and the program's own start-up code calls what stands here before the C library's.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/lines.hpp"
#include "boot/enter.hpp"
#include "dsm/heap.hpp"
#include "dsm/owed.hpp"
#include "job/node.hpp"
#include "omp/program/outside.hpp"
#include "omp/program/program.hpp"
#include "omp/program/stacks.hpp"
#include "omp/program/table.hpp"
#include "os/mapping.hpp"
#include "os/start_again.hpp"

namespace weft::omp::program {
namespace {

using Main = int(int, char**, char**);
using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);

struct Call {
  Start* start;
  Main* main;
  int argc;
  char** argv;
  void (*init)();
  void (*fini)();
  void (*linker_fini)();
  void* stack_end;
};

// Null: this start is the program's own affair.
bool is_of_another_interface() noexcept {
  return ::dlsym(RTLD_DEFAULT, "shmem_init") != nullptr || ::dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr ||
         ::dlsym(RTLD_DEFAULT, "weft_shared_init") != nullptr;
}

// All have their libraries at the same addresses only where none are random. Where that is refused, comparing finds
// out.
void fix_addresses(char** argv) noexcept {
  const int now = ::personality(0xffffffff);
  if (now < 0 || (now & ADDR_NO_RANDOMIZE) != 0 ||
      ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) < 0) {
    return;
  }
  const int after = ::personality(0xffffffff);
  if (after < 0 || (after & ADDR_NO_RANDOMIZE) == 0) {
    return;  // said yes and did not: starting anew would not end
  }
  base::debug("OpenMP: %s", os::start_again(argv).text());
}

// A program's threads of other processes may read what its main was given.
char** shared_arguments(int argc, char** argv) noexcept {
  auto** const copy = static_cast<char**>(dsm::allocate_zeros((static_cast<std::size_t>(argc) + 1) * sizeof(char*)));
  for (int k = 0; copy != nullptr && k < argc; ++k) {
    const std::size_t bytes = std::strlen(argv[k]) + 1;
    copy[k] = static_cast<char*>(dsm::allocate(bytes, 16));
    if (copy[k] == nullptr) {
      return argv;
    }
    std::memcpy(copy[k], argv[k], bytes);
  }
  return copy != nullptr ? copy : argv;
}

std::size_t stack_bytes() noexcept {
  constexpr std::size_t kUnlimited = std::size_t{64} << 20;
  constexpr std::size_t kLeast = std::size_t{1} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return kUnlimited;
  }
  return os::round_up(std::clamp<std::size_t>(limit.rlim_cur, kLeast, std::size_t{1} << 30), os::kPage);
}

// What the OpenMP library has read of the environment when it was loaded; the program may load one later, too.
constinit bool g_will_tell = true;
void have_it_told(bool say) noexcept {
  g_will_tell = false;
  if (auto* const tell = reinterpret_cast<Tell*>(::dlsym(RTLD_DEFAULT, kTell))) {
    tell(say);
  }
}

void* run(void* argument) {
  const Call& call = *static_cast<const Call*>(argument);
  (void)handle_signals_elsewhere(nullptr);
  dsm::take_part();
  look_for_earlier_outsiders();
  // Before the dynamic linker's own, which comes with the start, so that it runs after all destructors.
  (void)::on_exit(end_at_exit, nullptr);
  if (job::node().me == 0) {
    (void)call.start(call.main, call.argc, shared_arguments(call.argc, call.argv), call.init, call.fini,
                     call.linker_fini, call.stack_end);
  } else {
    // With an init of ours the C library leaves the program's constructors alone.
    (void)call.start([](int, char**, char**) { return serve(); }, call.argc, call.argv, [] {}, nullptr,
                     call.linker_fini, call.stack_end);
  }
  return nullptr;
}

// main runs on shared memory, as its variables are the threads' of all processes, and what it has of thread-local
// storage too.
[[noreturn]] void run_on_shared_stack(Call& call) noexcept {
  const std::size_t bytes = stack_bytes();
  void* const stack = make_stack(bytes);
  if (stack == nullptr) {
    base::fail("OpenMP", "no shared memory for a stack of %zu MiB; lower `ulimit -s` or raise WEFT_SHARED_SIZE",
               bytes >> 20);
  }
  pthread_attr_t attributes;
  pthread_t thread;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_setstack(&attributes, stack, bytes);
  if (const int error = ::pthread_create(&thread, &attributes, run, &call); error != 0) {
    base::fail("OpenMP", "cannot start the thread of main: %s", std::strerror(error));
  }
  (void)::pthread_join(thread, nullptr);
  // Only after pthread_exit in main: the process ends with its last thread.
  ::pthread_exit(nullptr);
}

}  // namespace
}  // namespace weft::omp::program

#pragma GCC visibility push(default)
extern "C" bool weft_omp_image_will_tell() { return weft::omp::program::g_will_tell; }
// NOLINTNEXTLINE(readability-identifier-naming): the C library's name.
extern "C" int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                                 void (*fini)(), void (*linker_fini)(), void* stack_end) {
  using namespace weft::omp::program;
  auto* const start = reinterpret_cast<Start*>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  if (weft::boot::started_in_a_job() && !is_of_another_interface()) {
    fix_addresses(argv);
    if (come(argv)) {
      have_it_told(weft::job::node().me == 0);
      begin();
      static constinit Call call{};
      call = {start, main, argc, argv, init, fini, linker_fini, stack_end};
      run_on_shared_stack(call);
    }
  }
  have_it_told(true);
  return start(main, argc, argv, init, fini, linker_fini, stack_end);
}
#pragma GCC visibility pop

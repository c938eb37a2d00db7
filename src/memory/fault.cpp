#include "memory/fault.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/lines.hpp"
#include "base/words.hpp"
#include "os/guarded_copy.hpp"

namespace weft::memory {
namespace {

// How far behind the heap an access counts as running off its end. In programs that are not position independent this
// may be somebody else's memory, but then it is mapped and does not fault.
constexpr std::uintptr_t kNear = std::uintptr_t{2} << 20;

const Space* g_space = nullptr;
FaultHooks g_hooks{};
std::uintptr_t g_pc = 0;  // of a fault that is being explained
struct sigaction g_before_segv;
struct sigaction g_before_bus;

struct PeerAddress {
  int pe = 0;
  std::uintptr_t local = 0;  // the address in our own window that reaches it
};

PeerAddress peer_address(const Space& space, std::uintptr_t at) noexcept {
  const Space::Place place = space.place_of(at);
  return {g_hooks.pe_of == nullptr ? place.number : g_hooks.pe_of(place.number), place.local};
}

void explain(int signal, std::uintptr_t at) noexcept {
  const Space& space = *g_space;
  const base::Words& words = base::words();
  const Range kept_back{space.blocks().hi, space.heap().hi};
  if (space.peers().holds(at)) {
    const PeerAddress hit = peer_address(space, at);
    if (signal == SIGBUS) {
      base::fail(nullptr, "no memory left for symmetric memory of PE %d (bus error); use fewer PEs or less memory",
                 hit.pe);
    }
    if (!space.mapped()) {
      base::fail(nullptr,
                 "an operation on PE %d after the last %s, or in a forked child, which is no PE; make it "
                 "before",
                 hit.pe, words.end);
    }
    if (space.is_static(hit.local, 1)) {  // else it would be there
      if (g_hooks.keeps_statics(hit.pe)) {
        base::fail(nullptr,
                   "an operation on PE %d used the address 0x%" PRIxPTR
                   ", static data of this program, and PE %d had several threads when it loaded %s, so its own "
                   "is not symmetric; use memory from %s",
                   hit.pe, hit.local, hit.pe, words.library, words.allocate);
      }
      base::fail(nullptr,
                 "an operation on PE %d used the address 0x%" PRIxPTR
                 ", static data of this program, and PE %d runs another program; between different programs use memory "
                 "from %s",
                 hit.pe, hit.local, hit.pe, words.allocate);
    }
    const bool past_end = hit.local >= space.lo() + space.extent() || space.heap().hi == hit.local ||
                          space.statics().hi == hit.local || kept_back.holds(hit.local);
    if (past_end) {
      base::fail(nullptr,
                 "an operation on PE %d ran past the end of its symmetric memory (local address 0x%" PRIxPTR
                 "); check the number of elements",
                 hit.pe, hit.local);
    }
    base::fail(nullptr,
               "an operation on PE %d used the address 0x%" PRIxPTR
               ", which is not symmetric: it is %s; use memory "
               "from %s or a global or static variable of the program",
               hit.pe, hit.local, describe_address(space, hit.local), words.allocate);
  }
  if (const int owner = g_hooks.own == nullptr ? -1 : g_hooks.own->owner_of(at); signal == SIGBUS && owner >= 0) {
    base::fail(nullptr, "no memory left for PE %d's own area (bus error); use fewer PEs or less memory",
               g_hooks.pe_of == nullptr ? owner : g_hooks.pe_of(owner));
  }
  if (!space.mapped() && space.heap().holds(at)) {
    base::fail(nullptr,
               "the address 0x%" PRIxPTR
               " is in the symmetric heap, which ended with the last %s; copy what is needed before",
               at, words.end);
  }
  // Front ends without a heap have none to run past.
  const bool behind =
      space.heap().bytes() > 0 && at >= space.heap().hi && at < space.heap().hi + kNear && !space.statics().holds(at);
  if (behind || (signal == SIGSEGV && kept_back.holds(at))) {
    base::fail(nullptr,
               "an access ran past the end of the symmetric heap (at 0x%" PRIxPTR
               "); check the number of "
               "elements, or give the heap more room with %s",
               at, words.heap_option);
  }
  if (signal == SIGBUS && (space.heap().holds(at) || space.statics().holds(at))) {
    base::fail(nullptr,
               "no memory left for this PE's symmetric memory (bus error at 0x%" PRIxPTR
               "); use fewer PEs or less memory",
               at);
  }
}

// An overflow faults next to the stack pointer, at an address where nothing is mapped.
void explain_stack(std::uintptr_t at, const ucontext_t& context) noexcept {
#if defined(__x86_64__)
  const auto stack = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const auto stack = static_cast<std::uintptr_t>(context.uc_mcontext.sp);
#else
  const std::uintptr_t stack = 0;
  (void)context;
#endif
  struct rlimit limit {};
  if (at - stack + kNear / 2 >= kNear || ::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return;
  }
  base::fail(nullptr,
             "the stack overflowed (at 0x%" PRIxPTR
             "); the limit is %zu KiB: raise it with ulimit -s, or make large arrays static",
             at, static_cast<std::size_t>(limit.rlim_cur >> 10));
}

constinit std::atomic<FaultOwner> g_owner = nullptr;
// The next fault is to end the process, and nobody takes the signals back for an owner.
constinit std::atomic<bool> g_ends = false;

[[gnu::tls_model("initial-exec")]] constinit thread_local bool t_asks_others = false;
class AsksOthers {
 public:
  AsksOthers() noexcept : before_(t_asks_others) { t_asks_others = true; }
  AsksOthers(const AsksOthers&) = delete;
  AsksOthers& operator=(const AsksOthers&) = delete;
  ~AsksOthers() { t_asks_others = before_; }

 private:
  bool before_;
};

FaultAccess access_of(const void* context) noexcept {
#if defined(__x86_64__)
  constexpr greg_t kWrites = 2;  // of the page fault's error code
  const greg_t code = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
  return (code & kWrites) != 0 ? FaultAccess::kWrite : FaultAccess::kRead;
#else
  (void)context;
  return FaultAccess::kUnknown;
#endif
}

// Whatever else comes meanwhile waits: its handler might want the page that this one is at.
bool handled_by_owner(const siginfo_t& info, const void* context) noexcept {
  // Acquire: what the owner has set up is seen.
  const FaultOwner owner = g_owner.load(std::memory_order_acquire);
  if (owner == nullptr) {
    return false;
  }
  const int error = errno;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigdelset(&all, SIGSEGV);
  ::sigdelset(&all, SIGBUS);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool handled =
      owner(reinterpret_cast<std::uintptr_t>(info.si_addr), access_of(context), interrupted_at(context));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return handled;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  // Sent by kill, raise or sigqueue: it has no address, and no instruction that would run into it again.
  const bool sent = info->si_code <= 0;
  if (!sent && handled_by_owner(*info, context)) {
    return;
  }
  os::end_guarded_copy(*info);
  if (!sent && g_space != nullptr) {
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    g_pc = interrupted_at(context);
    explain(signal, at);
    if (signal == SIGSEGV && info->si_code == SEGV_MAPERR) {
      explain_stack(at, *static_cast<const ucontext_t*>(context));
    }
  }
  // Who came behind us and is asked after us (set_fault_owner) may ask us in turn: then nobody knows better.
  const struct sigaction nobody {};
  const struct sigaction& before = t_asks_others ? nobody : signal == SIGBUS ? g_before_bus : g_before_segv;
  const AsksOthers asks;
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
    return;
  }
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
    return;
  }
  if (g_hooks.before_end != nullptr) {
    g_hooks.before_end(*info, interrupted_at(context));
  }
  // Relaxed: this thread's own calls below see it.
  g_ends.store(true, std::memory_order_relaxed);
  // Back to the default; the instruction runs again and kills the process with the right signal and core.
  ::sigaction(signal, &before, nullptr);
  if (sent) {
    (void)::raise(signal);
  }
}

// The handler must not run on a stack that has just overflowed. For the thread that starts the library, which mostly is
// the main one; others have what their makers gave them.
void give_handlers_a_stack() noexcept {
  alignas(16) static std::byte room[65536];
  stack_t before{};
  if (::sigaltstack(nullptr, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0) {
    stack_t ours{};
    ours.ss_sp = room;
    ours.ss_size = sizeof room;
    (void)::sigaltstack(&ours, nullptr);
  }
}

struct sigaction handling() noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  return action;
}

}  // namespace

void catch_faults() noexcept {
  static constinit std::mutex mutex;
  static bool caught = false;
  const std::lock_guard lock(mutex);
  if (caught) {
    return;
  }
  caught = true;
  give_handlers_a_stack();
  const struct sigaction action = handling();
  ::sigaction(SIGSEGV, &action, &g_before_segv);
  ::sigaction(SIGBUS, &action, &g_before_bus);
}

void set_fault_owner(FaultOwner owner) noexcept {
  if (g_ends.load(std::memory_order_relaxed)) {
    return;
  }
  catch_faults();
  g_owner.store(owner, std::memory_order_release);
  struct sigaction now {};
  for (const int signal : {SIGSEGV, SIGBUS}) {
    // Who has come behind us, as run-time libraries of languages do when main begins, is asked after us.
    if (owner != nullptr && ::sigaction(signal, nullptr, &now) == 0 && now.sa_sigaction != on_fault) {
      (signal == SIGBUS ? g_before_bus : g_before_segv) = now;
      now = handling();
      ::sigaction(signal, &now, nullptr);
    }
  }
}

void explain_faults(const Space& space, const FaultHooks& hooks) noexcept {
  g_hooks = hooks;
  g_space = &space;
  catch_faults();
}

std::uintptr_t interrupted_at(const void* context) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  (void)context;
  return 0;
#endif
}

void explain_next(std::uintptr_t instruction) noexcept { g_pc = instruction; }
std::uintptr_t explained_fault() noexcept { return g_pc; }

const char* describe_address(const Space& space, std::uintptr_t address) noexcept {
  static char text[256];
  if (address < 4096) {
    return address == 0 ? "NULL" : "next to NULL";
  }
  if (space.peers().holds(address)) {
    (void)std::snprintf(text, sizeof text, "memory of PE %d as %s gives it", peer_address(space, address).pe,
                        base::words().address_of);
    return text;
  }
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) {
    return "not in the symmetric heap or the program's static data";
  }
  const char* found = "not mapped at all";
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t lo = 0;
    std::uintptr_t hi = 0;
    char access[8] = {};
    char name[256] = {};
    (void)std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %*s %*s %*s %255[^\n]", &lo, &hi, access, name);
    if (address < lo || address >= hi) {
      continue;
    }
    if (std::strcmp(name, "[stack]") == 0) {
      found = "on the stack";
    } else if (std::strcmp(name, "[heap]") == 0) {
      found = "allocated with malloc";
    } else if (name[0] != '\0') {
      (void)std::snprintf(text, sizeof text, "%s data of %.200s", access[1] == 'w' ? "private" : "constant", name);
      found = text;
    } else {
      found = "private memory (malloc, mmap, or a thread's stack)";
    }
    break;
  }
  (void)std::fclose(maps);
  return found;
}

}  // namespace weft::memory

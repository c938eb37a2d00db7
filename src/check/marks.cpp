#include "check/marks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "check/tool.hpp"
#include "interpose/real.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_MAKE_MEM_NOACCESS(at, bytes) ((void)(at), (void)(bytes))
#define VALGRIND_MAKE_MEM_DEFINED(at, bytes) ((void)(at), (void)(bytes))
#define VALGRIND_DISABLE_ERROR_REPORTING (void)0
#define VALGRIND_ENABLE_ERROR_REPORTING (void)0
#endif

// AddressSanitizer's, where the program has it.
extern "C" {
[[gnu::weak]] void poison(const volatile void* at, std::size_t bytes) __asm__("__asan_poison_memory_region");
[[gnu::weak]] void unpoison(const volatile void* at, std::size_t bytes) __asm__("__asan_unpoison_memory_region");
}

namespace weft::check {
namespace {

// Each closed range splits the kernel's list of mappings in three, once for each PE whose memory it is in.
constexpr int kMostPes = 8;

template <class Change>
void on_each_view(const Pages& pages, Change change) noexcept {
  change(reinterpret_cast<void*>(pages.lo));
  for (int pe = 0; n_pes() <= kMostPes && pe < n_pes(); ++pe) {
    void* theirs = pe == me() ? nullptr : WEFT_REAL(ptr)(reinterpret_cast<void*>(pages.lo), pe);
    if (theirs != nullptr) {
      change(theirs);
    }
  }
}

}  // namespace

void forbid(std::uintptr_t at, std::size_t bytes) noexcept {
  if (poison != nullptr) {
    poison(reinterpret_cast<void*>(at), bytes);
  }
  VALGRIND_MAKE_MEM_NOACCESS(at, bytes);
}

void allow(std::uintptr_t at, std::size_t bytes) noexcept {
  if (unpoison != nullptr) {
    unpoison(reinterpret_cast<void*>(at), bytes);
  }
  // Defined as well: what peers write into it valgrind does not see.
  VALGRIND_MAKE_MEM_DEFINED(at, bytes);
}

Looking::Looking() noexcept { VALGRIND_DISABLE_ERROR_REPORTING; }
Looking::~Looking() { VALGRIND_ENABLE_ERROR_REPORTING; }

Pages close_pages(std::uintptr_t at, std::size_t bytes) noexcept {
  // valgrind says more about an access than a fault can.
  if (RUNNING_ON_VALGRIND) {
    return {};
  }
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const Pages pages{(at + page - 1) & ~(page - 1), (at + bytes) & ~(page - 1)};
  if (pages.lo >= pages.hi || ::mprotect(reinterpret_cast<void*>(pages.lo), pages.hi - pages.lo, PROT_NONE) != 0) {
    return {};
  }
  on_each_view(pages, [&](void* view) { (void)::mprotect(view, pages.hi - pages.lo, PROT_NONE); });
  return pages;
}

void open_pages(const Pages& pages) noexcept {
  if (pages.lo < pages.hi) {
    on_each_view(pages, [&](void* view) { (void)::mprotect(view, pages.hi - pages.lo, PROT_READ | PROT_WRITE); });
  }
}

}  // namespace weft::check

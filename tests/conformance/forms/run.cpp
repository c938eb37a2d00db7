#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "coll/barrier.hpp"
#include "forms.hpp"
#include "job/node.hpp"
#include "shmem.h"
#include "shmem/control.hpp"
#include "shmem/memory.hpp"

namespace forms {
namespace {

constexpr std::size_t kArena = std::size_t{8} << 20;
std::byte* g_arena;
std::size_t g_used = 0;

}  // namespace

void wrong(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::fprintf(stderr, "PE %d: ", me());
  std::vfprintf(stderr, format, args);
  std::fputc('\n', stderr);
  va_end(args);
  std::exit(1);
}

int me() { return weft::job::node().me; }
int n_pes() { return weft::job::node().n_pes; }

Room::Room(Reached reached, std::size_t bytes) {
  if (reached == Reached::kSymmetric) {
    taken_ = (bytes + 63) / 64 * 64;
    CHECK(g_used + taken_ <= kArena, "the test wants too much symmetric memory");
    at_ = g_arena + g_used;
    g_used += taken_;
  } else {
    own_.resize(bytes + 8);
    at_ = own_.data() + 8;
  }
  std::memset(at_, static_cast<int>(kUntouched), bytes);
}

Room::~Room() { g_used -= taken_; }

}  // namespace forms

extern "C" [[gnu::visibility("default")]] int run(int argc, char** argv) {
  const char* const part = argc > 1 ? argv[1] : "";
  const bool threaded = std::strcmp(part, "threads") == 0;
  int provided = 0;
  weft::shmem::init_thread(threaded ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
  forms::g_arena = static_cast<std::byte*>(weft::shmem::heap_malloc(forms::kArena));
  const struct {
    const char* name;
    void (*run)();
  } parts[] = {{"moves", forms::moves},     {"combines", forms::combines},   {"stations", forms::stations},
               {"pending", forms::pending}, {"threads", forms::threads},     {"withdrawn", forms::withdrawn},
               {"nowhere", forms::nowhere}, {"no_target", forms::no_target}, {"hang", forms::hang},
               {"gone", forms::gone}};
  bool known = false;
  for (const auto& each : parts) {
    if (std::strcmp(part, each.name) == 0) {
      known = true;
      each.run();
    }
  }
  CHECK(known, "there is no part %s", part);
  weft::coll::barrier();
  if (forms::me() == 0) {
    std::printf("%s: all is right\n", part);
  }
  weft::shmem::finalize();
  return 0;
}

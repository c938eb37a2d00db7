// What oshrun and shmem_init make of two processes, here in one.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#include "job/node.hpp"
#include "os/process.hpp"
#include "rooms.hpp"
#include "shmem/checks.hpp"

namespace weft::bench {
namespace {

constexpr int kPes = 2;
constexpr std::uint64_t kSlot = std::uint64_t{1} << 30;

[[noreturn]] void give_up(const char* why) {
  (void)std::fprintf(stderr, "rooms: %s\n", why);
  std::exit(1);
}

void need(const base::Result<void>& done) {
  if (!done) give_up(done.error().text());
}

boot::JobHeader* make_job() {
  const std::size_t bytes = boot::control_bytes(kPes);
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) give_up("no memory for the control file");
  auto* job = static_cast<boot::JobHeader*>(at);
  job->magic = boot::kJobMagic;
  job->layout = boot::kJobLayout;
  job->n_pes = job->job_pes = kPes;
  job->n_nodes = 1;
  job->control_bytes = bytes;
  job->heap_bytes = kHeap;
  job->cpus = kPes;
  return job;
}

bool make_node() {
  job::Node& node = job::node();
  node.job = make_job();
  node.own_record = boot::pe_record(node.job, 0);
  node.n_pes = node.n_local = kPes;
  node.run_here = kPes;
  const auto file = os::make_memory_file("weft-bench", kPes * kSlot);
  if (!file) give_up(file.error().text());
  const memory::Plan plan{.n_pes = kPes,
                          .me = 0,
                          .data_fd = *file,
                          .slot_bytes = kSlot,
                          .static_offset = kSlot / 2,
                          .heap_bytes = kHeap,
                          .heap_fd = *file,
                          .heap_slot_bytes = kSlot};
  // Our own data stays where it is: other threads use it by now.
  os::Executable exe = os::find_executable();
  exe.data_hi = exe.data_lo;
  exe.n_writable = 0;
  need(node.space.claim(plan, exe));
  need(node.space.map_heap());
  need(node.space.map_peers());
  shmem::set_ready(true);
  return true;
}

}  // namespace

void open_node() { [[maybe_unused]] static const bool made = make_node(); }

char* heap() { return reinterpret_cast<char*>(job::node().space.heap().lo); }

}  // namespace weft::bench

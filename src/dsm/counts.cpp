#include "dsm/counts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdio>
#include <ctime>
#include <mutex>

#include "dsm/heap.hpp"
#include "dsm/state.hpp"
#include "os/executable.hpp"
#include "os/recorded.hpp"

namespace weft::dsm {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

constinit std::atomic<std::uint64_t> g_own[kCounts] = {};
constinit os::Executable g_executable{};
constinit std::mutex g_blocks;  // the list of them

std::uint64_t bytes_of(const protocol::Changes& changes) noexcept {
  int bytes = 0;
  for (std::uint64_t left = changes.lines; left != 0; left &= left - 1) {
    bytes += std::popcount(changes.bytes[std::countr_zero(left)]);
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

constinit std::atomic<std::uint64_t>* g_counts = g_own;
constinit Record* g_record = nullptr;

base::Result<void> open_record(const char* folder, bool of_openmp) noexcept {
  const bool by_pages = g.way == Way::kPages;
  const std::uint32_t pages_of_cell = (g.pages + kMostCells - 1) / kMostCells;
  const std::uint32_t n_cells = by_pages ? (g.pages + pages_of_cell - 1) / pages_of_cell : 0;
  if (g_record != nullptr) {
    if (g_record->n_cells != n_cells || g_record->pages_of_cell != pages_of_cell) {
      forget_record();
      return base::Error::make("its recording is of memory of another size, or shared in another way");
    }
    g_record->ended.store(0, kRelaxed);
    g_record->base = g.base;
    g_record->n_windows.store(0, kRelaxed);
    g_record->n_blocks = 0;
    return {};
  }
  if (const auto made = os::make_folder(folder); !made) {
    return made.error();
  }
  char name[32];
  char path[PATH_MAX];
  (void)std::snprintf(name, sizeof name, Record::kFile, g.me);
  (void)std::snprintf(path, sizeof path, "%s/%s", folder, name);
  const auto mapped = os::map_recorded(path, O_CREAT | O_TRUNC, 0, record_bytes(g.n_pes, n_cells));
  if (!mapped) {
    return mapped.error();
  }
  auto* const record = static_cast<Record*>(*mapped);
  g_executable = os::find_executable();
  record->layout = Record::kLayout;
  record->n_counts = kCounts;
  record->pe = g.me;
  record->n_pes = g.n_pes;
  record->by_pages = by_pages ? 1 : 0;
  record->whose = of_openmp ? Record::kOfOpenMp : Record::kOfSharedPages;
  record->page_bytes = kPageBytes;
  record->n_cells = n_cells;
  record->pages_of_cell = pages_of_cell;
  record->base = g.base;
  record->bias = g_executable.bias;
  record->began = os::now_ns();
  record->latest.store(record->began, kRelaxed);
  record->pid = ::getpid();
  record->started_at = static_cast<std::uint64_t>(std::time(nullptr));
  os::describe_process(record->host, record->program);
  for (std::size_t k = 0; k < kCounts; ++k) {
    record->counts[k].store(g_own[k].load(kRelaxed), kRelaxed);
  }
  record->magic = Record::kMagic;
  g_record = record;
  g_counts = record->counts;
  return {};
}

void end_record() noexcept {
  if (g_record != nullptr) {
    g_record->ended.store(os::now_ns(), kRelaxed);
  }
}

void forget_record() noexcept {
  g_record = nullptr;
  g_counts = g_own;
}

void record_window(std::uintptr_t at, std::uint64_t bytes, std::uint64_t offset) noexcept {
  if (g_record == nullptr) {
    return;
  }
  const std::uint32_t number = g_record->n_windows.load(kRelaxed);
  if (number < kMostRecordedWindows) {
    g_record->windows[number] = {at, bytes, offset};
    g_record->n_windows.store(number + 1, std::memory_order_release);
  }
}

void note_block(const void* block, std::size_t bytes, const void* site) noexcept {
  if (g_record == nullptr || block == nullptr || bytes < kPageBytes || g.way == Way::kMemory) [[likely]] {
    return;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(site);
  const bool ours = at >= g_executable.lowest && at < g_executable.highest;
  const RecordedBlock made{reinterpret_cast<std::uintptr_t>(block) - g.base, bytes, ours ? at - g_executable.bias : 0};
  const std::scoped_lock lock(g_blocks);
  RecordedBlock* const begin = g_record->blocks;
  RecordedBlock* const end = begin + g_record->n_blocks;
  // What lay there has been given back.
  for (RecordedBlock* each = begin; each != end; ++each) {
    if (each->offset < made.offset + made.bytes && made.offset < each->offset + each->bytes) {
      each->bytes = 0;
    }
  }
  RecordedBlock* const smallest =
      std::min_element(begin, end, [](const RecordedBlock& a, const RecordedBlock& b) { return a.bytes < b.bytes; });
  const bool reuse = smallest != end && smallest->bytes == 0;
  if (!reuse && g_record->n_blocks < kMostRecordedBlocks) {
    *end = made;
    ++g_record->n_blocks;
  } else if (reuse || smallest->bytes < made.bytes) {
    *smallest = made;
  }
}

void note_fetched(int home, std::uint32_t first, std::uint32_t pages) noexcept {
  // While homes move, a copy may turn out to be at home here.
  if (g_record == nullptr || home == g.me) [[likely]] {
    return;
  }
  peers_of(g_record)[home].fetched.fetch_add(pages, kRelaxed);
  for (std::uint32_t page = first; page < first + pages; ++page) {
    cells_of(g_record)[page / g_record->pages_of_cell].fetched.fetch_add(1, kRelaxed);
  }
}

void note_sent(int home, std::uint32_t page, const protocol::Changes& changes) noexcept {
  count(Count::kSent);
  if (g_record == nullptr) [[likely]] {
    return;
  }
  const std::uint64_t bytes = bytes_of(changes);
  count(Count::kSentBytes, bytes);
  Peer& peer = peers_of(g_record)[home];
  peer.sent.fetch_add(1, kRelaxed);
  peer.sent_bytes.fetch_add(bytes, kRelaxed);
  cells_of(g_record)[page / g_record->pages_of_cell].sent.fetch_add(1, kRelaxed);
}

void Timed::end() const noexcept {
  if (g_record == nullptr) {
    return;  // in a child that was forked meanwhile
  }
  const std::uint64_t now = os::now_ns();
  count(what_, now - begin_);
  g_record->latest.store(now, kRelaxed);
}

}  // namespace weft::dsm

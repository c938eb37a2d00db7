#include "profile/window_book.hpp"

#include <fcntl.h>

#include <cstdio>
#include <cstring>
#include <numeric>
#include <utility>

#include "os/recorded.hpp"

namespace weft::profile {
namespace {

// FNV-1a, over the numbers of the PEs.
std::uint64_t hash_of(const std::vector<int>& pes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const int pe : pes) {
    hash = (hash ^ static_cast<unsigned>(pe)) * 0x100000001b3;
  }
  return hash;
}

// Relaxed throughout: numbers for people, which order nothing.
void add_to(WindowTally& tally, std::uint64_t sum) noexcept {
  tally.count.fetch_add(1, std::memory_order_relaxed);
  tally.sum.fetch_add(sum, std::memory_order_relaxed);
}

// What a thread has found last, as most calls are of the same window as the one before.
struct Found {
  std::uintptr_t handle = 0;
  std::uint64_t changes = 0;
  const KnownWindow* window = nullptr;
};
// How often a handle has come to mean another window.
constinit std::atomic<std::uint64_t> g_changes = 1;
[[gnu::tls_model("initial-exec")]] constinit thread_local Found t_found;

}  // namespace

void WindowBook::use(const char* folder, int pe, int n_pes) {
  const std::scoped_lock lock(mutex_);
  char name[32];
  (void)std::snprintf(name, sizeof name, WindowPart::kFile, pe);
  file_ = std::string(folder) + "/" + name;
  pe_ = pe;
  n_pes_ = n_pes;
}

WindowPart* WindowBook::map_part(const MadeWindow& made) {
  const std::size_t bytes = window_bytes(made.pes.size());
  // The first one takes the place of what another job has left.
  const auto mapped = os::map_recorded(file_.c_str(), file_bytes_ == 0 ? O_CREAT | O_TRUNC : 0, file_bytes_, bytes);
  if (!mapped) {
    return nullptr;
  }
  file_bytes_ += bytes;
  auto* part = static_cast<WindowPart*>(*mapped);
  part->layout = WindowPart::kLayout;
  part->n_members = static_cast<std::uint32_t>(made.pes.size());
  part->pe = pe_;
  part->n_pes = n_pes_;
  part->call = made.call;
  part->module = made.place.module;
  part->offset = made.place.offset;
  part->bytes = made.bytes;
  for (std::size_t rank = 0; rank < made.pes.size(); ++rank) {
    peers_of(part)[rank].pe = made.pes[rank];
  }
  part->magic = WindowPart::kMagic;
  return part;
}

// Its members are all PEs: those of a window are not those of another.
WindowPart* WindowBook::others() {
  if (others_ == nullptr) {
    MadeWindow all;
    all.place.module = kNoModule;
    all.pes.resize(static_cast<std::size_t>(n_pes_));
    std::iota(all.pes.begin(), all.pes.end(), 0);
    others_ = map_part(all);
  }
  return others_;
}

void WindowBook::add(std::uintptr_t handle, const MadeWindow& made) {
  const std::scoped_lock lock(mutex_);
  if (file_.empty()) {
    return;
  }
  const std::uint64_t members = hash_of(made.pes);
  const std::uint32_t ordinal = made_[members]++;
  KnownWindow window{nullptr, parts_ < kMostWindows, made.pes};
  if (!window.is_own) {
    window.part = others();
  } else if (window.part = map_part(made); window.part != nullptr) {
    window.part->members = members;
    window.part->ordinal = ordinal;
    ++parts_;
  }
  if (window.part != nullptr) {
    known_.insert_or_assign(handle, std::move(window));
  }
  // Release: who sees it asks anew.
  g_changes.fetch_add(1, std::memory_order_release);
}

void WindowBook::name(std::uintptr_t handle, const char* name) {
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(handle);
  if (found == known_.end() || !found->second.is_own) {
    return;
  }
  // The last byte stays zero, also while somebody reads.
  char(&room)[sizeof WindowPart::name] = found->second.part->name;
  const std::size_t length = ::strnlen(name, sizeof room - 1);
  std::memcpy(room, name, length);
  std::memset(room + length, 0, sizeof room - length);
}

void WindowBook::forget(std::uintptr_t handle) {
  const std::scoped_lock lock(mutex_);
  known_.erase(handle);
  g_changes.fetch_add(1, std::memory_order_release);
}

const KnownWindow* WindowBook::find(std::uintptr_t handle) {
  // Acquire: with what was added before it.
  const std::uint64_t changes = g_changes.load(std::memory_order_acquire);
  if (t_found.handle == handle && t_found.changes == changes) [[likely]] {
    return t_found.window;
  }
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(handle);
  t_found = {handle, changes, found == known_.end() ? nullptr : &found->second};
  return t_found.window;
}

void KnownWindow::count_moved(int rank, WindowMoves what, std::uint64_t bytes) const noexcept {
  if (const int to = pe(rank); to >= 0) {
    add_to(peers_of(part)[is_own ? rank : to].moved[static_cast<std::size_t>(what)], bytes);
  }
}

void KnownWindow::count_waited(int rank, WindowWaits what, std::uint64_t ticks) const noexcept {
  const auto kind = static_cast<std::size_t>(what);
  const int to = kind < kPeerWaits ? pe(rank) : -1;
  add_to(to >= 0 ? peers_of(part)[is_own ? rank : to].waited[kind] : part->waited[kind], ticks);
}

}  // namespace weft::profile

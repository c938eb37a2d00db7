#include "memory/space.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/lines.hpp"
#include "base/words.hpp"
#include "os/huge_pages.hpp"
#include "os/mapping.hpp"

namespace weft::memory {
namespace {

// Here and below neither memcmp, memcpy nor pwrite(), which AddressSanitizer checks: a page of static data holds the
// red zones between its variables too.
__attribute__((no_sanitize("address", "thread"))) bool all_zero(const std::byte* page) noexcept {
  constexpr std::size_t kStep = 8;  // words at a time: most pages are zero, and few loads need a branch
  const auto* word = reinterpret_cast<const std::uint64_t*>(page);
  for (std::size_t k = 0; k < os::kPage / sizeof *word; k += kStep) {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < kStep; ++i) {
      any |= word[k + i];
    }
    if (any != 0) {
      return false;
    }
  }
  return true;
}

__attribute__((no_sanitize("address", "thread"))) void copy_page(std::uintptr_t to, const std::byte* from) noexcept {
  auto* word = reinterpret_cast<volatile std::uint64_t*>(to);
  const auto* source = reinterpret_cast<const std::uint64_t*>(from);
  for (std::size_t k = 0; k < os::kPage / sizeof *source; ++k) {
    word[k] = source[k];
  }
}

base::Result<void> write_all(int fd, const std::byte* from, std::size_t bytes, std::uint64_t offset) noexcept {
  while (bytes > 0) {
    const long done = ::syscall(SYS_pwrite64, fd, from, bytes, static_cast<off_t>(offset));
    if (done <= 0) {
      return base::Error::make("cannot copy the program's static data into shared memory: %s", std::strerror(errno));
    }
    from += done;
    bytes -= static_cast<std::size_t>(done);
    offset += static_cast<std::uint64_t>(done);
  }
  return {};
}

}  // namespace

base::Result<void> Space::find_pieces(const os::Executable& exe) noexcept {
  statics_ = {exe.data_lo, exe.data_hi};
  if (exe.n_writable > os::Executable::kMaxWritable) {
    return base::Error::make("the program has %d writable segments; at most %d can be shared", exe.n_writable,
                             os::Executable::kMaxWritable);
  }
  for (int k = 0; k < exe.n_writable; ++k) {
    const Range piece{std::max(exe.writable[k].lo, statics_.lo), std::min(exe.writable[k].hi, statics_.hi)};
    if (piece.lo < piece.hi) {
      pieces_[n_pieces_++] = piece;
    }
  }
  return {};
}

// Stores between the copy and the mapping would be lost, and no thread can be held. No pieces: nothing is moved, found
// symmetric, or mapped of others.
void Space::leave_statics(const os::Executable& exe, int threads) noexcept {
  private_statics_ = {exe.data_lo, exe.data_hi};
  threads_at_claim_ = threads;
}

base::Result<void> Space::claim(const Plan& plan, const os::Executable& exe) noexcept {
  plan_ = plan;
  const bool one_pe = plan.n_pes == 1 && plan.statics_fd < 0;
  if (!plan.statics) {
    // No pieces: nothing is moved, found symmetric, or mapped of others.
  } else if (plan.threads > 0 && !one_pe) {
    leave_statics(exe, plan.threads);
  } else if (const auto found = find_pieces(exe); !found) {
    return found;
  }
  together_ = place_together(exe);
  if (!together_) {
    if (const auto placed = place_heap(exe); !placed) {
      return placed;
    }
    set_extent();
    if (const auto reserved = one_pe ? base::Result<void>() : reserve_peers(); !reserved) {
      return reserved;
    }
  }
  if (one_pe) {
    return {};
  }
  if (plan_.statics_fd >= 0) {
    statics_fd_ = plan_.statics_fd;
    statics_offset_ = 0;
  } else if (plan_.static_offset + statics_.bytes() > plan_.slot_bytes) {
    return base::Error::make("the program's static data (%zu MiB) is larger than a job can share (%llu MiB)",
                             statics_.bytes() >> 20,
                             static_cast<unsigned long long>((plan_.slot_bytes - plan_.static_offset) >> 20));
  } else {
    statics_fd_ = plan_.data_fd;
    statics_offset_ = slot(plan_.me) + plan_.static_offset;
  }
  return share_statics();
}

void Space::give_back() noexcept {
  for (const Range& range : {together_ ? Range{heap_.lo, hole_hi_} : heap_, peers_area_}) {
    if (range.bytes() > 0) {
      os::give_back(range.lo, range.bytes());
    }
  }
  *this = Space();
}

base::Result<void> Space::settle(const Plan& plan) noexcept {
  if (plan.n_pes > plan_.n_pes || plan.heap_bytes > plan_.heap_bytes) {
    return base::Error::make(
        "the job has %d PEs on this node with heaps of %llu MiB, but when this PE began its environment spoke of %d "
        "PEs "
        "and %llu MiB; do not change %s in a program",
        plan.n_pes, static_cast<unsigned long long>(plan.heap_bytes >> 20), plan_.n_pes,
        static_cast<unsigned long long>(plan_.heap_bytes >> 20), base::words().heap_option);
  }
  plan_ = plan;
  heap_.hi = heap_.lo + plan.heap_bytes;
  return {};
}

// Between the copy and the mapping nothing may write to the program's data. We run before main, or in the only thread
// (job/attach.cpp), and a library's own calls do not touch the executable's data.
base::Result<void> Space::share_statics() noexcept {
  if (n_pieces_ == 0) {
    return {};
  }
  struct stat status {};
  statics_inode_ = ::fstat(statics_fd_, &status) == 0 ? status.st_ino : 0;
  // A program that executes itself anew before shmem_init finds what its first life left there.
  os::punch_hole(statics_fd_, statics_offset_, statics_.bytes());
  for (int k = 0; k < n_pieces_; ++k) {
    const Range& piece = pieces_[k];
    const std::uint64_t offset = statics_offset_ + (piece.lo - statics_.lo);
    // Pages that are all zero stay holes of the file: a large .bss costs memory only where it is touched.
    for (std::uintptr_t page = piece.lo; page < piece.hi; page += os::kPage) {
      const auto* bytes = reinterpret_cast<const std::byte*>(page);
      if (all_zero(bytes)) {
        continue;
      }
      const auto written = write_all(statics_fd_, bytes, os::kPage, offset + (page - piece.lo));
      if (!written) {
        return written;
      }
    }
    const auto mapped = os::map_shared_at(piece.lo, piece.bytes(), statics_fd_, offset);
    if (!mapped) {
      return mapped;
    }
  }
  return {};
}

base::Result<void> Space::map_heap() noexcept { return map_heap_of(plan_.me, heap_.lo); }

base::Result<void> Space::map_heap_of(int pe, std::uintptr_t at) const noexcept {
  const bool shared = plan_.heap_fd >= 0;
  const auto mapped = shared ? os::map_shared_at(at, heap_.bytes(), plan_.heap_fd,
                                                 static_cast<std::uint64_t>(pe) * plan_.heap_slot_bytes)
                             : os::map_private_at(at, heap_.bytes());
  if (mapped && plan_.advise_huge) {
    os::advise_huge(at, heap_.bytes());
  }
  return mapped;
}

base::Result<void> Space::map_peers() noexcept {
  mapped_ = true;
  if (peers_.lo == 0) {
    return {};
  }
  if (together_) {
    return map_together();
  }
  for (int pe = 0; pe < plan_.n_pes; ++pe) {
    const auto heap = map_heap_of(pe, peer(heap_.lo, pe));
    if (!heap) {
      return heap;
    }
    if (const auto statics = map_statics_of(pe); !statics) {
      return statics;
    }
  }
  // A core of this PE need not hold everybody's memory; its own is in its own mapping.
  os::leave_out_of_core(peers_.lo, stride_ * static_cast<std::size_t>(plan_.n_pes));
  return {};
}

base::Result<void> Space::map_together() noexcept {
  const std::size_t all = stride_ * static_cast<std::size_t>(plan_.n_pes);
  const auto map = [&](std::uintptr_t at, std::size_t bytes, std::uint64_t offset) noexcept {
    const auto mapped = os::map_shared_at(at, bytes, plan_.data_fd, offset);
    if (mapped) {
      os::leave_out_of_core(at, bytes);
    }
    return mapped;
  };
  const auto heaps = map(peers_.lo, all, 0);
  if (heaps && plan_.advise_huge) {
    os::advise_huge(peers_.lo, all);
  }
  return !heaps || n_pieces_ == 0 ? heaps : map(peer(statics_.lo, 0), all - plan_.static_offset, plan_.static_offset);
}

base::Result<void> Space::map_statics_of(int pe) noexcept {
  if (n_pieces_ == 0) {
    return {};
  }
  const bool own_files = plan_.statics_fd >= 0;
  const auto fd = own_files ? plan_.open_statics(pe) : plan_.data_fd;
  if (!fd) {
    return fd.error();
  }
  const std::uint64_t begin = own_files ? 0 : slot(pe) + plan_.static_offset;
  base::Result<void> mapped;
  for (int k = 0; k < n_pieces_ && mapped; ++k) {
    const Range& piece = pieces_[k];
    mapped = os::map_shared_at(peer(piece.lo, pe), piece.bytes(), *fd, begin + (piece.lo - statics_.lo));
  }
  if (own_files) {
    (void)::close(*fd);
  }
  return mapped;
}

base::Result<void> Space::hide_statics_of(int pe) noexcept {
  for (int k = 0; k < n_pieces_; ++k) {
    const auto hidden = os::forget_at(peer(pieces_[k].lo, pe), pieces_[k].bytes());
    if (!hidden) {
      return hidden;
    }
  }
  return {};
}

base::Result<void> Space::keep_back(std::size_t bytes, std::size_t guard) noexcept {
  kept_back_ = bytes;
  const std::uintptr_t at = heap_.hi - bytes;
  base::Result<void> hidden;
  if (guard != 0) {
    hidden = os::forget_at(at, guard);
    for (int pe = 0; pe < plan_.n_pes && peers_.lo != 0 && !together_ && hidden; ++pe) {
      hidden = os::forget_at(peer(at, pe), guard);
    }
  }
  return hidden;
}

Space::Place Space::place_of(std::uintptr_t at) const noexcept {
  std::size_t offset = at - peers_.lo;
  const std::size_t to_statics = statics_.lo - lo_;
  const bool in_statics = together_ && statics_.bytes() > 0 && offset >= to_statics;
  offset -= in_statics ? to_statics : 0;
  return {static_cast<int>(offset / stride_), lo_ + (in_statics ? to_statics : 0) + offset % stride_};
}

void Space::unmap_all() noexcept {
  forget_peers();
  if (plan_.heap_fd >= 0) {
    os::drop_contents(heap_.lo, heap_.bytes());
  }
  (void)os::forget_at(heap_.lo, heap_.bytes());
}

void Space::forget_peers() noexcept {
  if (peers_area_.bytes() > 0) {
    (void)os::forget_at(peers_area_.lo, peers_area_.bytes());
  }
  mapped_ = false;
}

// Through the file and not the mapping: reading a hole through the mapping would allocate its page.
void Space::save_statics(void* to) const noexcept {
  if (!statics_file_is_open()) {
    for (int k = 0; k < n_pieces_; ++k) {
      for (std::uintptr_t page = pieces_[k].lo; page < pieces_[k].hi; page += os::kPage) {
        copy_page(reinterpret_cast<std::uintptr_t>(to) + (page - statics_.lo),
                  reinterpret_cast<const std::byte*>(page));
      }
    }
    return;
  }
  const std::uint64_t begin = statics_offset_;
  const std::uint64_t end = begin + statics_.bytes();
  std::uint64_t at = begin;
  while (at < end) {
    const off_t data = ::lseek(statics_fd_, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 || static_cast<std::uint64_t>(data) >= end) {
      return;
    }
    const off_t hole = ::lseek(statics_fd_, data, SEEK_HOLE);
    const std::uint64_t stop = hole < 0 ? end : std::min(end, static_cast<std::uint64_t>(hole));
    at = static_cast<std::uint64_t>(data);
    while (at < stop) {
      const ssize_t got =
          ::pread(statics_fd_, static_cast<std::byte*>(to) + (at - begin), stop - at, static_cast<off_t>(at));
      if (got <= 0) {
        return;
      }
      at += static_cast<std::uint64_t>(got);
    }
  }
}

void Space::leave_job_after_fork(const void* saved) noexcept {
  const auto* from = static_cast<const std::byte*>(saved);
  for (int k = 0; k < n_pieces_; ++k) {
    const Range& piece = pieces_[k];
    if (const auto mapped = os::map_private_at(piece.lo, piece.bytes()); !mapped) {
      // Going on would change the parent's variables.
      base::fail("fork", "the child's static data cannot be made its own: %s", mapped.error().text());
    }
    for (std::uintptr_t page = piece.lo; page < piece.hi; page += os::kPage) {
      const std::byte* source = from + (page - statics_.lo);
      if (!all_zero(source)) {
        copy_page(page, source);
      }
    }
  }
  forget_peers();
}

// The program may have closed the descriptor, and its number may be another file's by now.
bool Space::statics_file_is_open() const noexcept {
  struct stat status {};
  return ::fstat(statics_fd_, &status) == 0 && status.st_ino == statics_inode_;
}

bool Space::is_static(std::uintptr_t address, std::size_t bytes) const noexcept { return in_pieces(address, bytes); }

}  // namespace weft::memory

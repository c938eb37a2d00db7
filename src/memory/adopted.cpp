#include "memory/adopted.hpp"

#include <pthread.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/lines.hpp"
#include "os/mapping.hpp"
#include "os/mappings.hpp"
#include "os/memory_info.hpp"

namespace weft::memory {
namespace {

using os::Mapped;

// Each is a mapping of its own, and whatever is asked of one reads the list of all mappings. So with kAuto only so many
// are adopted at a time: thousands would take a process seconds to attach, to fork and to end.
constexpr std::ptrdiff_t kMostStretchesOfAuto = 256;

// From here on a huge page of the kernel's may lie in it.
constexpr std::uint64_t kHuge = std::uint64_t{2} << 20;

bool begins_with(const char* text, const char* with) noexcept {
  return std::strncmp(text, with, std::strlen(with)) == 0;
}

// Who has such a mapping may have told a device, or the kernel for later, of pages of any memory: they would go on with
// the old ones.
bool may_know_pages(const char* name) noexcept {
  if (begins_with(name, "/dev/")) {
    return !begins_with(name, "/dev/shm/") && !begins_with(name, "/dev/zero") && !begins_with(name, "/dev/hugepages/");
  }
  return begins_with(name, "anon_inode:") || begins_with(name, "socket:") || begins_with(name, "/[aio]");
}

// What the mappings say of a range.
struct Look {
  std::uintptr_t lo;
  std::uintptr_t hi;
  std::uintptr_t seen;       // up to here it is private memory
  bool may_be_huge = false;  // transparent huge pages are no reason
  const char* why_not = nullptr;
};

bool look_at(void* subject, const Mapped& mapped) noexcept {
  Look& look = *static_cast<Look*>(subject);
  if (may_know_pages(mapped.name)) {
    look.why_not = "a device or a queue of the kernel's is mapped";
    return false;
  }
  if (mapped.hi <= look.lo || mapped.lo >= look.hi) {
    return true;
  }
  if (std::strcmp(mapped.access, "rw-p") != 0) {
    look.why_not = "it is not all memory that is private and may be written";
  } else if (begins_with(mapped.name, "[stack")) {
    look.why_not = "it lies on a stack";
  } else if (mapped.page_bytes > os::kPage || (mapped.huge_bytes != 0 && !look.may_be_huge)) {
    look.why_not = "it has huge pages";
  } else if (mapped.lo <= look.seen) {
    look.seen = mapped.hi;
  }
  return look.why_not == nullptr;
}

// No signal's handler runs meanwhile.
class NoSignals {
 public:
  NoSignals() noexcept {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

// Copies of the room copy learn while they copy, in memory that may be what is copied. And these are whole pages, with
// what lies beside a program's variables: an address sanitizer looks at that in the C library's copies. Relaxed
// atomics, as else a compiler makes one of those of the loop.
__attribute__((no_sanitize("address", "thread"))) void copy_pages(std::uintptr_t to, std::uintptr_t from,
                                                                  std::uint64_t bytes) noexcept {
  auto* const into = reinterpret_cast<std::uint64_t*>(to);
  const auto* const out_of = reinterpret_cast<const std::uint64_t*>(from);
  for (std::uint64_t k = 0; k < bytes / sizeof *into; ++k) {
    __atomic_store_n(into + k, __atomic_load_n(out_of + k, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  }
}

// The first byte of a page, which may be nobody's or another thread's: no sanitizer's business either.
__attribute__((no_sanitize("address", "thread"))) void write_what_is_there(std::uintptr_t page) noexcept {
  unsigned char nothing = 0;
  asm("" : "+r"(nothing));  // hidden: clang makes a load of what it knows to change nothing
  // Relaxed: it changes nothing, and orders nothing.
  (void)__atomic_fetch_or(reinterpret_cast<unsigned char*>(page), nothing, __ATOMIC_RELAXED);
}

}  // namespace

void Adopted::begin(OwnAreas& own, int fd, Adopts how) noexcept {
  const std::scoped_lock lock(mutex_);
  struct stat file {};
  if (all_ != nullptr || fd < 0 || how == Adopts::kNever || ::fstat(fd, &file) != 0) {
    return;
  }
  own_ = &own;
  fd_ = fd;
  device_ = file.st_dev;
  inode_ = file.st_ino;
  how_ = how;
  all_ = new std::vector<Stretch>;
}

// The program may have closed it, and another file may have its number.
bool Adopted::file_is_ours() const noexcept {
  struct stat file {};
  return ::fstat(fd_, &file) == 0 && file.st_dev == device_ && file.st_ino == inode_;
}

void Adopted::end() noexcept {
  const std::scoped_lock lock(mutex_);
  if (all_ == nullptr) {
    return;
  }
  std::erase_if(*all_, [this](const Stretch& each) noexcept { return !each.is_adopted || turn_back(each); });
  if (!all_->empty()) {
    own_->keep_contents();
    return;  // and children that are forked are to get copies
  }
  delete all_;
  all_ = nullptr;
}

std::optional<Adopted::Pages> Adopted::pages_of(const void* at, std::uint64_t bytes) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (bytes == 0 || bytes > UINTPTR_MAX - os::kPage - address) {
    return std::nullopt;
  }
  return Pages{os::round_down(address, os::kPage), os::round_up(address + bytes, os::kPage)};
}

Adopted::Stretch* Adopted::find_adopted(const Pages& pages) const noexcept {
  const auto found = std::find_if(all_->begin(), all_->end(), [&](const Stretch& each) noexcept {
    return each.is_adopted && each.pages.lo <= pages.lo && pages.hi <= each.pages.hi;
  });
  return found == all_->end() ? nullptr : &*found;
}

Adopted::Stretch* Adopted::find_copied(const Pages& pages) const noexcept {
  const auto found = std::find_if(all_->begin(), all_->end(), [&](const Stretch& each) noexcept {
    return !each.is_adopted && each.pages.lo == pages.lo && each.pages.hi == pages.hi;
  });
  return found == all_->end() ? nullptr : &*found;
}

bool Adopted::is_copied(const Pages& pages) const noexcept {
  return std::any_of(all_->begin(), all_->end(), [&](const Stretch& each) noexcept {
    return !each.is_adopted && pages.lo < each.pages.hi && each.pages.lo < pages.hi;
  });
}

const char* Adopted::why_not(const Pages& pages) const noexcept {
  if (std::any_of(all_->begin(), all_->end(),
                  [&](const Stretch& each) noexcept { return pages.lo < each.pages.hi && each.pages.lo < pages.hi; })) {
    return "pages of it are another window's";
  }
  if (how_ == Adopts::kAuto && pages.bytes() > kMostOfAuto) {
    return "it is large";
  }
  if (how_ == Adopts::kAuto && std::count_if(all_->begin(), all_->end(), [](const Stretch& each) noexcept {
                                 return each.is_adopted;
                               }) >= kMostStretchesOfAuto) {
    return "many other pieces of memory are shared already";
  }
  if (!file_is_ours()) {
    return "the program has closed Weft's files";
  }
  const os::Status status = os::read_status();
  if (status.threads != 1) {
    return "the process has several threads";
  }
  if (status.locked_bytes != 0 || status.pinned_bytes != 0) {
    return "the process has pages that are locked";
  }
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here >= pages.lo && here < pages.hi) {
    return "it lies on a stack";
  }
  Look look{pages.lo, pages.hi, pages.lo, how_ == Adopts::kAlways};
  if (!os::each_mapped(pages.bytes() >= kHuge, look_at, &look)) {
    return "the kernel does not tell what is mapped";
  }
  return look.why_not != nullptr || look.seen >= pages.hi ? look.why_not : "it is not all mapped";
}

std::optional<std::uint64_t> Adopted::hold(const void* at, std::uint64_t bytes) noexcept {
  const auto pages = pages_of(at, bytes);
  const std::scoped_lock lock(mutex_);
  if (all_ == nullptr || !pages) {
    return std::nullopt;
  }
  const auto place_in = [&](const Stretch& stretch) {
    return std::optional(stretch.offset + (reinterpret_cast<std::uintptr_t>(at) - stretch.pages.lo));
  };
  if (Stretch* const held = find_adopted(*pages); held != nullptr && is_there(*held, *pages)) {
    ++held->holders;
    return place_in(*held);
  }
  Stretch stretch{*pages, false, 0, 1};
  const char* const reason = why_not(*pages);
  stretch.is_adopted = reason == nullptr && adopt(&stretch);
  all_->push_back(stretch);
  if (!stretch.is_adopted) {
    base::debug("memory of a window, %llu bytes at %p, is reached by copies: %s",
                static_cast<unsigned long long>(bytes), at, reason != nullptr ? reason : "there is no room for it");
  }
  return stretch.is_adopted ? place_in(stretch) : std::nullopt;
}

bool Adopted::adopt(Stretch* stretch) noexcept {
  const Pages& pages = stretch->pages;
  static const std::uint64_t most = os::memory_info().bytes;
  if (most != 0 && (pages.bytes() > most || own_->in_use() > most - pages.bytes())) {
    return false;
  }
  const auto block = own_->allocate(pages.bytes(), os::kPage);
  if (!block) {
    return false;
  }
  stretch->offset = *block;
  bool is_mapped = false;
  {
    // From the copy to the mapping nothing is stored here either.
    const NoSignals quiet;
    copy_pages(own_->own().lo + *block, pages.lo, pages.bytes());
    is_mapped = static_cast<bool>(os::map_shared_at(pages.lo, pages.bytes(), fd_, own_->place_in_file(*block)));
  }
  if (!is_mapped) {
    (void)own_->release_memory(*block, os::kPage);
  }
  return is_mapped;
}

void Adopted::let_go(const void* at, std::uint64_t bytes) noexcept {
  const auto pages = pages_of(at, bytes);
  const std::scoped_lock lock(mutex_);
  if (all_ == nullptr || !pages) {
    return;
  }
  // Copied first: both are there where the program has freed adopted memory, and made a window on what came there.
  Stretch* held = find_copied(*pages);
  if (held == nullptr) {
    held = find_adopted(*pages);
  }
  if (held == nullptr || --held->holders != 0) {
    return;
  }
  if (!held->is_adopted) {
    all_->erase(all_->begin() + (held - all_->data()));
  }
  // Whatever nobody holds: what others copy into such pages while they are exchanged would be lost, so those wait.
  for (auto each = all_->begin(); each != all_->end();) {
    const bool goes = each->is_adopted && each->holders == 0 && !is_copied(each->pages) && turn_back(*each);
    each = goes ? all_->erase(each) : each + 1;
  }
}

// The program may have freed them, and then they may be anything by now.
std::optional<Adopted::Ours> Adopted::still_ours(const Stretch& stretch) const noexcept {
  struct Search {
    std::uint64_t device;
    std::uint64_t inode;
    std::uint64_t place;
    Pages pages;
    Ours found;
  } search{device_, inode_, own_->place_in_file(stretch.offset), stretch.pages, {}};
  const auto look = [](void* subject, const Mapped& mapped) {
    Search& in = *static_cast<Search*>(subject);
    in.found.is_plain = in.found.is_plain && !may_know_pages(mapped.name);
    const Pages both{std::max(mapped.lo, in.pages.lo), std::min(mapped.hi, in.pages.hi)};
    if (both.lo < both.hi && mapped.inode == in.inode && mapped.device == in.device && mapped.access[3] == 's' &&
        mapped.offset + (both.lo - mapped.lo) == in.place + (both.lo - in.pages.lo)) {
      in.found.pages.push_back(both);
      in.found.is_plain = in.found.is_plain && std::strcmp(mapped.access, "rw-s") == 0;
    }
    return true;
  };
  if (!os::each_mapped(false, look, &search)) {
    return std::nullopt;
  }
  return std::move(search.found);
}

bool Adopted::is_there(const Stretch& stretch, const Pages& pages) const noexcept {
  const auto ours = still_ours(stretch);
  std::uintptr_t seen = pages.lo;
  for (const Pages& each : ours ? ours->pages : std::vector<Pages>()) {
    seen = each.lo <= seen && seen < each.hi ? each.hi : seen;
  }
  return seen >= pages.hi;
}

bool Adopted::turn_back(const Stretch& stretch) noexcept {
  const os::Status status = os::read_status();
  const bool is_alone = status.threads == 1;
  const auto ours = still_ours(stretch);
  if (status.threads == 0 || !ours || (!is_alone && !file_is_ours())) {
    return false;
  }
  // As when it was adopted: who knows pages would go on with the old ones.
  if (!ours->is_plain || status.locked_bytes != 0 || status.pinned_bytes != 0) {
    return false;
  }
  const std::uint64_t place = own_->place_in_file(stretch.offset);
  for (const Pages& pages : ours->pages) {
    if (!(is_alone ? copy_back(pages) : copy_back_beside_others(pages, place + (pages.lo - stretch.pages.lo)))) {
      return false;
    }
  }
  if (is_alone) {
    (void)own_->release_memory(stretch.offset, os::kPage);
  } else {
    // Mapped as it still is, the place in the file stays nobody else's, and empty.
    os::drop_contents(own_->own().lo + stretch.offset, stretch.pages.bytes());
  }
  return true;
}

bool Adopted::copy_back(const Pages& pages) noexcept {
  const auto room = os::map_private(pages.bytes());
  if (!room) {
    return false;
  }
  const NoSignals quiet;
  copy_pages(*room, pages.lo, pages.bytes());
  if (!os::move_over(*room, pages.bytes(), pages.lo)) {
    os::give_back(*room, pages.bytes());
    return false;
  }
  return true;
}

// Other threads may store meanwhile. First the mapping becomes, at once, one that has pages of its own where it is
// written; then each page is written with what it holds.
bool Adopted::copy_back_beside_others(const Pages& pages, std::uint64_t in_file) noexcept {
  if (!os::map_copied_at(pages.lo, pages.bytes(), fd_, in_file)) {
    return false;
  }
  for (std::uintptr_t page = pages.lo; page < pages.hi; page += os::kPage) {
    write_what_is_there(page);
  }
  return true;
}

std::optional<std::uint64_t> Adopted::find(const void* at, std::uint64_t bytes) const noexcept {
  const auto pages = pages_of(at, bytes);
  const std::scoped_lock lock(mutex_);
  const Stretch* const held = all_ == nullptr || !pages ? nullptr : find_adopted(*pages);
  return held == nullptr || !is_there(*held, *pages)
             ? std::nullopt
             : std::optional(held->offset + (reinterpret_cast<std::uintptr_t>(at) - held->pages.lo));
}

// The lock is held until drop_saved() or give_child(), so the child finds all as it is now.
void Adopted::save_for_child() noexcept {
  mutex_.lock();
  if (all_ == nullptr || all_->empty()) {
    return;
  }
  saved_ = new std::vector<Saved>;
  for (const Stretch& each : *all_) {
    const auto ours = each.is_adopted ? still_ours(each) : Ours();
    if (!ours) {
      saved_->push_back({each.pages, 0});  // so the child ends in place of sharing it
      continue;
    }
    for (const Pages& pages : ours->pages) {
      const auto room = os::map_private(pages.bytes());
      saved_->push_back({pages, room ? *room : 0});
    }
  }
  // The list itself may lie in these pages: nothing changes behind the copies.
  for (const Saved& each : *saved_) {
    if (each.at != 0) {
      copy_pages(each.at, each.pages.lo, each.pages.bytes());
    }
  }
}

void Adopted::drop_saved() noexcept {
  if (saved_ != nullptr) {
    for (const Saved& each : *saved_) {
      if (each.at != 0) {
        os::give_back(each.at, each.pages.bytes());
      }
    }
    delete std::exchange(saved_, nullptr);
  }
  mutex_.unlock();
}

bool Adopted::give_child() noexcept {
  bool has_all = true;
  if (saved_ != nullptr) {
    for (const Saved& each : *saved_) {
      has_all = has_all && each.at != 0 && os::move_over(each.at, each.pages.bytes(), each.pages.lo);
    }
    delete std::exchange(saved_, nullptr);
  }
  all_ = nullptr;  // the parent's
  mutex_.unlock();
  return has_all;
}

}  // namespace weft::memory

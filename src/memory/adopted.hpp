// Memory that the program brought, and that other PEs of the node are to reach as they reach this PE's own area: its
// pages become pages of that area, in place, and private memory again when nobody needs them. The program's addresses
// stay, and so does all that lies in the same pages.
//
//   before  program's pages -> private memory
//   while   program's pages -> a block of the own area's file <- all PEs' mappings of the area
//
// What is stored while the pages are exchanged would be lost. So it is done only where nobody can store: the process
// has one thread, which is here, with signals blocked; no device and no queue of the kernel's has pages of it; and no
// PE copies into these pages by the kernel, which is why memory that is reached so is noted here too. A child that is
// forked gets a copy of its own. Record 0119.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "memory/own_areas.hpp"

namespace weft::memory {

/// The order is that of the choices in base/options.cpp.
enum class Adopts : std::uint8_t { kAuto, kAlways, kNever };

class Adopted {
 public:
  /// Above, exchanging pages takes long and huge pages may be lost: kAuto leaves such memory as it is.
  static constexpr std::uint64_t kMostOfAuto = std::uint64_t{64} << 20;

  /// `fd`: the data file, in which the own area is.
  void begin(OwnAreas& own, int fd, Adopts how) noexcept;
  /// All pages are private again, but where that cannot be: then the area's contents stay. Before the area goes.
  void end() noexcept;

  /// Others are to reach [at, at + bytes), which is not empty. Where in the own area they do; empty: they have to copy.
  /// In either case let_go() follows.
  std::optional<std::uint64_t> hold(const void* at, std::uint64_t bytes) noexcept;
  void let_go(const void* at, std::uint64_t bytes) noexcept;
  /// Where in the own area memory is that somebody holds.
  std::optional<std::uint64_t> find(const void* at, std::uint64_t bytes) const noexcept;

  /// Around a fork: a copy for the child, made in the parent before, as peers go on changing the pages.
  void save_for_child() noexcept;
  void drop_saved() noexcept;
  /// False: there was no memory for it, or the kernel did not tell what is mapped.
  bool give_child() noexcept;

 private:
  struct Pages {
    std::uintptr_t lo = 0;
    std::uintptr_t hi = 0;
    std::uint64_t bytes() const noexcept { return hi - lo; }
  };
  struct Stretch {
    Pages pages;
    bool is_adopted = false;   // else reached by copies
    std::uint64_t offset = 0;  // in the own area
    int holders = 0;           // adopted ones may stay without
  };
  struct Saved {
    Pages pages;
    std::uintptr_t at = 0;
  };

  static std::optional<Pages> pages_of(const void* at, std::uint64_t bytes) noexcept;
  Stretch* find_adopted(const Pages& pages) const noexcept;
  Stretch* find_copied(const Pages& pages) const noexcept;
  /// Partly, at least: others copy into these pages.
  bool is_copied(const Pages& pages) const noexcept;
  /// All of the pages still are the stretch's: the program may have freed them, and mapped others there.
  bool is_there(const Stretch& stretch, const Pages& pages) const noexcept;
  const char* why_not(const Pages& pages) const noexcept;
  bool file_is_ours() const noexcept;
  bool adopt(Stretch* stretch) noexcept;
  struct Ours {
    std::vector<Pages> pages{};
    bool is_plain = true;  // it may be written, and no device or queue may know its pages
  };
  /// Empty: unknown.
  std::optional<Ours> still_ours(const Stretch& stretch) const noexcept;
  bool turn_back(const Stretch& stretch) noexcept;
  bool copy_back(const Pages& pages) noexcept;
  bool copy_back_beside_others(const Pages& pages, std::uint64_t in_file) noexcept;

  mutable std::mutex mutex_{};
  OwnAreas* own_ = nullptr;
  std::vector<Stretch>* all_ = nullptr;  // between begin() and end()
  std::vector<Saved>* saved_ = nullptr;  // during a fork
  int fd_ = -1;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  Adopts how_ = Adopts::kNever;
};

}  // namespace weft::memory

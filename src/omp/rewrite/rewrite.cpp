#include "omp/rewrite/rewrite.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "omp/rewrite/carry.hpp"
#include "omp/rewrite/stubs.hpp"
#include "omp/rewrite/trap.hpp"
#include "omp/sites/functions.hpp"
#include "omp/sites/mapped.hpp"
#include "omp/sites/sites.hpp"
#include "os/mapping.hpp"

namespace weft::omp::rewrite {
namespace {

using base::Error;
using base::Result;

// One that is loaded.
struct Object {
  std::string path;
  std::uintptr_t bias = 0;
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
  bool is_executable = false;
};

struct Found {
  const Plan* plan;
  std::vector<Object> objects;
};

int look_at(dl_phdr_info* is, std::size_t /*size*/, void* into) {
  auto& found = *static_cast<Found*>(into);
  Object object;
  object.is_executable = found.objects.empty();
  const std::string_view path = is->dlpi_name != nullptr ? is->dlpi_name : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  // Without a folder it is the kernel's own.
  if (!object.is_executable && (path.find('/') == std::string_view::npos || found.plan->stays(name))) {
    return 0;
  }
  object.path = object.is_executable ? std::string_view("/proc/self/exe") : path;
  object.bias = is->dlpi_addr;
  object.lo = ~std::uintptr_t{0};
  for (int k = 0; k < is->dlpi_phnum; ++k) {
    const auto& segment = is->dlpi_phdr[k];
    if (segment.p_type == PT_LOAD) {
      object.lo = std::min<std::uintptr_t>(object.lo, object.bias + segment.p_vaddr);
      object.hi = std::max<std::uintptr_t>(object.hi, object.bias + segment.p_vaddr + segment.p_memsz);
    }
  }
  if (object.lo < object.hi) {
    found.objects.push_back(std::move(object));
  }
  return 0;
}

class Rewriting {
 public:
  explicit Rewriting(const Plan& plan) noexcept : plan_(plan) {}

  Result<void> find(const Object& object) noexcept;
  Result<Rewritten> carry_on() noexcept;

 private:
  struct Change {
    std::uintptr_t at;
    std::uint8_t taken;
    std::uint8_t code[16];
  };
  static constexpr std::uint8_t kTrap = 0xcc;
  static constexpr std::uint8_t kJump = 0xe9;
  static constexpr std::uint8_t kNop = 0x90;

  Result<void> prepare(const Object& object, std::span<const std::byte> file, const sites::Sites& found) noexcept;
  static Result<void> write(const Change& change) noexcept;

  const Plan& plan_;
  Rewritten done_;
  std::vector<Place> places_;
  std::vector<Change> changes_;
};

Result<void> Rewriting::find(const Object& object) noexcept {
  const sites::Mapped file(object.path.c_str());
  if (!file) {
    return Error::make("%s: %s", object.path.c_str(), std::strerror(file.error()));
  }
  const auto functions = sites::find_functions(file.bytes());
  if (!functions) {
    return Error::make("%s: %s", object.path.c_str(), functions.error().text());
  }
  if (plan_.decode == nullptr) {
    return sites::may_have_sites(file.bytes(), *functions)
               ? Error::make("%s may have some, and what reads instructions is not there",
                             object.is_executable ? "the executable" : object.path.c_str())
               : Result<void>();
  }
  const sites::Sites found = sites::find_sites(file.bytes(), *functions, plan_.decode);
  if (!found.unclear.empty() && object.is_executable) {
    return Error::make("its function at %#llx has atomic instructions among bytes that are none",
                       static_cast<unsigned long long>(found.unclear.front()));
  }
  done_.unclear += static_cast<int>(found.unclear.size());
  return found.sites.empty() ? Result<void>() : prepare(object, file.bytes(), found);
}

Result<void> Rewriting::prepare(const Object& object, std::span<const std::byte> file,
                                const sites::Sites& found) noexcept {
  Stubs stubs;
  if (const auto opened = stubs.open(object.lo, object.hi, found.sites.size()); !opened) {
    return opened;
  }
  for (const sites::Site& site : found.sites) {
    const std::uintptr_t at = site.at + object.bias;
    const auto code = sites::loaded_at(file, site.at);
    // Another file by now, or a library that changes its own code.
    if (code.size() < site.taken || std::memcmp(code.data(), reinterpret_cast<const void*>(at), site.taken) != 0) {
      return Error::make("its code at %#zx is not what its file %s has there", at, object.path.c_str());
    }
    Place& place = places_.emplace_back();
    if (!stubs.add(site, object.bias, places_.size() - 1, place)) {
      return Error::make("its code at %#zx names what is more than 2 GiB away", at);
    }
    Change change{at, site.taken, {}};
    std::fill(change.code, change.code + site.taken, kNop);
    if (!site.has_room()) {
      change.code[0] = kTrap;
      ++done_.traps;
    } else {
      change.code[0] = kJump;
      const auto far = static_cast<std::int32_t>(stubs.entry() - (at + sites::kJumpBytes));
      std::memcpy(change.code + 1, &far, sizeof far);
      ++done_.jumps;
    }
    changes_.push_back(change);
  }
  if (!stubs.close()) {
    return Error::make("the kernel refuses code of ours: %s", std::strerror(errno));
  }
  return {};
}

Result<void> Rewriting::write(const Change& change) noexcept {
  const std::uintptr_t from = os::round_down(change.at, os::kPage);
  const std::size_t bytes = os::round_up(change.at + change.taken, os::kPage) - from;
  if (::mprotect(reinterpret_cast<void*>(from), bytes, PROT_READ | PROT_WRITE) != 0) {
    return Error::make("the kernel does not let its code at %#zx be changed: %s", change.at, std::strerror(errno));
  }
  std::memcpy(reinterpret_cast<void*>(change.at), change.code, change.taken);
  if (::mprotect(reinterpret_cast<void*>(from), bytes, PROT_READ | PROT_EXEC) != 0) {
    return Error::make("the kernel does not let its code at %#zx be code again: %s", change.at, std::strerror(errno));
  }
  return {};
}

Result<Rewritten> Rewriting::carry_on() noexcept {
  if (places_.empty()) {
    return done_;
  }
  if (done_.traps > 0) {
    if (const auto caught = catch_traps(); !caught) {
      return caught.error();
    }
  }
  // They stay as long as the code that comes to them.
  auto* const kept = new std::vector<Place>(std::move(places_));
  set_places(kept->data(), kept->size(), plan_.carry);
  for (const Change& change : changes_) {
    if (const auto written = write(change); !written) {
      return written.error();
    }
  }
  return done_;
}

}  // namespace

Result<Rewritten> rewrite(const Plan& plan) noexcept {
  Found found{&plan, {}};
  (void)::dl_iterate_phdr(look_at, &found);
  // So are their places then.
  std::sort(found.objects.begin(), found.objects.end(), [](const Object& a, const Object& b) { return a.lo < b.lo; });
  Rewriting rewriting(plan);
  for (const Object& object : found.objects) {
    if (const auto done = rewriting.find(object); !done) {
      return done.error();
    }
  }
  return rewriting.carry_on();
}

}  // namespace weft::omp::rewrite

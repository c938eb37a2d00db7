#include "omp/rewrite/stubs.hpp"

#include <sys/mman.h>

#include <cstring>

#include "os/mapping.hpp"

namespace weft::omp::rewrite {
namespace {

// What a jump or an address in an instruction reaches, less what lies around its end.
constexpr std::uintptr_t kReach = (std::uintptr_t{1} << 31) - (std::uintptr_t{1} << 20);
constexpr std::uintptr_t kStep = std::uintptr_t{16} << 20;
// Where the kernel lets nobody map.
constexpr std::uintptr_t kLowest = std::uintptr_t{1} << 20;
// Above the program: there its heap grows.
constexpr std::uintptr_t kHeapRoom = std::uintptr_t{1} << 30;

std::uint8_t* map_at(std::uintptr_t at, std::size_t bytes) noexcept {
  void* const wanted = reinterpret_cast<void*>(at);
  void* const got =
      ::mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) {
    return nullptr;
  }
  if (got != wanted) {  // a kernel that does not know the flag takes the address as a wish
    (void)::munmap(got, bytes);
    return nullptr;
  }
  return static_cast<std::uint8_t*>(got);
}

}  // namespace

base::Result<void> Stubs::open(std::uintptr_t lo, std::uintptr_t hi, std::size_t stubs) noexcept {
  bytes_ = os::round_up(sizeof(void*) + stubs * kMostStubBytes, os::kPage);
  lo = os::round_down(lo, os::kPage);
  hi = os::round_up(hi, os::kPage);
  for (std::uintptr_t far = kStep; begin_ == nullptr && lo > far + kLowest && hi - (lo - far) < kReach; far += kStep) {
    begin_ = map_at(lo - far, bytes_);
  }
  for (std::uintptr_t far = kHeapRoom; begin_ == nullptr && hi - lo + far + bytes_ < kReach; far += kStep) {
    begin_ = map_at(hi + far, bytes_);
  }
  // Close to libraries: below them may be shared memory, and above them the space ends.
  constexpr std::uintptr_t kShortStep = std::uintptr_t{1} << 20;
  for (std::uintptr_t far = kShortStep; begin_ == nullptr && far < kHeapRoom && hi - lo + far + bytes_ < kReach;
       far += kShortStep) {
    begin_ = map_at(hi + far, bytes_);
  }
  if (begin_ == nullptr) {
    return base::Error::make("no addresses are free within 2 GiB of its code at %#zx", static_cast<std::size_t>(lo));
  }
  // The cell that stubs call by: the function itself may be too far.
  const auto enter = reinterpret_cast<std::uintptr_t>(&weft_omp_rewrite_enter);
  std::memcpy(begin_, &enter, sizeof enter);
  next_ = begin_ + sizeof enter;
  return {};
}

void Stubs::bytes(std::span<const std::uint8_t> all) noexcept {
  std::memcpy(next_, all.data(), all.size());
  next_ += all.size();
}

// How far it is from behind these four bytes.
bool Stubs::relative(std::uintptr_t target) noexcept {
  const auto far = static_cast<std::int64_t>(target - (reinterpret_cast<std::uintptr_t>(next_) + 4));
  const auto coded = static_cast<std::int32_t>(far);
  std::memcpy(next_, &coded, sizeof coded);
  next_ += sizeof coded;
  return coded == far;
}

// The instruction, naming the same place from here.
bool Stubs::copy(const sites::Site& site, std::uintptr_t at) noexcept {
  std::uint8_t* const here = next_;
  bytes({reinterpret_cast<const std::uint8_t*>(at), site.is.length});
  if (site.is.base != sites::kRip) {
    return true;
  }
  const std::int64_t far =
      site.is.displacement + static_cast<std::int64_t>(at - reinterpret_cast<std::uintptr_t>(here));
  const auto coded = static_cast<std::int32_t>(far);
  std::memcpy(here + site.is.displacement_at, &coded, sizeof coded);
  return coded == far;
}

// One that goes along; a jump goes where it went.
bool Stubs::move(const sites::Moved& moved, std::uintptr_t at, std::uintptr_t bias) noexcept {
  const auto* const code = reinterpret_cast<const std::uint8_t*>(at);
  if (moved.target == 0) {
    bytes({code, moved.length});
    return true;
  }
  constexpr std::uint8_t kAlways = 0xe9;
  if (code[0] == 0xeb || code[0] == kAlways) {
    *next_++ = kAlways;
  } else {
    *next_++ = 0x0f;
    // Conditions have the same numbers in both lengths.
    *next_++ = static_cast<std::uint8_t>(0x80 | ((code[0] == 0x0f ? code[1] : code[0]) & 0xf));
  }
  return relative(moved.target + bias);
}

bool Stubs::add(const sites::Site& site, std::uintptr_t bias, std::uint64_t number, Place& place) noexcept {
  constexpr std::uint8_t kBelowRedZone[] = {0x48, 0x8d, 0x64, 0x24, 0x80};            // lea -128(%rsp), %rsp
  constexpr std::uint8_t kBack[] = {0x48, 0x8d, 0xa4, 0x24, 0x88, 0x00, 0x00, 0x00};  // lea 136(%rsp), %rsp
  constexpr std::uint8_t kPush = 0x68;
  constexpr std::uint8_t kCallCell[] = {0xff, 0x15};
  constexpr std::uint8_t kJump = 0xe9;
  static_assert(kRedZone == 128);
  const std::uintptr_t at = site.at + bias;
  std::uint8_t* const end = next_ + kMostStubBytes;
  place.at = at;
  place.is = site.is;
  entry_ = reinterpret_cast<std::uintptr_t>(next_);
  bytes(kBelowRedZone);
  *next_++ = kPush;
  const auto coded = static_cast<std::uint32_t>(number);
  std::memcpy(next_, &coded, sizeof coded);
  next_ += sizeof coded;
  bytes(kCallCell);
  bool is_near = relative(reinterpret_cast<std::uintptr_t>(begin_));
  // By the processor, in the two ways that lead here: the function's and the trap's.
  place.local = reinterpret_cast<std::uintptr_t>(next_);
  bytes(kBack);
  place.local_of_trap = reinterpret_cast<std::uintptr_t>(next_);
  is_near = copy(site, at) && is_near;
  *next_++ = kJump;
  std::uint8_t* const over = next_;
  next_ += 4;
  place.done = reinterpret_cast<std::uintptr_t>(next_);
  bytes(kBack);
  place.done_of_trap = reinterpret_cast<std::uintptr_t>(next_);
  std::uint8_t* const rest = next_;
  next_ = over;
  is_near = relative(reinterpret_cast<std::uintptr_t>(rest)) && is_near;
  next_ = rest;
  std::uintptr_t behind = at + site.is.length;
  for (int k = 0; k < site.n_moved; ++k) {
    is_near = move(site.moved[k], behind, bias) && is_near;
    behind += site.moved[k].length;
  }
  *next_++ = kJump;
  is_near = relative(behind) && is_near;
  next_ = end;
  return is_near;
}

bool Stubs::close() noexcept { return begin_ == nullptr || ::mprotect(begin_, bytes_, PROT_READ | PROT_EXEC) == 0; }

}  // namespace weft::omp::rewrite

// A process whose memory is reached, which does what it is told. All of its memory that is shown is a file that the
// test has open too, for the sake of fake_xpmem.cpp.
#pragma once

#include <cstddef>
#include <memory>

#include "reach/peer.hpp"
#include "reach/self.hpp"
#include "support/process.hpp"

namespace weft::reach::test {

inline constexpr std::size_t kArena = std::size_t{8} << 20;

/// With the substitutes; for cma it is the system itself. First asked for before the processes part.
Systems substitutes();
base::SingleCopy only(Way way);

enum class Ask : char {
  kUnmapSecondHalf = 'u',
  kForbidWriting = 'w',  // and shows itself anew, as memory that is only read
  kCheck = 'c',          // answers whether all bytes of the arena are what fill() made of them
  kExit = 'x',
};

/// What the owner's arena holds at first.
std::byte pattern(std::uint64_t offset);

class Owner {
 public:
  explicit Owner(base::SingleCopy choice);
  ~Owner();
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  bool ask(Ask what);
  const Card& card() const;
  /// Its arena.
  Place place() const;
  /// The same memory, as this process has it.
  std::byte* arena() const { return arena_; }
  void end();

 private:
  struct Common;
  [[noreturn]] void serve(base::SingleCopy choice);

  int file_;
  int socket_[2];
  std::byte* arena_;
  Common* common_;
  std::unique_ptr<weft::test::Child> child_;
};

}  // namespace weft::reach::test

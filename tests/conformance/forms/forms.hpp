// What the parts of the test share. Every PE computes by itself what each result has to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "coll/forms.hpp"
#include "coll/split.hpp"
#include "group/team.hpp"

namespace forms {

using weft::coll::Reached;
using weft::group::Members;
using weft::group::Team;

[[noreturn, gnu::format(printf, 1, 2)]] void wrong(const char* format, ...);
#define CHECK(condition, ...) ((condition) ? (void)0 : forms::wrong(__VA_ARGS__))

int me();
int n_pes();

/// A call had the memory that it asked for, and asked for all that it took.
inline void need_done(const weft::coll::Party& party, bool done) {
  CHECK(done, "no memory for %zu bytes", party.lacks());
  CHECK(weft::coll::Room::shortages() == 0, "the call took more memory than it had asked for");
}

/// Byte `at` of what member `from` has for member `to`.
inline std::byte value(int from, int to, std::size_t at) {
  return static_cast<std::byte>(static_cast<std::size_t>(from) * 31 + static_cast<std::size_t>(to) * 7 + at * 3 + 1);
}
inline constexpr std::byte kUntouched{0xee};

/// The same numbers on all PEs.
using Random = std::mt19937;

/// Some of all PEs in any order, at least one; an even progression now and then.
std::vector<int> some_pes(Random& random);
/// A team of them; null where this PE is none of them.
Team* team_of(const std::vector<int>& pes, std::uint64_t tag);

/// Room that is filled with kUntouched: malloc'ed, at an address that is a multiple of 8 only, or symmetric; then
/// members that ask for the same sizes in the same order have it at the same place.
class Room {
 public:
  Room(Reached reached, std::size_t bytes);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  std::byte* get() const { return at_; }
  std::byte& operator[](std::size_t at) const { return at_[at]; }

 private:
  std::byte* at_;
  std::size_t taken_ = 0;
  std::vector<std::byte> own_;
};

/// Parts with gaps, of different lengths, some of them empty; in any order.
class Layout {
 public:
  template <class Bytes>
  Layout(int members, Random& random, Bytes&& bytes) {
    std::vector<int> order;
    for (int k = 0; k < members; ++k) {
      bytes_.push_back(bytes(k));
      order.insert(order.begin() + static_cast<int>(random() % (order.size() + 1)), k);
    }
    offsets_.resize(bytes_.size());
    for (const int k : order) {
      offsets_[static_cast<std::size_t>(k)] = end_;
      end_ += bytes_[static_cast<std::size_t>(k)] + random() % 5;
    }
  }
  weft::coll::Parts parts() const { return {offsets_.data(), bytes_.data()}; }
  std::size_t offset(int k) const { return offsets_[static_cast<std::size_t>(k)]; }
  std::size_t bytes(int k) const { return bytes_[static_cast<std::size_t>(k)]; }
  std::size_t end() const { return end_; }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> bytes_;
  std::size_t end_ = 0;
};

void moves();
void combines();
void stations();
void pending();
void threads();
void withdrawn();
void nowhere();
void no_target();
void gone();
void hang();

}  // namespace forms

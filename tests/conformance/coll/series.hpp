// A series: calls of one team or active set that follow each other without any synchronisation between them, the way
// the standard allows. All targets are ready before the first call, each call has its own; the source is one buffer
// that each PE fills just before its call and spoils as soon as the call has returned, and so does it with many a
// target. PEs come late by turns.
#ifndef WEFT_TESTS_CONFORMANCE_COLL_SERIES_HPP
#define WEFT_TESTS_CONFORMANCE_COLL_SERIES_HPP

#include "who.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

namespace suite {

std::uint64_t mix(std::uint64_t x);
/// Bytes [0, bytes) of the data that member `member` sends in the call `seed`.
void fill_bytes(void* into, std::uint64_t seed, int member, std::size_t bytes);

/// One call, as this PE sees it.
struct Step {
  std::string what;
  std::size_t element = 1;  // bytes; targets and sources are aligned to it and to no more
  std::size_t dest_bytes = 0;
  std::size_t source_bytes = 0;
  std::size_t source_room = 0;  // the most that any member has: its place must be the same symmetric object on all
  bool in_place = false;
  std::function<void(void* source)> fill;
  /// Makes of the target's old contents what it has to be after the call.
  std::function<void(void* dest)> expect;
  /// psync: for an active set. Returns what the call returns, 0 for the void ones.
  std::function<int(void* dest, const void* source, long* psync)> call;
  /// How targets are compared; by default their bytes. Long doubles have bytes that mean nothing.
  std::function<bool(const void* is, const void* should_be)> equal;
  /// When set: the targets of all members must be the same in this sense.
  std::function<bool(const void* is, const void* of_first)> same;
};

/// The most that a reduction over an active set combines here, for the size of pWrk.
constexpr std::size_t kMostActive = 20000;
constexpr std::size_t kWorkBytes = 16 * (kMostActive / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE);

enum class Place { heap, statics };

/// Symmetric memory of one thread for its series. All PEs make them alike and take from them alike.
class Arena {
 public:
  explicit Arena(std::size_t heap_bytes);
  /// Room for dest and source of the next step; statics only for what fits there.
  unsigned char* take(Place place, std::size_t bytes);
  unsigned char* source(Place place, std::size_t bytes);
  /// pSync of call i of a series, with its pWrk behind it.
  long* psync(std::size_t i) const { return psync_[i]; }
  void clear() { used_[0] = used_[1] = 0; }
  std::size_t heap_bytes() const { return bytes_[0] / 2; }

 private:
  unsigned char* base_[2];
  std::size_t bytes_[2];
  std::size_t used_[2] = {0, 0};
  long* psync_[4];
};

class Series {
 public:
  static constexpr std::size_t kMostSteps = 4;
  /// `seed` is the same on all members.
  Series(const Who& who, Arena& arena, std::uint64_t seed) : who_(who), arena_(arena), seed_(seed) {}
  ~Series() { run(); }
  /// Runs the series when it is full.
  void add(const Step& step);
  void run();

 private:
  struct Prepared {
    Step step;
    unsigned char* dest;
    unsigned char* source;
    std::vector<unsigned char> expected;  // with the guards
  };
  void prepare(const Step& step);
  void make(Prepared& one, std::size_t number);
  void compare(const Prepared& one, const unsigned char* is, const char* when);
  void compare_bits(const Prepared& one);
  void be_late(std::size_t number);

  const Who& who_;
  Arena& arena_;
  std::uint64_t seed_;
  std::vector<Prepared> steps_;
  std::vector<Step> waiting_;
};

}  // namespace suite

#endif

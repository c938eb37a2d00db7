// A committed datatype as a short program of loops over runs of bytes.
//
// The constructors say how a program's author thought of the data; what is left here is where the bytes lie. Runs that
// touch are one run, blocks at equal distances are a loop whichever constructor made them, loops within loops that
// amount to one loop are one. Every step knows how many bytes it moves, so a walk can begin and end at any byte: at
// each level a division or a binary search finds the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "type/datatype.hpp"

namespace weft::type {

struct Step {
  enum class What : std::uint8_t {
    kRun,       // bytes side by side
    kRepeat,    // `count` times `body`, `stride` bytes apart
    kPlaces,    // `body` at each of `count` places
    kSpans,     // `count` runs of several lengths
    kSequence,  // `count` steps, one after the other
  };
  What what = What::kRun;
  std::uint32_t body = 0;  // kRepeat, kPlaces: a step; kSequence: the first of them in Program::sequence
  std::size_t first = 0;   // kPlaces, kSpans: in Program::places; kSpans, kSequence: in Program::starts
  std::int64_t at = 0;     // from where the step above is
  std::int64_t bytes = 0;  // of data
  std::int64_t count = 1;
  std::int64_t stride = 0;

  bool operator==(const Step&) const = default;
};

class Program {
 public:
  explicit Program(const Datatype& type) noexcept;

  const Step& root() const noexcept { return steps_[root_]; }
  const Step& step(std::size_t index) const noexcept { return steps_[index]; }
  const Step& body(const Step& of) const noexcept { return steps_[of.body]; }
  /// k-th step of a sequence.
  const Step& part(const Step& of, std::int64_t k) const noexcept {
    return steps_[sequence_[of.body + static_cast<std::size_t>(k)]];
  }
  const std::int64_t* places(const Step& of) const noexcept { return places_.data() + of.first; }
  /// Where each part begins in the row of bytes, and where the last one ends.
  const std::int64_t* starts(const Step& of) const noexcept { return starts_.data() + of.first; }

  /// Data of `count` such in one piece, `root().at` bytes from the address given.
  bool in_one_piece(std::int64_t count, std::int64_t extent) const noexcept {
    return root().what == Step::What::kRun && (count <= 1 || extent == root().bytes);
  }

  /// How many runs of bytes the data of one such is.
  std::int64_t runs() const noexcept { return runs_; }

  /// For tests: "16 x 8 bytes, 128 apart".
  std::size_t steps() const noexcept { return steps_.size(); }

 private:
  friend class Compiler;

  void count_runs() noexcept;

  std::vector<Step> steps_;
  std::vector<std::uint32_t> sequence_;
  std::vector<std::int64_t> places_;
  std::vector<std::int64_t> starts_;
  std::uint32_t root_ = 0;
  std::int64_t runs_ = 0;
};

}  // namespace weft::type

// The walk over the runs of a program's steps between two bytes of its row, for whoever does something with them.
//
// A Move has run(at, bytes) and runs(at, stride, count, bytes): `count` runs of as many bytes. They return false to end
// the walk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "type/program.hpp"

namespace weft::type {

/// An address as a number: displacements may count from null (MPI_BOTTOM), which a pointer cannot.
using Address = std::uintptr_t;

inline Address moved(Address from, std::int64_t by) noexcept { return from + static_cast<Address>(by); }
inline std::byte* pointer(Address address) noexcept { return reinterpret_cast<std::byte*>(address); }

template <class Move>
class Walk {
 public:
  Walk(const Program& program, Move* move) noexcept : program_(program), move_(*move) {}

  /// Bytes [from, to) of the step's row.
  bool step(const Step& step, Address base, std::int64_t from, std::int64_t to) noexcept {
    base = moved(base, step.at);
    switch (step.what) {
      case Step::What::kRun: return move_.run(pointer(moved(base, from)), static_cast<std::size_t>(to - from));
      case Step::What::kRepeat: return repeat(program_.body(step), step.stride, base, from, to);
      case Step::What::kPlaces: return places(step, base, from, to);
      case Step::What::kSpans: return spans(step, base, from, to);
      case Step::What::kSequence: return sequence(step, base, from, to);
    }
    return false;
  }

  /// Of a row that repeats `body`.
  bool repeat(const Step& body, std::int64_t stride, Address base, std::int64_t from, std::int64_t to) noexcept {
    const std::int64_t each = body.bytes;
    std::int64_t k = from / each;
    if (const std::int64_t in = from % each; in != 0) {
      const std::int64_t end = std::min(each, to - k * each);
      if (!step(body, moved(base, k * stride), in, end)) return false;
      from += end - in;
      ++k;
    }
    if (from >= to) return true;
    const std::int64_t whole = (to - from) / each;
    if (body.what == Step::What::kRun) {
      if (whole > 0 && !move_.runs(pointer(moved(base, k * stride + body.at)), stride, static_cast<std::size_t>(whole),
                                   static_cast<std::size_t>(each))) {
        return false;
      }
    } else {
      for (std::int64_t n = 0; n < whole; ++n) {
        if (!all_of(body, moved(base, (k + n) * stride))) return false;
      }
    }
    k += whole;
    const std::int64_t rest = (to - from) % each;
    return rest == 0 || step(body, moved(base, k * stride), 0, rest);
  }

 private:
  /// The whole row of a step, as nearly all of an array's elements are moved: nothing has to be looked for.
  bool all_of(const Step& step, Address base) noexcept {
    base = moved(base, step.at);
    switch (step.what) {
      case Step::What::kRun: return move_.run(pointer(base), static_cast<std::size_t>(step.bytes));
      case Step::What::kRepeat: return repeat(program_.body(step), step.stride, base, 0, step.bytes);
      case Step::What::kPlaces:
        for (std::int64_t k = 0; k < step.count; ++k) {
          if (!all_of(program_.body(step), moved(base, program_.places(step)[k]))) return false;
        }
        return true;
      case Step::What::kSpans: return all_spans(step, base);
      case Step::What::kSequence:
        for (std::int64_t k = 0; k < step.count; ++k) {
          if (!all_of(program_.part(step, k), base)) return false;
        }
        return true;
    }
    return false;
  }

  bool all_spans(const Step& of, Address base) noexcept {
    const std::int64_t* at = program_.places(of);
    const std::int64_t* starts = program_.starts(of);
    for (std::int64_t k = 0; k < of.count; ++k) {
      if (!move_.run(pointer(moved(base, at[k])), static_cast<std::size_t>(starts[k + 1] - starts[k]))) return false;
    }
    return true;
  }

  bool places(const Step& of, Address base, std::int64_t from, std::int64_t to) noexcept {
    const Step& body = program_.body(of);
    const std::int64_t* at = program_.places(of);
    const std::int64_t each = body.bytes;
    std::int64_t k = from / each;
    std::int64_t in = from % each;
    for (; from < to; ++k, in = 0) {
      const std::int64_t end = std::min(each, in + to - from);
      if (!step(body, moved(base, at[k]), in, end)) return false;
      from += end - in;
    }
    return true;
  }

  bool spans(const Step& of, Address base, std::int64_t from, std::int64_t to) noexcept {
    const std::int64_t* at = program_.places(of);
    const std::int64_t* starts = program_.starts(of);
    for (std::int64_t k = part_at(of, from); from < to; ++k) {
      const std::int64_t end = std::min(starts[k + 1], to);
      if (!move_.run(pointer(moved(base, at[k] + from - starts[k])), static_cast<std::size_t>(end - from)))
        return false;
      from = end;
    }
    return true;
  }

  bool sequence(const Step& of, Address base, std::int64_t from, std::int64_t to) noexcept {
    const std::int64_t* starts = program_.starts(of);
    for (std::int64_t k = part_at(of, from); from < to; ++k) {
      const std::int64_t end = std::min(starts[k + 1], to);
      if (!step(program_.part(of, k), base, from - starts[k], end - starts[k])) return false;
      from = end;
    }
    return true;
  }

  /// In which part the byte is.
  std::int64_t part_at(const Step& of, std::int64_t byte) const noexcept {
    const std::int64_t* starts = program_.starts(of);
    return std::upper_bound(starts, starts + of.count + 1, byte) - starts - 1;
  }

  const Program& program_;
  Move& move_;
};

}  // namespace weft::type

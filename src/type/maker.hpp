// How the constructors put a datatype together.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "type/make.hpp"

namespace weft::type {

/// Sums and products that notice when they do not fit.
class Checked {
 public:
  std::int64_t plus(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t sum = 0;
    too_large_ |= __builtin_add_overflow(a, b, &sum);
    return sum;
  }
  std::int64_t minus(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t difference = 0;
    too_large_ |= __builtin_sub_overflow(a, b, &difference);
    return difference;
  }
  std::int64_t times(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t product = 0;
    too_large_ |= __builtin_mul_overflow(a, b, &product);
    return product;
  }
  bool too_large() const noexcept { return too_large_; }

 private:
  bool too_large_ = false;
};

/// One datatype while it is made. repeat() or parts(), once, and then finish().
class Maker {
 public:
  explicit Maker(Contents contents) noexcept;
  ~Maker() noexcept { delete type_; }
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;

  void repeat(std::int64_t count, std::int64_t stride, const Block& block) noexcept;
  void parts(std::vector<Block> blocks) noexcept;
  /// A datatype that the blocks are of and no argument names.
  void keep(Ref inner) noexcept { type_->inner_.push_back(std::move(inner)); }
  void set_bounds(std::int64_t lb, std::int64_t extent) noexcept;
  void set_name(const char* name, const Basic* basic) noexcept;

  Ref finish(Problem* problem) noexcept;

 private:
  void add(std::int64_t count, const Block& block) noexcept;
  void add_bounds(const Block& block) noexcept;
  void round_up() noexcept;

  Datatype* type_;
  Checked checked_;
};

}  // namespace weft::type

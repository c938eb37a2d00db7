// Datatypes (MPI 5.0, chapter 5): which bytes of a buffer are data, in what order, and of which elements they are made.
//
// A datatype never changes after it was made; each keeps those that it is made of. Counts, displacements and extents
// are 64 bits wide; what would not fit is refused. Any thread may use a datatype at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "type/basic.hpp"
#include "type/signature.hpp"

namespace weft::type {

class Datatype;
class Program;

/// Why there is no such datatype.
enum class Problem : std::uint8_t {
  kNone,
  kNegative,      // a count, a length or a number of dimensions
  kTooLarge,      // size, extent or a displacement does not fit in 63 bits
  kOutside,       // a part of an array that does not lie in it, a rank that is not in the grid
  kDistribution,  // no such distribution, argument or order, or a grid that does not fit
  kTooDeep,       // nested in more levels than kMostNested
};

/// Levels in which something is repeated or joined. Walks through a datatype go down by recursion, so that a thread's
/// stack must do; levels that only rename what is below, as dup and contiguous of one, are passed in a loop and not
/// counted.
inline constexpr int kMostNested = 2048;

/// Keeps a datatype.
class Ref {
 public:
  Ref() = default;
  explicit Ref(const Datatype* type) noexcept;
  Ref(const Ref& other) noexcept : Ref(other.type_) {}
  Ref(Ref&& other) noexcept : type_(std::exchange(other.type_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~Ref() noexcept {
    if (type_ != nullptr) let_go(type_);
  }

  const Datatype* get() const noexcept { return type_; }
  const Datatype& operator*() const noexcept { return *type_; }
  const Datatype* operator->() const noexcept { return type_; }
  explicit operator bool() const noexcept { return type_ != nullptr; }

 private:
  static void let_go(const Datatype* type) noexcept;

  const Datatype* type_ = nullptr;
};

/// By which routine it was made: MPI's combiners.
enum class Made : std::uint8_t {
  kNamed,
  kDup,
  kContiguous,
  kVector,
  kHvector,
  kIndexed,
  kHindexed,
  kIndexedBlock,
  kHindexedBlock,
  kStruct,
  kSubarray,
  kDarray,
  kResized,
};

/// Whether counts were given as int or as MPI_Count: the arguments are then given back in another array.
enum class Form : std::uint8_t { kSmall, kLarge };

/// How it was made (MPI_Type_get_contents): arguments in the standard's order.
struct Contents {
  Made made = Made::kNamed;
  Form form = Form::kSmall;
  std::vector<std::int64_t> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> counts;  // of the large form
  std::vector<Ref> types;
};

/// Where its bytes lie, from the address that a call names. lb and ub also heed MPI_Type_create_resized.
struct Bounds {
  std::int64_t lb = 0;
  std::int64_t ub = 0;
  std::int64_t true_lb = 0;
  std::int64_t true_ub = 0;
  bool set = false;   // lb and ub by create_resized, here or in a part
  bool data = false;  // it has elements

  std::int64_t extent() const noexcept { return ub - lb; }
};

/// What it is made of: `count` times a block of `length` elements of `type`, `stride` bytes from block to block; the
/// first begins at `at`. Where `places` is there, block k is parts[k] instead.
struct Block {
  std::int64_t at = 0;
  std::int64_t length = 0;
  const Datatype* type = nullptr;  // one of Contents::types, or of `inner`
};

class Datatype {
 public:
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  /// Bytes of data of one.
  std::int64_t size() const noexcept { return size_; }
  const Bounds& bounds() const noexcept { return bounds_; }
  std::int64_t extent() const noexcept { return bounds_.extent(); }
  int alignment() const noexcept { return alignment_; }
  /// Elements of one, and their bytes in the form "external32".
  std::int64_t elements() const noexcept { return signature_.elements; }
  std::int64_t external() const noexcept { return external_; }
  const Signature& signature() const noexcept { return signature_; }
  /// The one kind of element that it is made of; null if there are several, or none.
  const Basic* uniform() const noexcept { return uniform_; }
  /// Of a predefined one that is one element.
  const Basic* basic() const noexcept { return basic_; }
  const Contents& contents() const noexcept { return contents_; }
  /// Of a predefined one; else null.
  const char* name() const noexcept { return name_; }

  bool committed() const noexcept { return program_.load(std::memory_order_acquire) != nullptr; }
  /// Makes the program by which its data is moved. More than once: nothing more.
  void commit() const noexcept;
  /// It is committed.
  const Program& program() const noexcept { return *program_.load(std::memory_order_acquire); }

  /// For people: "vector(128, 1, 16) of MPI_DOUBLE".
  std::string text() const;

  // What it is made of, for the walks through it.
  bool repeats() const noexcept { return parts_.empty(); }
  std::int64_t count() const noexcept { return count_; }
  std::int64_t stride() const noexcept { return stride_; }
  const Block& block() const noexcept { return block_; }
  std::span<const Block> parts() const noexcept { return parts_; }
  int levels() const noexcept { return levels_; }
  /// Where it is one element of another datatype and nothing else: that. Else null.
  const Block* only() const noexcept {
    const bool once = repeats() ? count_ == 1 && block_.length == 1 : parts_.size() == 1 && parts_[0].length == 1;
    return !once ? nullptr : repeats() ? &block_ : parts_.data();
  }

 private:
  friend class Ref;
  friend class Maker;
  Datatype() = default;
  ~Datatype() noexcept;

  mutable std::atomic<std::uint32_t> kept_{0};
  mutable std::atomic<const Program*> program_{nullptr};
  std::int64_t size_ = 0;
  std::int64_t external_ = 0;
  Bounds bounds_;
  Signature signature_;
  int alignment_ = 1;
  const Basic* uniform_ = nullptr;
  const Basic* basic_ = nullptr;
  const char* name_ = nullptr;
  int levels_ = 0;
  Datatype* next_gone_ = nullptr;  // of those that are deleted together
  std::int64_t count_ = 0;
  std::int64_t stride_ = 0;
  Block block_;
  std::vector<Block> parts_;
  std::vector<Ref> inner_;  // made on the way, where the routine's arguments are not its blocks
  Contents contents_;
};

}  // namespace weft::type

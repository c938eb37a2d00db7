#include "type/elements.hpp"

#include "type/walk.hpp"

namespace weft::type {
namespace {

/// Counts a row up to a byte, with what is known of whole datatypes.
class Prefix {
 public:
  explicit Prefix(std::int64_t bytes) noexcept : left_(bytes) {}

  /// As many whole ones as there are bytes for, up to `times`, and then what is left of the next one.
  void take(const Datatype& of, std::int64_t times) noexcept {
    const Datatype* named = &of;
    while (const Block* const below = named->only()) named = below->type;
    const Datatype& type = *named;
    if (left_ == 0 || type.size() == 0) return;
    const std::int64_t whole = std::min(times, left_ / type.size());
    found_ = found_.then(type.signature().repeated(whole));
    left_ -= whole * type.size();
    if (left_ > 0 && whole < times) part_of(type);
  }

  std::int64_t left() const noexcept { return left_; }
  const Signature& found() const noexcept { return found_; }

 private:
  // Fewer bytes than the datatype has: they end within it, and what is left of an element stays in left_.
  void part_of(const Datatype& type) noexcept {
    if (type.basic() != nullptr) return;
    if (type.repeats()) {
      take_blocks(type);
    } else {
      for (const Block& block : type.parts()) {
        const std::int64_t bytes = block.length * block.type->size();
        const bool last = left_ < bytes;
        take(*block.type, block.length);
        if (last || left_ == 0) break;
      }
    }
  }
  void take_blocks(const Datatype& type) noexcept {
    const Block& block = type.block();
    take(*block.type, type.count() * block.length);
  }

  std::int64_t left_;
  Signature found_;
};

Prefix prefix_of(const Datatype& type, std::int64_t bytes) noexcept {
  Prefix prefix(bytes);
  prefix.take(type, INT64_MAX);
  return prefix;
}

class Elements {
 public:
  explicit Elements(Visitor* visitor) noexcept : visitor_(*visitor) {}

  bool many(const Datatype& of, std::int64_t count, std::int64_t stride, Address base) noexcept {
    const Datatype* named = &of;
    while (const Block* const below = named->only()) {
      base = moved(base, below->at);
      named = below->type;
    }
    const Datatype& type = *named;
    if (count == 0 || type.elements() == 0) return true;
    if (const Basic* basic = type.basic()) return visitor_.visit(*basic, base, count, stride);
    for (std::int64_t k = 0; k < count; ++k) {
      if (!one(type, moved(base, k * stride))) return false;
    }
    return true;
  }

 private:
  bool one(const Datatype& type, Address base) noexcept {
    if (type.repeats()) {
      for (std::int64_t k = 0; k < type.count(); ++k) {
        if (!block(type.block(), moved(base, k * type.stride()))) return false;
      }
      return true;
    }
    for (const Block& part : type.parts()) {
      if (!block(part, base)) return false;
    }
    return true;
  }
  bool block(const Block& of, Address base) noexcept {
    return many(*of.type, of.length, of.type->extent(), moved(base, of.at));
  }

  Visitor& visitor_;
};

}  // namespace

std::optional<std::int64_t> elements_in(const Datatype& type, std::int64_t bytes) noexcept {
  const Prefix prefix = prefix_of(type, bytes);
  return prefix.left() == 0 ? std::optional(prefix.found().elements) : std::nullopt;
}

std::optional<Signature> signature_of(const Datatype& type, std::int64_t bytes) noexcept {
  const Prefix prefix = prefix_of(type, bytes);
  return prefix.left() == 0 ? std::optional(prefix.found()) : std::nullopt;
}

bool visit_elements(const Datatype& type, std::int64_t count, std::uintptr_t base, Visitor* visitor) noexcept {
  return Elements(visitor).many(type, count, type.extent(), base);
}

}  // namespace weft::type

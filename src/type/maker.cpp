#include "type/maker.hpp"

#include <algorithm>

#include "type/program.hpp"

namespace weft::type {

Ref::Ref(const Datatype* type) noexcept : type_(type) {
  // Relaxed: whoever passes the address on to another thread orders that by itself.
  if (type_ != nullptr) type_->kept_.fetch_add(1, std::memory_order_relaxed);
}

// In a loop, as there may be any number of levels that only rename what is below.
void Ref::let_go(const Datatype* type) noexcept {
  Datatype* gone = nullptr;
  const auto drop = [&gone](const Datatype* one) noexcept {
    // Release, so that what this thread read of it comes before; acquire, so that the last one deletes after all
    // others.
    if (one != nullptr && one->kept_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      auto* const last = const_cast<Datatype*>(one);
      last->next_gone_ = std::exchange(gone, last);
    }
  };
  drop(type);
  while (gone != nullptr) {
    Datatype* const next = std::exchange(gone, gone->next_gone_);
    for (std::vector<Ref>* const refs : {&next->contents_.types, &next->inner_}) {
      for (Ref& part : *refs) drop(std::exchange(part.type_, nullptr));
    }
    delete next;
  }
}

Datatype::~Datatype() noexcept { delete program_.load(std::memory_order_relaxed); }  // nobody else has it any more

void Datatype::commit() const noexcept {
  if (committed()) return;
  const Program* made = new Program(*this);
  const Program* none = nullptr;
  // Release: who sees the program sees what is in it. On failure another thread's is there, which commit() of this
  // thread then has to see: acquire.
  if (!program_.compare_exchange_strong(none, made, std::memory_order_release, std::memory_order_acquire)) delete made;
}

Maker::Maker(Contents contents) noexcept : type_(new Datatype) { type_->contents_ = std::move(contents); }

// Bounds that were set in a part count alone: what lies outside them does not move them (MPI 5.0, 5.1.7).
void Maker::add_bounds(const Block& block) noexcept {
  const Bounds& one = block.type->bounds();
  if (block.length == 0) return;
  Bounds& all = type_->bounds_;
  const std::int64_t last = checked_.plus(block.at, checked_.times(block.length - 1, one.extent()));
  const std::int64_t low = std::min(block.at, last);
  const std::int64_t high = std::max(block.at, last);
  if (one.set) {
    const std::int64_t lb = checked_.plus(low, one.lb);
    const std::int64_t ub = checked_.plus(high, one.ub);
    all.lb = all.set ? std::min(all.lb, lb) : lb;
    all.ub = all.set ? std::max(all.ub, ub) : ub;
    all.set = true;
  }
  if (one.data) {
    const std::int64_t true_lb = checked_.plus(low, one.true_lb);
    const std::int64_t true_ub = checked_.plus(high, one.true_ub);
    all.true_lb = all.data ? std::min(all.true_lb, true_lb) : true_lb;
    all.true_ub = all.data ? std::max(all.true_ub, true_ub) : true_ub;
    all.data = true;
  }
}

void Maker::add(std::int64_t count, const Block& block) noexcept {
  const Datatype& part = *block.type;
  const std::int64_t times = checked_.times(count, block.length);
  type_->size_ = checked_.plus(type_->size_, checked_.times(times, part.size()));
  // An element may be longer there than here, up to 128 bits for 16.
  type_->external_ = checked_.plus(type_->external_, checked_.times(times, part.external()));
  if (times == 0 || checked_.too_large()) return;
  type_->alignment_ = std::max(type_->alignment_, part.alignment());
  if (part.elements() == 0) return;
  type_->uniform_ = type_->signature_.elements == 0 || type_->uniform_ == part.uniform() ? part.uniform() : nullptr;
  type_->signature_ = type_->signature_.then(part.signature().repeated(times));
}

void Maker::repeat(std::int64_t count, std::int64_t stride, const Block& block) noexcept {
  type_->count_ = count;
  type_->stride_ = stride;
  type_->block_ = block;
  type_->levels_ = block.type->levels() + (type_->only() != nullptr ? 0 : 1);
  if (count == 0) return;
  add(count, block);
  add_bounds(block);
  add_bounds({checked_.plus(block.at, checked_.times(count - 1, stride)), block.length, block.type});
}

void Maker::parts(std::vector<Block> blocks) noexcept {
  for (const Block& block : blocks) {
    add(1, block);
    add_bounds(block);
    type_->levels_ = std::max(type_->levels_, block.type->levels());
  }
  type_->parts_ = std::move(blocks);
  if (type_->only() == nullptr) ++type_->levels_;
}

void Maker::set_bounds(std::int64_t lb, std::int64_t extent) noexcept {
  Bounds& bounds = type_->bounds_;
  bounds.lb = lb;
  bounds.ub = checked_.plus(lb, extent);
  bounds.set = true;
}

void Maker::set_name(const char* name, const Basic* basic) noexcept {
  type_->name_ = name;
  type_->basic_ = basic;
  if (basic != nullptr) {
    type_->size_ = basic->size;
    type_->external_ = basic->external;
    type_->alignment_ = basic->alignment;
    type_->uniform_ = basic;
    type_->signature_ = Signature::of(*basic);
    type_->bounds_ = {0, basic->size, 0, basic->size, false, true};
  }
}

// A compiler leaves room behind the last member of a struct, so that the next one of an array is aligned. That room is
// not the part's own: behind the last member of what it becomes a part of there is room of its own.
void Maker::round_up() noexcept {
  Bounds& bounds = type_->bounds_;
  if (bounds.set || !bounds.data) return;
  bounds.lb = bounds.true_lb;
  bounds.ub = bounds.true_ub;
  const std::int64_t over = checked_.minus(bounds.ub, bounds.lb) % type_->alignment_;
  if (over > 0) bounds.ub = checked_.plus(bounds.ub, type_->alignment_ - over);
}

Ref Maker::finish(Problem* problem) noexcept {
  round_up();
  (void)checked_.minus(type_->bounds_.ub, type_->bounds_.lb);
  (void)checked_.minus(type_->bounds_.true_ub, type_->bounds_.true_lb);
  if (checked_.too_large()) {
    *problem = Problem::kTooLarge;
    return {};
  }
  if (type_->levels_ > kMostNested) {
    *problem = Problem::kTooDeep;
    return {};
  }
  *problem = Problem::kNone;
  return Ref(std::exchange(type_, nullptr));
}

}  // namespace weft::type

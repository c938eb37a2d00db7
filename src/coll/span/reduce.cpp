#include <algorithm>
#include <cstring>
#include <functional>

#include "coll/reduce/combine.hpp"
#include "coll/span/span.hpp"
#include "coll/span/speakers.hpp"
#include "coll/span/stages.hpp"

namespace weft::coll::span {
namespace {

using Words = std::uint64_t[group::kWords];

// In the words of the team's stations; `bytes` of them, which are `count` elements.
void combine_shown(Group& group, Words& words, const Elements& elements) noexcept {
  const std::size_t used = (elements.bytes() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  const auto show = [&] {
    std::atomic<std::uint64_t>* shown = group.to_show();
    for (std::size_t k = 0; k < used; ++k) {
      shown[k].store(words[k], std::memory_order_relaxed);  // exchange() publishes them
    }
    group.exchange();
  };
  const auto look = [&](int seat, Words& theirs) {
    const std::atomic<std::uint64_t>* shown = group.shown(seat);
    for (std::size_t k = 0; k < used; ++k) {
      theirs[k] = shown[k].load(std::memory_order_relaxed);  // exchange() has acquired them
    }
  };
  show();
  if (leads(group)) {
    for (int seat = 1; seat < group.size(); ++seat) {
      alignas(64) Words theirs = {};
      look(seat, theirs);
      elements.combine(words, words, theirs, elements.count);
    }
    Messages messages = messages_of(group);
    combine_all(Speakers(*group.span()), messages, words, elements);
  }
  group.next_stage();
  show();
  if (!leads(group)) {
    look(0, words);
  }
}

}  // namespace

void combine_for_leader(const Group& group, const Reduce& call) noexcept {
  const Share mine = share_of(group.me(), group.size(), call.count, call.element);
  Piece piece(call.element);
  for_pieces(mine.begin, mine.end, call.element, [&](std::size_t begin, std::size_t count) {
    combine_members(group, call, group.size(), begin, count, piece.bytes());
    std::memcpy(group.at(static_cast<std::byte*>(call.dest) + begin * call.element, 0), piece.bytes(),
                count * call.element);
  });
}

void reduce(Group& group, const Reduce& call) noexcept {
  if (call.ordered && !group.span()->in_order) {
    return reduce_in_order(group, call);
  }
  const Elements elements{call.count, call.element, call.combine};
  if (elements.bytes() <= sizeof(Words)) {
    alignas(64) Words words = {};
    std::memcpy(words, call.source, elements.bytes());
    combine_shown(group, words, elements);
    std::memcpy(call.dest, words, elements.bytes());
    return;
  }
  group.barrier();
  combine_for_leader(group, call);
  group.barrier();
  if (leads(group)) {
    Messages messages = messages_of(group);
    combine_all(Speakers(*group.span()), messages, call.dest, elements);
  }
  spread(group, call.dest, elements.bytes());
}

namespace {

template <class Operation>
void combine_each(void* into, const void* with, const void* and_with, std::size_t count, Operation operation) noexcept {
  const auto* x = static_cast<const std::uint64_t*>(with);
  const auto* y = static_cast<const std::uint64_t*>(and_with);
  std::transform(x, x + count, y, static_cast<std::uint64_t*>(into), operation);
}

}  // namespace

void larger_words(void* into, const void* with, const void* and_with, std::size_t count, void* /*state*/) noexcept {
  combine_each(into, with, and_with, count, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
}

void united_words(void* into, const void* with, const void* and_with, std::size_t count, void* /*state*/) noexcept {
  combine_each(into, with, and_with, count, std::bit_or());
}

void combine_words(Group& group, std::uint64_t* words, std::size_t count, Combine combine) noexcept {
  alignas(64) Words all = {};
  std::memcpy(all, words, count * sizeof(std::uint64_t));
  combine_shown(group, all, {count, sizeof(std::uint64_t), combine});
  std::memcpy(words, all, count * sizeof(std::uint64_t));
}

}  // namespace weft::coll::span

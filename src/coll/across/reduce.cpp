#include <algorithm>
#include <cstring>
#include <functional>

#include "coll/across/combining.hpp"
#include "coll/across/span.hpp"
#include "coll/across/stages.hpp"
#include "coll/reduce/combine.hpp"
#include "copy/copy.hpp"

namespace weft::coll::across {
namespace {

using Words = std::uint64_t[group::kWords];

// In the words of the members' stations. The leader waits for what all others show and they for what it shows then, so
// members that share a processor have it one turn each.
void combine_shown(Party& party, Words& words, const Elements& elements) noexcept {
  const std::size_t used = (elements.bytes() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  const auto show = [&](std::atomic<std::uint64_t>* shown) {
    for (std::size_t k = 0; k < used; ++k) {
      shown[k].store(words[k], std::memory_order_relaxed);  // show() publishes them
    }
    party.show();
  };
  const auto look = [&](int seat, Words& theirs) {
    party.await_shown(seat);
    const std::atomic<std::uint64_t>* shown = party.shown(seat);
    for (std::size_t k = 0; k < used; ++k) {
      theirs[k] = shown[k].load(std::memory_order_relaxed);  // await_shown() has acquired them
    }
  };
  std::atomic<std::uint64_t>* const shown = party.to_show();
  if (!leads(party)) {
    show(shown);
    party.next_stage();
    (void)party.to_show();  // the leader's turn, which is counted by all
    look(0, words);
    return;
  }
  for (int seat = 1; seat < party.size(); ++seat) {
    alignas(64) Words theirs = {};
    look(seat, theirs);
    elements.combine(words, words, theirs, elements.count);
  }
  Messages messages = messages_of(party);
  if (party.size() == job::node().n_local) {
    messages.others_wait();
  }
  combine_all(Speakers(*party.span()), {messages, party.room()}, words, elements);
  party.next_stage();
  show(party.to_show());
}

}  // namespace

void combine_for_leader(const Party& party, const Reduce& call) noexcept {
  const Share mine = share_of(party.me(), party.size(), call.count, call.element);
  Piece piece(party.room(), call.element);
  for_pieces(mine.begin, mine.end, call.element, [&](std::size_t begin, std::size_t count) {
    combine_members(party, call, party.size(), begin, count, piece.bytes());
    copy::copy(party.at(static_cast<std::byte*>(call.dest) + begin * call.element, 0), piece.bytes(),
               count * call.element);
  });
}

namespace {

// Domains lie between each other. The last member has the whole.
void reduce_in_order(Party& party, const Reduce& call) noexcept {
  scan_by_members(party, {call, true});
  party.barrier();  // the result is written to all targets of a domain, where each has just put what it knew itself
  const Broadcast whole{call.dest, call.dest, call.count * call.element, party.members().size - 1};
  across::broadcast(party, whole);
}

void reduce_by_domains(Party& party, const Reduce& call) noexcept {
  const Elements elements{call.count, call.element, call.combine};
  if (elements.bytes() <= sizeof(Words)) {
    alignas(64) Words words = {};
    std::memcpy(words, call.source, elements.bytes());
    combine_shown(party, words, elements);
    std::memcpy(call.dest, words, elements.bytes());
    return;
  }
  party.barrier();
  combine_for_leader(party, call);
  party.barrier();
  if (leads(party)) {
    Messages messages = messages_of(party);
    combine_all(Speakers(*party.span()), {messages, party.room()}, call.dest, elements);
  }
  spread(party, call.dest, elements.bytes());
}

}  // namespace

bool reduce(Party& party, const Reduce& call) noexcept {
  const bool by_members = call.ordered && !party.span()->in_order;
  const std::size_t of_leader = leads(party) ? need_of_all(party.span()->count, call.count, call.element) : 0;
  if (!party.begin(by_members ? need_of_scan(call) : Piece::need(call.element) + of_leader)) [[unlikely]] {
    return false;
  }
  by_members ? reduce_in_order(party, call) : reduce_by_domains(party, call);
  return true;
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

void combine_words(Party& party, std::uint64_t* words, std::size_t count, Combine combine) noexcept {
  alignas(64) Words all = {};
  std::memcpy(all, words, count * sizeof(std::uint64_t));
  combine_shown(party, all, {count, sizeof(std::uint64_t), combine});
  std::memcpy(words, all, count * sizeof(std::uint64_t));
}

}  // namespace weft::coll::across

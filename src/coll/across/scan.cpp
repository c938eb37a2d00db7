#include <algorithm>
#include <cstring>

#include "coll/across/combining.hpp"
#include "coll/across/span.hpp"
#include "coll/across/stages.hpp"
#include "coll/reduce/combine.hpp"
#include "coll/scratch.hpp"
#include "copy/copy.hpp"

namespace weft::coll::across {
namespace {

// Elements are worked on so many bytes at a time: few messages, and memory of a bounded size.
constexpr std::size_t kAtATime = 65536;

class Prefixes {
 public:
  Prefixes(Party& party, const Scan& call) noexcept
      : party_(party),
        call_(call),
        most_(std::min(call.count, elements_at_a_time(kAtATime, call.element))),
        messages_(messages_of(party)),
        own_(party.room(), most_ * call.element),
        sum_(party.room(), most_ * call.element),
        before_(party.room(), most_ * call.element) {}

  static std::size_t need(const Reduce& call) noexcept {
    const std::size_t bytes = std::min(call.count, elements_at_a_time(kAtATime, call.element)) * call.element;
    return 3 * Room::need(bytes) + need_before(bytes);
  }

  // Domains in the order of the members: what those before a domain have is combined between the leaders.
  void by_domains() noexcept {
    party_.barrier();
    pieces([&](std::size_t begin, std::size_t count) {
      const int members = party_.me() + (call_.inclusive ? 1 : 0);
      if (members > 0) {
        combine(members, begin, count, own_.get());
      }
      if (leads(party_)) {
        combine(party_.size(), begin, count, sum_.get());
        combine_before(Speakers(*party_.span()), talk(), sum_.get(), before_.get(), elements(count));
      }
      if (party_.size() > 1) {
        party_.barrier();  // all have read the piece, which is about to change where source and target are one
        pass_on(begin, count);
      }
      finish(party_.span()->mine > 0, members > 0, begin, count);
    });
  }

  void by_members() noexcept {
    const Speakers all(party_.members(), party_.number());
    pieces([&](std::size_t begin, std::size_t count) {
      const auto* source = static_cast<const std::byte*>(call_.source) + begin * call_.element;
      copy::copy(own_.get(), source, count * call_.element);
      copy::copy(sum_.get(), source, count * call_.element);
      const bool some = combine_before(all, talk(), sum_.get(), before_.get(), elements(count));
      finish(some, call_.inclusive, begin, count);
    });
  }

 private:
  template <class Body>
  void pieces(Body&& body) noexcept {
    for (std::size_t begin = 0; begin < call_.count; begin += most_) {
      body(begin, std::min(most_, call_.count - begin));
    }
  }

  Talk talk() noexcept { return {messages_, party_.room()}; }
  Elements elements(std::size_t count) const noexcept { return {count, call_.element, call_.combine}; }

  // Of the first members of the domain.
  void combine(int members, std::size_t begin, std::size_t count, std::byte* into) noexcept {
    for_pieces(0, count, call_.element, [&](std::size_t at, std::size_t some) {
      combine_members(party_, call_, members, begin + at, some, into + at * call_.element);
    });
  }

  std::byte* target(std::size_t begin) const noexcept {
    return static_cast<std::byte*>(call_.dest) + begin * call_.element;
  }

  // What the leader has learnt lies in its target until the others have read it.
  void pass_on(std::size_t begin, std::size_t count) noexcept {
    if (party_.span()->mine == 0) {
      return;
    }
    party_.next_stage();
    if (leads(party_)) {
      copy::copy(target(begin), before_.get(), count * call_.element);
      party_.post(1);
      party_.await_all(2);
    } else {
      party_.await(0, 1);
      copy::copy(before_.get(), party_.at(target(begin), 0), count * call_.element);
      party_.post(2);
    }
  }

  // What those before this one's domain, or this member, have, and then its own.
  void finish(bool some_before, bool some_own, std::size_t begin, std::size_t count) noexcept {
    const std::size_t bytes = count * call_.element;
    if (some_before && some_own) {
      call_.combine(before_.get(), before_.get(), own_.get(), count);
    }
    if (some_before || some_own) {
      copy::copy(target(begin), some_before ? before_.get() : own_.get(), bytes);
    } else {
      std::memset(target(begin), 0, bytes);
    }
  }

  Party& party_;
  const Scan& call_;
  std::size_t most_;
  Messages messages_;
  Scratch own_;
  Scratch sum_;
  Scratch before_;
};

}  // namespace

bool scan(Party& party, const Scan& call) noexcept {
  if (!party.begin(Prefixes::need(call))) [[unlikely]] {
    return false;
  }
  Prefixes prefixes(party, call);
  party.span()->in_order ? prefixes.by_domains() : prefixes.by_members();
  return true;
}

void scan_by_members(Party& party, const Scan& call) noexcept { Prefixes(party, call).by_members(); }

std::size_t need_of_scan(const Reduce& call) noexcept { return Prefixes::need(call); }

}  // namespace weft::coll::across

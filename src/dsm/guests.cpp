#include "dsm/guests.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "dsm/parts.hpp"
#include "dsm/pushes.hpp"

namespace weft::dsm {
namespace {

using transport::Arrival;

// Of handlers, which run one at a time: pages that are given away; and of each page whose changes are not for this PE
// where it has gone.
alignas(64) constinit std::byte g_given[transport::kMostAnswer];
constinit std::uint16_t g_gone[kParcelBytes / sizeof(std::uint32_t)];
constexpr std::uint16_t kAskAgain = UINT16_MAX;  // no PE

bool page_range_is_good(std::uint32_t first, std::uint32_t count) noexcept {
  return first < g.pages && count > 0 && count <= g.pages - first;
}

}  // namespace

void answer_fetch(const Question& question, const Arrival& arrival, transport::Answerer& answerer) noexcept {
  if (!page_range_is_good(question.first, question.count) || question.count > kPagesOfMessage) {
    fail_of(arrival.pe, "a question for pages that there are not");
  }
  // The answer takes a copy of what is here. Behind the first page that is not here: how many have gone where that has.
  const Part& own = *part_of(g.me);
  std::uint32_t here = 0;
  Place other;
  for (; here < question.count; ++here) {
    if (!own.places.change(question.first + here, &Place::enter, &other)) {
      break;
    }
    own.marks.set(question.first + here);
  }
  std::uint32_t gone = here;
  for (; gone < question.count && other.found() == Found::kGone; ++gone) {
    const Place next = own.places.look(question.first + gone);
    if (next.found() != Found::kGone || next.to != other.to) {
      break;
    }
  }
  const std::uint64_t to = gone == here ? 0 : std::uint64_t{gone - here} << 16 | other.to;
  const Reply reply{question.token, here, to};
  (void)answerer.answer({kFetch, &reply, sizeof reply, own.contents + std::size_t{question.first} * kPageBytes,
                         std::uint64_t{here} * kPageBytes});
  for (std::uint32_t page = question.first; page < question.first + here; ++page) {
    own.places.change(page, &Place::leave);
  }
  // The first so many of them are to come by themselves from now on.
  const auto pushed = static_cast<std::uint32_t>(std::min<std::uint64_t>(question.b, here));
  if (question.a != 0 && pushed > 0) {
    note_subscriber(arrival.pe, question, pushed);
  }
}

void answer_take(const Question& question, const Arrival& arrival, transport::Answerer& answerer) noexcept {
  if (!page_range_is_good(question.first, question.count) || question.count > kPagesOfMessage) {
    fail_of(arrival.pe, "a question for pages that there are not");
  }
  const Part& own = *part_of(g.me);
  Reply reply{question.token, 0, 0};
  std::size_t bytes = 0;
  for (std::uint32_t k = 0; k < question.count; ++k) {
    const std::uint32_t page = question.first + k;
    Place before;
    if (!own.places.change(page, &Place::close, &before)) {
      reply.b |= std::uint64_t{(before.stays & kFixed) != 0} << k;
      continue;
    }
    copy_words(g_given + bytes, own.contents + std::size_t{page} * kPageBytes, kPageBytes);
    own.places.change(page, [&](Place& place) noexcept { return place.pass_on(arrival.pe); });
    bytes += kPageBytes;
    reply.a |= std::uint64_t{1} << k;
  }
  (void)answerer.answer({kTake, &reply, sizeof reply, g_given, bytes});
}

Reply answer_fix(const Question& question, int pe) noexcept {
  if (!page_range_is_good(question.first, 1)) {
    fail_of(pe, "a question for pages that there are not");
  }
  Place before;
  const bool here = part_of(g.me)->places.change(question.first, &Place::fix, &before);
  return {question.token, here ? 1U : 0U, before.to};
}

void answer_diff(const Question& question, const Arrival& arrival, transport::Answerer& answerer) noexcept {
  const Part& own = *part_of(g.me);
  Reply reply{question.token, 0, 0};
  std::span<const std::byte> data(static_cast<const std::byte*>(arrival.landing.at), arrival.bytes);
  for (std::uint32_t k = 0; k < question.count; ++k) {
    std::uint32_t page = 0;
    if (data.size() < sizeof page) {
      fail_of(arrival.pe, "changes that end too soon");
    }
    std::memcpy(&page, data.data(), sizeof page);
    data = data.subspan(sizeof page);
    const std::size_t length = page < g.pages && k < std::size(g_gone) ? length_of_coded(data) : std::size_t{0};
    if (length == 0) {
      fail_of(arrival.pe, "changes that are none");
    }
    Place before;
    g_gone[k] = 0;
    if (own.places.change(page, &Place::enter, &before)) {
      apply_whole(own.contents + std::size_t{page} * kPageBytes, data.first(length));
      own.places.change(page, &Place::leave_stored);
    } else {
      g_gone[k] = before.found() == Found::kGone ? before.to : kAskAgain;
    }
    reply.a += g_gone[k] != 0 ? 1 : 0;
    data = data.subspan(length);
  }
  const std::size_t bytes = reply.a == 0 ? 0 : question.count * sizeof g_gone[0];
  (void)answerer.answer({kDiff, &reply, sizeof reply, g_gone, bytes});
}

}  // namespace weft::dsm

// Pages that homes of other nodes send before they are asked for (protocol/pushes.hpp). Their locks are the last ones
// that anybody takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsm/protocol/notices.hpp"
#include "dsm/questions.hpp"
#include "transport/transport.hpp"

namespace weft::dsm {

using protocol::Run;

/// Of one announcement to one PE, at most.
inline constexpr std::size_t kMostPushed = 64;

/// Of who reads. The number of a subscription to pages that are fetched next; 0: there is none.
std::uint64_t subscribe(std::uint32_t first, std::uint32_t pages) noexcept;
/// To a page that may not be wanted again: it is one of few.
std::uint64_t subscribe_by_fault(std::uint32_t page) noexcept;
/// The contents come, or change, another way.
void unsubscribe(std::uint32_t first, std::uint32_t pages) noexcept;
/// False: it was not sent.
bool take_pushed(int home, std::uint32_t page, std::byte* to) noexcept;

/// Of a home.
struct ToPush {
  std::uint32_t page;
  std::uint64_t number;
  bool by_twin = false;  // which, if it is as announced, has all that who subscribed has fetched
};
/// Twins are about to become what is announced.
void begin_comparing() noexcept;
void find_subscribed(int pe, std::span<const Run> runs, std::vector<ToPush>* found) noexcept;
/// The PE does not want it any more.
void note_refused(int pe, const ToPush& pushed) noexcept;
/// Homes are about to be others.
void forget_subscribers(std::uint32_t first, std::uint32_t pages) noexcept;

/// Nobody asks any more.
void forget_pushes() noexcept;

/// Of handlers.
void note_subscriber(int pe, const Question& question, std::uint32_t pages) noexcept;
void note_announced(int pe, Run run, std::uint64_t round) noexcept;
/// A bit for each of the pages that are not wanted.
std::uint64_t take_push(const Question& question, const transport::Arrival& arrival) noexcept;

}  // namespace weft::dsm

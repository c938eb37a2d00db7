// Larger broadcasts: the root puts the bytes into its stream piece by piece and goes on, as coll/handout.cpp has it of
// few bytes. A piece lies there until all others have come to the step at which it was put, whoever is the root by
// then.
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include "coll/party.hpp"
#include "copy/staged.hpp"
#include "job/node.hpp"
#include "memory/fault.hpp"
#include "os/guarded_copy.hpp"

namespace weft::coll {
namespace {

constexpr std::uint32_t kRoom = group::kStreamPieces / 2;  // that a look for some is for

// False: the program's buffer is no memory. That is asked for where a call has so many bytes that it costs nothing.
bool copied(void* to, const void* from, std::size_t bytes, std::size_t of, os::Copying copying) noexcept {
  if (of < copy::kSmall) {
    copying(to, from, bytes);
    return true;
  }
  static std::once_flag catches;
  std::call_once(catches, memory::catch_faults);
  return os::guarded_copy(to, from, bytes, copying) == os::Fault::kNone;
}

// One for each power of two; `times`: what is no less than the first one's bytes, in these.
template <std::size_t sizes>
group::TwoWays& of_size(std::array<group::TwoWays, sizes>& ways, std::size_t times) noexcept {
  return ways[std::clamp(static_cast<std::size_t>(std::bit_width(times)), std::size_t{1}, sizes) - 1];
}

}  // namespace

bool Party::may_stream() const noexcept {
  return team_ != nullptr && team_->steady && counter_ == &team_->step && has_stream(team_->slot);
}

// All members count all pieces, so that each knows where the next one lies, and when one with its turn lay there last.
std::byte* Party::next_piece(int member, std::uint32_t step) noexcept {
  const std::uint32_t turn = team_->streamed++ % group::kStreamPieces;
  std::uint64_t& last = team_->streamed_at[turn];
  if (member == me_ && !have_all_come_to(last)) {
    await_takers(last, team_->streamed_at[(turn + kRoom - 1) % group::kStreamPieces]);
  }
  last = base_ + step;
  return stream_of(job::node().job, team_->slot, local(member)) + turn * kStreamPieceBytes;
}

group::TwoWays& Party::ways_of_broadcasts(std::size_t bytes) const noexcept {
  return of_size(team_->large_broadcasts, bytes / kLeastOfTwoWays);
}

group::TwoWays& Party::ways_of_reductions(std::size_t bytes) const noexcept {
  return of_size(team_->reductions_of_two, bytes / kLeastReductionOfTwoWays);
}

int Party::take_way(int member, const group::TwoWays& ways) noexcept {
  std::uint64_t way = 0;
  if (member == me_) {
    way = static_cast<std::uint64_t>(ways.next());
    hand_out(&way, sizeof way);
  } else {
    take_handout(member, &way, sizeof way);
  }
  next_stage();
  return way == 0 ? 0 : 1;
}

// A buffer that is no memory is found out where it is read or written: its member keeps to the others' steps, and they
// get zeros.
void Party::stream(const void* bytes, std::size_t count) noexcept {
  const auto* const from = static_cast<const std::byte*>(bytes);
  bool is_there = true;
  std::uint32_t step = 0;
  for (std::size_t at = 0; at < count; at += kStreamPieceBytes) {
    const std::size_t some = std::min(kStreamPieceBytes, count - at);
    std::byte* const piece = next_piece(me_, ++step);
    if (is_there && !copied(piece, from + at, some, count, copy::copy_staged)) [[unlikely]] {
      is_there = false;
      miss({from, count, Missing::kNobody});
    }
    if (!is_there) [[unlikely]] {
      std::memset(piece, 0, some);
    }
    post(step);
  }
}

void Party::take_stream(int member, void* to, std::size_t count) noexcept {
  auto* const into = static_cast<std::byte*>(to);
  bool is_there = true;
  std::uint32_t step = 0;
  for (std::size_t at = 0; at < count; at += kStreamPieceBytes) {
    const std::size_t some = std::min(kStreamPieceBytes, count - at);
    const std::byte* const piece = next_piece(member, ++step);
    await(member, step);
    if (is_there && !copied(into + at, piece, some, count, copy::copy)) [[unlikely]] {
      is_there = false;
      miss({to, count, job::node().pe_of(local(member))});
    }
    post(step);
  }
}

}  // namespace weft::coll

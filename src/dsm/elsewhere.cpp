#include "dsm/elsewhere.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dsm/notes.hpp"
#include "dsm/questions.hpp"
#include "job/node.hpp"

namespace weft::dsm {

bool fix_elsewhere(int pe, std::uint32_t page, std::uint16_t* to) noexcept {
  Question question{};
  question.first = page;
  const Reply reply = ask_and_wait(pe, kFix, question);
  *to = static_cast<std::uint16_t>(reply.b);
  return reply.a != 0;
}

Homes ask_homes_elsewhere(std::uint32_t first, std::uint32_t pages, bool claim) noexcept {
  Question question{};
  question.first = first;
  question.count = std::min(pages, kMostHomes);
  question.what = claim ? 1 : 0;
  Homes found;
  const Reply reply =
      ask_and_wait(0, kHomes, question, {reinterpret_cast<std::byte*>(found.homes), sizeof found.homes});
  found.pages = static_cast<std::uint32_t>(std::min<std::uint64_t>(reply.a, question.count));
  found.claimed = reply.b;
  for (std::uint16_t& home : found.homes) {
    home = home > g.n_pes ? 0 : home;
  }
  return found;
}

Arena::Given allocate_elsewhere(std::uint64_t bytes, std::uint64_t alignment) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(Book::kAllocate);
  question.a = bytes;
  question.b = alignment;
  const Reply reply = ask_and_wait(0, kBook, question);
  return {reply.a < g.bytes ? reply.a : Arena::kNone, reply.b != 0};
}

Arena::Freed release_elsewhere(std::uint64_t offset) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(Book::kRelease);
  question.a = offset;
  return static_cast<Arena::Freed>(ask_and_wait(0, kBook, question).a & 3U);
}

std::uint64_t room_elsewhere(std::uint64_t offset) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(Book::kRoom);
  question.a = offset;
  return ask_and_wait(0, kBook, question).a;
}

std::uint64_t room_behind_elsewhere(std::uint64_t offset) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(Book::kRoomBehind);
  question.a = offset;
  return ask_and_wait(0, kBook, question).a;
}

std::uint64_t bytes_left_elsewhere() noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(Book::kLeft);
  return ask_and_wait(0, kBook, question).a;
}

Returned returned_elsewhere(std::uint64_t seen) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(Book::kReturned);
  question.a = seen;
  const Reply reply = ask_and_wait(0, kBook, question);
  return {reply.a, {static_cast<std::uint32_t>(reply.b), static_cast<std::uint32_t>(reply.b >> 32)}};
}

Arena::Lost lost_elsewhere(std::uint64_t offset) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(Book::kLost);
  question.a = offset;
  const Reply reply = ask_and_wait(0, kBook, question);
  return {reply.a, reply.b & ((std::uint64_t{1} << 48) - 1), static_cast<int>(reply.b >> 48) - 1};
}

Operated operate_elsewhere(int pe, std::uint64_t offset, const WordOp& what) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(what.op);
  question.bytes = what.bytes;
  question.a = offset;
  question.b = what.operand;
  question.c = what.expected;
  const Reply reply = ask_and_wait(pe, kOperate, question);
  return {reply.a, reply.b};
}

Pair operate_elsewhere(int pe, std::uint64_t offset, const PairOp& what) noexcept {
  PairQuestion question{};
  question.what = static_cast<std::uint8_t>(what.op);
  question.number = static_cast<std::uint32_t>(offset / sizeof(Pair));
  question.first = what.operand.first;
  question.second = what.operand.second;
  question.expected_first = what.expected.first;
  question.expected_second = what.expected.second;
  const Reply reply = ask_and_wait(pe, kOperatePair, std::bit_cast<Question>(question));
  return {reply.a, reply.b};
}

namespace {
Reply ask_for_lock(int pe, std::uint64_t offset, Turn turn, const sync::WaitNote* of_program) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(turn);
  question.a = offset;
  return ask_and_wait(pe, kLock, question, {}, of_program);
}
}  // namespace

std::uint64_t begin_lock_elsewhere(int pe, std::uint64_t offset, std::atomic<std::uint32_t>& left) noexcept {
  Question question{};
  question.what = static_cast<std::uint8_t>(Turn::kTake);
  question.a = offset;
  return ask_kept(pe, kLock, question, left);
}

void end_lock_elsewhere(std::uint64_t token) noexcept { (void)end_kept(token); }

void take_lock_elsewhere(int pe, std::uint64_t offset, const sync::WaitNote& note) noexcept {
  (void)ask_for_lock(pe, offset, Turn::kTake, &note);
}

bool try_lock_elsewhere(int pe, std::uint64_t offset) noexcept {
  return ask_for_lock(pe, offset, Turn::kTry, nullptr).a != 0;
}

std::uint32_t give_lock_back_elsewhere(int pe, std::uint64_t offset) noexcept {
  return static_cast<std::uint32_t>(ask_for_lock(pe, offset, Turn::kGive, nullptr).a);
}

}  // namespace weft::dsm

#include "dsm/elsewhere.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dsm/notes.hpp"
#include "dsm/questions.hpp"
#include "job/node.hpp"

namespace weft::dsm {

Batch::~Batch() { wait(); }

void Batch::fetch(int pe, std::uint32_t first, std::uint32_t pages, std::byte* into) noexcept {
  while (pages > 0) {
    const std::uint32_t now = std::min(pages, kPagesOfMessage);
    left_.fetch_add(1, std::memory_order_relaxed);
    Question question{};
    question.first = first;
    question.count = now;
    ask(pe, kFetch, question, {}, {into, std::uint64_t{now} * kPageBytes}, left_, pending_);
    first += now;
    pages -= now;
    into += std::size_t{now} * kPageBytes;
  }
}

void Batch::send(const Parcel& parcel) noexcept {
  left_.fetch_add(1, std::memory_order_relaxed);
  Question question{};
  std::memcpy(&question.first, parcel.data.data(), sizeof question.first);  // for people
  question.count = parcel.pages;
  ask(parcel.pe, kDiff, question, {parcel.data.data(), parcel.data.size()}, {}, left_, pending_);
}

void Batch::diff(int pe, std::uint32_t page, const std::byte* from, const Changes& changes) noexcept {
  std::byte coded[kMostDiffBytes];
  const std::size_t bytes = encode(from, changes, coded);
  Parcel* open = nullptr;
  for (const auto& parcel : parcels_) {
    open = parcel->pe == pe && parcel->data.size() + bytes + sizeof page <= kParcelBytes && parcel->pages > 0
               ? parcel.get()
               : open;
  }
  if (open == nullptr) {
    parcels_.push_back(std::make_unique<Parcel>(Parcel{pe, 0, {}}));
    open = parcels_.back().get();
    open->data.reserve(kParcelBytes);
  }
  const auto* const number = reinterpret_cast<const std::byte*>(&page);
  open->data.insert(open->data.end(), number, number + sizeof page);
  open->data.insert(open->data.end(), coded, coded + bytes);
  ++open->pages;
}

void Batch::announce(const std::vector<Run>& runs) noexcept {
  if (!several_nodes()) {
    return;
  }
  static_assert(sizeof(Run) == sizeof(std::uint64_t));
  runs_.resize(runs.size());
  std::memcpy(runs_.data(), runs.data(), runs.size() * sizeof(Run));
  for (int pe = 0; pe < g.n_pes; ++pe) {
    for (std::size_t at = 0; job::g_node.here(pe) < 0 && at < runs_.size(); at += kRunsOfMessage) {
      left_.fetch_add(1, std::memory_order_relaxed);
      const std::size_t now = std::min(kRunsOfMessage, runs_.size() - at);
      Question question{};
      question.first = runs[at].first;  // for people
      ask(pe, kNotices, question, {runs_.data() + at, now * sizeof(std::uint64_t)}, {}, left_, pending_);
    }
  }
}

void Batch::wait() noexcept {
  for (const auto& parcel : parcels_) {
    send(*parcel);
  }
  // Acquire: pairs with answered().
  if (left_.load(std::memory_order_acquire) != 0 || !pending_.done()) {
    wait_until([&] { return left_.load(std::memory_order_acquire) == 0 && pending_.done(); }, PagesNote(left_));
  }
  parcels_.clear();
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

#include "check/agreement.hpp"

#include <map>
#include <mutex>

#include "calls/calls.hpp"
#include "check/blocks.hpp"
#include "check/board.hpp"
#include "check/handles.hpp"
#include "check/ops.hpp"
#include "check/report.hpp"
#include "check/tool.hpp"
#include "interpose/real.hpp"
#include "interpose/site.hpp"

namespace weft::check {
namespace {

using api::Op;

// What members compare, in the order in which it is looked at.
enum Word : std::uint8_t {
  kCall,
  kRoot,
  kCount,
  kBytes,
  kAlignment,
  kBlock,
  kFirst,
  kStride,
  kSize,
  kPsync,
  kDst,
  kSst,
  kCollected,
  kSite
};
static_assert(kSite < kPostedWords);
using Words = std::array<std::uint64_t, kPostedWords>;

struct Channel {
  std::size_t place = 0;     // on this PE's board
  std::uint64_t number = 0;  // calls so far
  bool on_board = false;     // else there was no place left
};

std::mutex g_mutex;
std::map<std::uint64_t, Channel> g_channels;

constexpr std::uint64_t kFree = 0;
constexpr std::uint64_t kWorld = 1;
constexpr std::uint64_t kRequests = std::uint64_t{1} << 62;

thread_local std::uint64_t t_number = 0;  // of this thread's last call

std::size_t first_place(std::uint64_t name) noexcept { return (name * 0x9e3779b97f4a7c15U >> 32) % kSets; }

Channel& channel_of(Board& board, std::uint64_t name) {
  const auto [found, is_new] = g_channels.try_emplace(name);
  Channel& channel = found->second;
  for (std::size_t k = 0; is_new && k < kSets && !channel.on_board; ++k) {
    const std::size_t place = (first_place(name) + k) % kSets;
    if (board.sets[place].load(std::memory_order_relaxed) == kFree) {
      for (Posted& posted : board.calls[place]) {
        posted.number.store(0, std::memory_order_relaxed);
      }
      // Release: who finds the name finds the numbers cleared.
      board.sets[place].store(name, std::memory_order_release);
      channel.place = place;
      channel.on_board = true;
    }
  }
  return channel;
}

// A peer's words for a call on a set; false where it has not made it yet, or has made so many since that it is lost.
// Of a PE on another node nothing is read: each call would go to all of them and back.
bool read(const Board* peers, std::uint64_t name, std::uint64_t number, Words* words) noexcept {
  if (peers == nullptr) {
    return false;
  }
  const Board& board = *peers;
  for (std::size_t k = 0; k < kSets; ++k) {
    const std::size_t place = (first_place(name) + k) % kSets;
    if (board.sets[place].load(std::memory_order_acquire) != name) {
      continue;  // places in between may have been given up
    }
    const Posted& posted = board.calls[place][number % kRemembered];
    if (posted.number.load(std::memory_order_acquire) != number) {
      return false;
    }
    for (std::size_t w = 0; w < kPostedWords; ++w) {
      (*words)[w] = posted.words[w].load(std::memory_order_relaxed);
    }
    // The words must not be those of a later call: the number, which is cleared before them, is read after them.
    std::atomic_thread_fence(std::memory_order_acquire);
    return posted.number.load(std::memory_order_relaxed) == number;
  }
  return false;
}

void post(Board& board, const Channel& channel, const Words& words) noexcept {
  Posted& posted = board.calls[channel.place][channel.number % kRemembered];
  posted.number.store(0, std::memory_order_relaxed);
  // Release: nobody sees the new words with the old number.
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t w = 0; w < kPostedWords; ++w) {
    posted.words[w].store(words[w], std::memory_order_relaxed);
  }
  posted.number.store(channel.number, std::memory_order_release);
  // Of two members that come at the same time at least one sees the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

const char* name_of(Word word) noexcept {
  switch (word) {
    case kRoot: return "PE_root";
    case kCount: return "the number of elements";
    case kBytes: return "size";
    case kAlignment: return "alignment";
    case kFirst: return "start";
    case kStride: return "stride";
    case kSize: return "size of the set";
    case kDst: return "dst";
    case kSst: return "sst";
    default: return "argument";
  }
}

// The board is every PE's to write to.
std::string call_name(const Words& words) {
  const std::string name = calls::name_of(static_cast<calls::Number>(words[kCall]));
  return name.empty() ? "what is no routine" : name;
}

std::string call_there(const Words& words) {
  const std::string name = call_name(words);
  return words[kSite] == 0 ? name : name + " " + place(interpose::site_at(words[kSite]));
}

// All PEs have the same blocks, at the same places of their heaps.
std::string block_at(std::uint64_t offset) {
  const weft_support_ranges ranges = memory();
  const auto block = blocks().around(ranges.heap_lo + offset - 1);
  return offset == 0 ? "no block" : block ? described(*block) : "an unknown block";
}

void compare(const Words& own, const Words& other, int pe) noexcept {
  const auto there = [&] { return std::vector<std::string>{text("PE %d: ", pe) + call_there(other)}; };
  if (own[kCall] != other[kCall]) {
    report(text("PE %d calls %s where this PE calls %s; all PEs of the set make the same collective calls in the same "
                "order",
                pe, call_name(other).c_str(), call_name(own).c_str()),
           there());
    return;
  }
  if (own[kBlock] != other[kBlock]) {
    report(text("this PE gives %s, and PE %d %s; all PEs must give the same", block_at(own[kBlock]).c_str(), pe,
                block_at(other[kBlock]).c_str()),
           there());
    return;
  }
  if (own[kPsync] != other[kPsync]) {
    report(text("pSync is another array here than on PE %d; all PEs must give the same", pe), there());
    return;
  }
  for (const Word word : {kRoot, kCount, kBytes, kAlignment, kFirst, kStride, kSize, kDst, kSst}) {
    if (own[word] != other[word]) {
      report(text("%s is %lld here and %lld on PE %d; all PEs must give the same", name_of(word),
                  static_cast<long long>(own[word]), static_cast<long long>(other[word]), pe),
             there());
      return;
    }
  }
}

// The same on all PEs for the same object; one more, so that 0 is none. What is not symmetric libweft.so reports.
std::uint64_t offset_of(const void* address) noexcept {
  const weft_support_ranges ranges = memory();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at >= ranges.heap_lo && at < ranges.heap_hi) {
    return at - ranges.heap_lo + 1;
  }
  return at >= ranges.statics_lo && at < ranges.statics_hi ? at - ranges.statics_lo + 1 : 0;
}

Words words_of(const Invocation& call) noexcept {
  Words words{};
  words[kCall] = static_cast<std::uint64_t>(call.call);
  words[kRoot] = static_cast<std::uint64_t>(call.root);
  words[kCount] = call.op == Op::collect ? 0 : call.count;  // each member may collect another number
  words[kCollected] = call.count;
  words[kDst] = static_cast<std::uint64_t>(call.dest_stride);
  words[kSst] = static_cast<std::uint64_t>(call.source_stride);
  words[kFirst] = static_cast<std::uint64_t>(call.start);
  words[kStride] = static_cast<std::uint64_t>(call.stride);
  words[kSize] = static_cast<std::uint64_t>(call.size);
  words[kPsync] = offset_of(call.psync);
  words[kSite] = interpose::site_offset(made_here().site);
  return words;
}

SetOfPes active_set(const Invocation& call) noexcept {
  if (call.stride < 0 || call.stride > 30 || call.size < 1) {
    return {};  // the library says what is wrong
  }
  // Threads may use several sets that have the same members, in any order: their arrays tell them apart.
  const std::uint64_t which = thread_level() == SHMEM_THREAD_MULTIPLE ? offset_of(call.psync) : 0;
  const std::uint64_t set = (static_cast<std::uint64_t>(call.start) << 24) |
                            (static_cast<std::uint64_t>(call.size) << 8) | static_cast<std::uint64_t>(call.stride);
  const std::uint64_t name = (std::uint64_t{1} << 63) | (set ^ which * 0x9e3779b97f4a7c15U);
  return {name, call.start, 1 << call.stride, call.size};
}

// With threads, operations of different kinds on all PEs may come in another order on each PE.
std::uint64_t world_name(std::uint64_t kind) noexcept {
  return thread_level() == SHMEM_THREAD_MULTIPLE ? kind : kWorld;
}

bool is_request(Op op) noexcept {
  switch (op) {
    case Op::team_barrier_nb:
    case Op::broadcast_nb:
    case Op::alltoall_nb: return true;
    default: return is_reduction_request(op);
  }
}

SetOfPes set_of(const Invocation& call) noexcept {
  SetOfPes set;
  if (call.psync != nullptr) {
    set = active_set(call);
  } else if (call.op == Op::barrier_all || call.op == Op::sync_all || call.op == Op::finalize) {
    set = {world_name(3), 0, 1, n_pes()};
  } else if (call.team != SHMEM_TEAM_INVALID) {
    set = members_of(call.team);
  }
  // Non-blocking calls are counted apart: blocking ones may come in between.
  set.name ^= is_request(call.op) ? kRequests : 0;
  return set;
}

void agree_on(const SetOfPes& set, const Words& words) noexcept {
  Board* own = board_of(me());
  if (own == nullptr || set.size < 2 || set.name == 0) {
    return;
  }
  std::uint64_t number = 0;
  {
    const std::scoped_lock lock(g_mutex);
    Channel& channel = channel_of(*own, set.name);
    if (!channel.on_board) {
      return;
    }
    number = t_number = ++channel.number;
    post(*own, channel, words);
  }
  for (int member = 0; member < set.size; ++member) {
    const int pe = set.start + member * set.stride;
    Words other{};
    if (pe != me() && pe >= 0 && pe < n_pes() && read(board_of(pe), set.name, number, &other)) {
      compare(words, other, pe);
    }
  }
}

}  // namespace

void agree(const Invocation& call) noexcept { agree_on(set_of(call), words_of(call)); }

void agree_on_memory(const Invocation& call, std::uintptr_t block) noexcept {
  Words words = words_of(call);
  words[kCount] = call.count;
  words[kBytes] = call.bytes;
  words[kAlignment] = call.alignment;
  words[kBlock] = offset_of(reinterpret_cast<const void*>(block));
  agree_on({world_name(4), 0, 1, n_pes()}, words);
}

bool first_to_come(const Invocation& call) noexcept {
  const SetOfPes set = set_of(call);
  if (board_of(me()) == nullptr || set.name == 0) {
    return false;
  }
  std::uint64_t number = 0;
  {
    const std::scoped_lock lock(g_mutex);
    const auto found = g_channels.find(set.name);
    number = found == g_channels.end() ? 1 : found->second.number + 1;
  }
  for (int member = 0; member < set.size; ++member) {
    const int pe = set.start + member * set.stride;
    Words other{};
    if (pe == me()) {
      continue;
    }
    if (pe >= n_pes() || board_of(pe) == nullptr || read(board_of(pe), set.name, number, &other)) {
      return false;
    }
  }
  return true;
}

std::size_t collected(const Invocation& call) noexcept {
  const SetOfPes set = set_of(call);
  if (set.size < 2) {
    return call.count;
  }
  std::size_t sum = 0;
  for (int member = 0; board_of(me()) != nullptr && member < set.size; ++member) {
    Words other{};
    if (!read(board_of(set.start + member * set.stride), set.name, t_number, &other)) {
      return 0;
    }
    sum += other[kCollected];
  }
  return sum;
}

void forget_set(std::uint64_t name) noexcept {
  const std::scoped_lock lock(g_mutex);
  for (const std::uint64_t kind : {name, name ^ kRequests}) {
    const auto found = g_channels.find(kind);
    if (found == g_channels.end()) {
      continue;
    }
    if (Board* own = board_of(me()); own != nullptr && found->second.on_board) {
      own->sets[found->second.place].store(kFree, std::memory_order_relaxed);
    }
    g_channels.erase(found);
  }
}

void forget_sets() noexcept {
  const std::scoped_lock lock(g_mutex);
  g_channels.clear();
}

}  // namespace weft::check

// Work sharing among threads of several processes that have no memory together (omp/far): what has to be decided once
// is decided at process 0. Each process asks for some iterations at a time, and hands them to its threads.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "omp/image/image.hpp"
#include "omp/loops/loops.hpp"
#include "omp/sync/fatal.hpp"

namespace weft::omp {
namespace {

using far::Message;
using far::What;

Message ask_for_chunks(const Work& work, const Position& at, bool one) noexcept {
  Message question;
  question.what = What::kChunks;
  question.how = static_cast<std::uint8_t>((work.schedule == kGuided ? far::kGuided : 0) | (one ? far::kOne : 0));
  question.threads = static_cast<std::uint16_t>(std::min(at.team->size, 0xffff));
  question.here = static_cast<std::uint16_t>(std::min(at.team->here, 0xffff));
  question.a = work.number();
  question.b = work.count;
  question.c = work.chunk;
  return ask(question, {.why = ThreadWaits::kIterations});
}

}  // namespace

// Each of the first processes has some, until there are no more: those with a part in a team are the first ones.
int first_thread(int process, int threads) noexcept {
  const far::Table& far = *image::far();
  long all = 0;
  for (int k = 0; k < image::processes(); ++k) {
    all += std::max(far.usual_threads(k), 1);
  }
  long before = 0;
  long first = 0;
  for (int k = 0; k < std::min(process, image::processes()); ++k) {
    before += std::max(far.usual_threads(k), 1);
    // Upwards, so that the first process has the first thread.
    first = std::min(std::max((threads * before + all - 1) / all, first + 1), long{threads});
  }
  return static_cast<int>(first);
}

bool begin_far_single(Team& team, std::uint32_t number) noexcept {
  // Relaxed, as in begin_single(): the first one of this process asks for it.
  std::uint32_t mine = number;
  if (team.singles.load(std::memory_order_relaxed) != mine ||
      !team.singles.compare_exchange_strong(mine, mine + 1, std::memory_order_relaxed)) {
    return false;
  }
  Message question;
  question.what = What::kSingle;
  question.many = static_cast<std::uint16_t>(team.processes);
  question.a = number;
  return ask(question, {.why = ThreadWaits::kSingle}).a != 0;
}

bool next_far_chunk(Work& work, const Position& at, std::uint64_t& from, std::uint64_t& to) noexcept {
  const Guard guard(work.pool_lock);
  if (work.pool_from == work.pool_to && !work.pool_over) {
    const Message got = ask_for_chunks(work, at, false);
    work.pool_from = got.a;
    work.pool_to = std::min(got.b, work.count);
    work.pool_over = work.pool_from >= work.pool_to;
  }
  if (work.pool_over) {
    return false;
  }
  from = work.pool_from;
  const std::uint64_t left = work.pool_to - from;
  to = from + (work.schedule == kGuided ? left : std::min(left, work.chunk));
  work.pool_from = to;
  return true;
}

bool next_far_ticket(Work& work, const Position& at, Chunk& chunk, std::uint64_t& ticket) noexcept {
  const Message got = ask_for_chunks(work, at, true);
  const std::uint64_t to = std::min(got.b, work.count);
  if (got.a >= to) {
    return false;
  }
  ticket = got.c;
  chunk.begin = work.start + got.a * work.step;
  chunk.end = to == work.count ? work.end : work.start + to * work.step;
  return true;
}

std::uint64_t claim(const Work& work, std::uint64_t value, unsigned which) noexcept {
  Message question;
  question.what = What::kClaim;
  question.a = work.number() | std::uint64_t{which} << 63;
  question.b = value;
  image::release();
  const std::uint64_t first = ask(question, {.why = ThreadWaits::kSingle}).a;
  image::acquire();
  return first;
}

void* share_memory(Team& team, const Work& work, std::size_t bytes) noexcept {
  void* const mine = image::allocate(bytes != 0 ? bytes : 1);
  if (mine == nullptr) {
    die("Out of memory allocating %lu bytes", static_cast<unsigned long>(bytes));
  }
  std::memset(mine, 0, bytes);
  const auto own = reinterpret_cast<std::uintptr_t>(mine);
  const std::uint64_t of_all = claim(work, own, 1);
  if (of_all != own) {
    image::free(mine);
    return reinterpret_cast<void*>(of_all);
  }
  team.far_blocks = new (need_memory(sizeof(Team::FarBlock))) Team::FarBlock{mine, team.far_blocks};
  return mine;
}

void free_shared_memory(Team& team) noexcept {
  while (Team::FarBlock* const first = team.far_blocks) {
    team.far_blocks = first->next;
    image::free(first->block);
    std::free(first);
  }
}

void post_far(const Work& work, std::uint64_t entry, std::uint64_t value) noexcept {
  Message message;
  message.what = What::kPost;
  message.a = work.number();
  message.b = entry;
  message.c = value;
  image::release();
  image::far()->say(message);
}

void await_far(const Work& work, std::uint64_t entry, std::uint64_t value, const Awaited& awaited) noexcept {
  Message question;
  question.what = What::kAwait;
  question.a = work.number();
  question.b = entry;
  question.c = value;
  (void)ask(question, awaited);
  image::acquire();
}

}  // namespace weft::omp

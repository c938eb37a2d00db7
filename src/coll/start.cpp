#include "coll/start.hpp"

#include "coll/barrier.hpp"
#include "coll/choose.hpp"
#include "copy/copy.hpp"
#include "copy/file.hpp"
#include "group/team.hpp"
#include "job/attach.hpp"
#include "job/crash.hpp"
#include "job/node.hpp"
#include "job/shared_area.hpp"
#include "job/start.hpp"

namespace weft::coll {
namespace {

static_assert(copy::kToldWords == job::SharedHead::kCopiesWords);

// The first PE of a node reads what earlier programs found of copies, and the others take it when all have met: a start
// of many PEs opens one file once.
void remember_copies(const base::Options& options) noexcept {
  const job::Node& node = job::node();
  if (node.local != 0) {
    return;
  }
  copy::remember(options.copy_file.value);
  std::uint64_t words[copy::kToldWords];
  if (copy::tell(words)) {
    job::SharedHead& head = job::shared_head(node.job);
    // Relaxed: the meeting publishes them.
    for (std::size_t k = 0; k < copy::kToldWords; ++k) {
      head.copies[k].store(words[k], std::memory_order_relaxed);
    }
    head.copies_told.store(copy::mark_of_file(options.copy_file.value), std::memory_order_relaxed);
  }
}

void take_copies(const base::Options& options) noexcept {
  const job::Node& node = job::node();
  const job::SharedHead& head = job::shared_head(node.job);
  if (node.local == 0) {
    return;
  }
  // Relaxed: all have met. It has told nothing where people gave it another WEFT_COPY than this PE, and of another file
  // where they gave it another WEFT_COPY_FILE or home.
  if (head.copies_told.load(std::memory_order_relaxed) != copy::mark_of_file(options.copy_file.value)) {
    copy::remember(options.copy_file.value);
    return;
  }
  std::uint64_t words[copy::kToldWords];
  for (std::size_t k = 0; k < copy::kToldWords; ++k) {
    words[k] = head.copies[k].load(std::memory_order_relaxed);
  }
  copy::take(words, options.copy_file.value);
}

}  // namespace

base::Result<void> start(const job::FrontEnd& front_end, const base::Options& options) noexcept {
  if (const auto copies = copy::choose(static_cast<copy::Choice>(options.copy.choice)); !copies) {
    return copies;
  }
  if (const auto started = job::start(front_end, options); !started) {
    return started;
  }
  remember_copies(options);  // it may tell, for which this PE has to know its number
  if (const auto teams = group::set_up_teams(); !teams) [[unlikely]] {
    return teams;
  }
  set_up(options);
  job::tell_of_crashes();
  return {};
}

base::Result<void> meet_all(const base::Options& options) noexcept {
  job::mark(boot::Phase::kInitialised);
  meet_at_init();
  take_copies(options);
  job::watch_node();
  return agree(options);
}

}  // namespace weft::coll

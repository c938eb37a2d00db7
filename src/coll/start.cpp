#include "coll/start.hpp"

#include "coll/barrier.hpp"
#include "coll/choose.hpp"
#include "copy/copy.hpp"
#include "group/team.hpp"
#include "job/attach.hpp"
#include "job/crash.hpp"
#include "job/start.hpp"

namespace weft::coll {

base::Result<void> start(const job::FrontEnd& front_end, const base::Options& options) noexcept {
  if (const auto copies = copy::choose(static_cast<copy::Choice>(options.copy.choice)); !copies) {
    return copies;
  }
  if (const auto started = job::start(front_end, options); !started) {
    return started;
  }
  copy::remember(options.copy_file.value);  // it may tell, for which this PE has to know its number
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
  job::watch_node();
  return agree(options);
}

}  // namespace weft::coll

#include "shared/control.hpp"

#include <cstdlib>

#include "base/lines.hpp"
#include "base/options.hpp"
#include "coll/barrier.hpp"
#include "coll/start.hpp"
#include "dsm/advice.hpp"
#include "dsm/order.hpp"
#include "dsm/requests.hpp"
#include "dsm/start.hpp"
#include "group/team.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"
#include "job/start.hpp"
#include "shared/load.hpp"
// After base/option_table.hpp.
#include "api/shared/options.inc"

namespace weft::shared {
namespace {

constinit int g_inits = 0;
constinit bool g_at_exit = false;
constinit bool g_ended = false;
constinit bool g_tells = false;  // what was done, in the end

constexpr const char* kSize = "WEFT_SHARED_SIZE";
// Of WEFT_SHARED_BY, in the order of its choices.
constexpr std::uint8_t kByMemory = 1;
constexpr std::uint8_t kByPages = 2;
// And of WEFT_SHARED_HOMES.
constexpr std::uint8_t kLearnedHomes = 0;

base::Result<void> start(const base::Options& options, const api::shared::Options& own) noexcept {
  if (own.size.value > dsm::kMostBytes || own.size.value < dsm::kPageBytes) {
    return base::Error::make("%s=%llu is not between %zu bytes and %llu GiB", kSize,
                             static_cast<unsigned long long>(own.size.value), dsm::kPageBytes,
                             static_cast<unsigned long long>(dsm::kMostBytes >> 30));
  }
  if (const auto started = coll::start(front_end(), options); !started) {
    return started;
  }
  if (const auto met = coll::meet_all(options); !met) {
    return met;
  }
  return dsm::begin({.bytes = own.size.value,
                     .option = kSize,
                     .by_memory = own.by.choice == kByMemory,
                     .by_pages = own.by.choice == kByPages,
                     .cache_bytes = own.cache.value,
                     .renewal = static_cast<dsm::protocol::Renewal>(own.protocol.choice + 1),
                     .learn_homes = own.homes.choice == kLearnedHomes,
                     .safe = options.debug.check,
                     .profile = options.profile.value});
}

// on_exit and not atexit: the status tells a program that ends in error, which must not wait for the others.
void end_at_exit(int status, void* /*unused*/) {
  if (g_begun.load(std::memory_order_relaxed) && status == 0 && !job::g_process.forked && !job::g_process.leaving) {
    g_inits = 1;
    end();
  }
}

}  // namespace

constinit std::atomic<bool> g_begun = false;

void fail_not_begun() noexcept {
  if (job::g_process.forked) {
    base::fail(job::current_call(), "called in a forked child; only the process that was started is a PE");
  }
  base::fail(job::current_call(), g_ended ? "called after weft_shared_finalize" : "called before weft_shared_init");
}

void refuse_calls() noexcept {
  g_begun.store(false, std::memory_order_relaxed);
  dsm::leave_after_fork();
}

void begin() noexcept {
  if (job::g_process.forked) {
    fail_not_begun();
  }
  if (g_inits++ > 0) {
    return;
  }
  const auto options = base::read_options();
  if (!options) {
    base::fail(job::current_call(), "%s", options.error().text());
  }
  const auto own = api::shared::read_options();
  if (!own) {
    base::fail(job::current_call(), "%s", own.error().text());
  }
  if (const auto started = start(*options, *own); !started) {
    base::fail(job::current_call(), "%s", started.error().text());
  }
  if (!g_at_exit) {
    g_at_exit = true;
    (void)::on_exit(end_at_exit, nullptr);
  }
  g_tells = own->stats.on;
  g_begun.store(true, std::memory_order_relaxed);
}

void end() noexcept {
  dsm::barrier();
  if (--g_inits > 0) {
    return;
  }
  if (const std::size_t left = dsm::lock_requests(); left > 0) {
    base::fail(job::current_call(),
               "%zu requests for locks are under way; take each lock that was asked for, and give it back", left);
  }
  if (g_tells) {
    dsm::tell_counts("PEs");
  }
  g_begun.store(false, std::memory_order_relaxed);
  coll::meet_at_finalize();
  dsm::end();
  group::delete_all_teams(boot::Interface::kSharedPages);
  job::stop(front_end());
  g_ended = true;
}

}  // namespace weft::shared

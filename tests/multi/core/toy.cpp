#include "toy.hpp"

#include <cstdlib>

#include "base/lines.hpp"
#include "base/options.hpp"
#include "coll/barrier.hpp"
#include "coll/forms.hpp"
#include "coll/split.hpp"
#include "coll/start.hpp"
#include "group/team.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"
#include "job/serving.hpp"
#include "job/start.hpp"
#include "parts.hpp"

namespace {

namespace job = weft::job;

constexpr std::uint64_t kOwnBytes = std::uint64_t{4} << 20;

constinit const job::FrontEnd kToy{
    .interface = toy::kInterface,
    .needs = {.network = true, .agent = true, .own_bytes = kOwnBytes, .own_lent = true},
    .words = {.interface = "toy", .library = "libtoy.so", .begin = "toy_begin", .end = "toy_end"},
    .symbol = "toy_at",
    .name_of = [](job::CallNumber) noexcept { return "toy"; },
    .serves = [](const job::Node& node) noexcept { return node.me >= node.n_pes - toy::n_servers(); },
    .serve = toy::serve,
};

void add(void* into, const void* with, const void* and_with, std::size_t count, void* /*state*/) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    static_cast<std::uint64_t*>(into)[k] =
        static_cast<const std::uint64_t*>(with)[k] + static_cast<const std::uint64_t*>(and_with)[k];
  }
}

[[gnu::constructor]] void load(int /*argc*/, char** argv) { job::attach(argv, kToy); }

}  // namespace

namespace toy {

int n_servers() {
  const char* const servers = ::secure_getenv("WEFT_TEST_SERVERS");
  return servers == nullptr ? 0 : std::atoi(servers);
}

void serve() noexcept {
  if (!begin()) {
    std::_Exit(1);
  }
  job::wait_until_dismissed();
  end();
}

void dismiss(int pe) { job::dismiss(pe); }

bool begin() {
  add_messages();
  const auto options = weft::base::read_options();
  const auto started = options ? weft::coll::start(kToy, *options) : weft::base::Result<void>(options.error());
  if (!started) {
    weft::base::say("toy_begin", "%s", started.error().text());
    return false;
  }
  expect_nothing();
  if (!make_boxes()) {
    weft::base::fail("toy_begin", "no room for boxes in the own area");
  }
  if (const auto met = weft::coll::meet_all(*options); !met) {
    weft::base::fail("toy_begin", "%s", met.error().text());
  }
  return true;
}

void end() {
  weft::coll::meet_at_finalize();
  leave_boxes();
  job::stop(kToy);
}

int me() { return job::node().me; }
int n_pes() { return job::node().n_pes; }
bool on_this_node(int pe) { return job::node().here(pe) >= 0; }

std::optional<std::uint64_t> allocate(std::uint64_t bytes) { return job::node().own.allocate(bytes); }
bool release(std::uint64_t offset) { return job::node().own.release(offset); }
std::byte* at(int pe, std::uint64_t offset) { return job::node().own.at(job::node().here(pe), offset); }

void meet() { weft::coll::barrier(); }

void sum(std::span<const int> pes, const std::uint64_t* values, std::uint64_t* sums, std::size_t count) {
  namespace coll = weft::coll;
  const auto members = weft::group::members_of(pes.data(), static_cast<int>(pes.size()));
  if (!members) {
    weft::base::fail("toy_sum", "%s", members.error().text());
  }
  weft::group::Team* team = nullptr;
  if (coll::make_team_of(*members, weft::group::world().id, 0, kInterface, &team) != coll::Making::kDone) {
    weft::base::fail("toy_sum", "no team of %d PEs", members->size);
  }
  members->drop();
  {
    coll::Party party(*team);
    if (!coll::reduce_to(party, {sums, values, count, sizeof *sums, add}, coll::kToAll, coll::Reached::kShown)) {
      weft::base::fail("toy_sum", "no memory for %zu bytes", party.lacks());
    }
  }
  coll::destroy_team(*team);
}

}  // namespace toy

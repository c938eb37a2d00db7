#include "mail.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/lines.hpp"
#include "base/options.hpp"
#include "coll/barrier.hpp"
#include "coll/start.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"
#include "job/start.hpp"

namespace {

namespace job = weft::job;
namespace msg = weft::msg;

constinit const job::FrontEnd kMail{
    .interface = weft::boot::Interface{weft::boot::kInterfaces - 1},
    .needs = {.network = true, .own_bytes = msg::kOwnBytes},
    .words = {.interface = "mail", .library = "mail", .begin = "mail_begin", .end = "mail_end"},
    .symbol = "mail_begin",
    .name_of = [](job::CallNumber) noexcept { return "mail"; },
    .opening = msg::opening,
};

[[gnu::constructor]] void load(int /*argc*/, char** argv) { job::attach(argv, kMail); }

}  // namespace

namespace mail {

void begin(bool threads) {
  const auto options = weft::base::read_options();
  const auto started = options ? weft::coll::start(kMail, *options) : weft::base::Result<void>(options.error());
  if (!started) {
    weft::base::fail("mail_begin", "%s", started.error().text());
  }
  msg::several_threads(threads);
  if (const auto begun = msg::begin(*options); !begun) {
    weft::base::fail("mail_begin", "%s", begun.error().text());
  }
  if (const auto met = weft::coll::meet_all(*options); !met) {
    weft::base::fail("mail_begin", "%s", met.error().text());
  }
}

void end() {
  weft::coll::meet_at_finalize();
  msg::end();
  job::stop(kMail);
}

int me() { return job::node().me; }
int n_pes() { return job::node().n_pes; }

msg::To to(int pe, std::int32_t tag, std::uint32_t context) { return {context, pe, me(), tag, 0}; }
msg::From from(int pe, std::int32_t tag, std::uint32_t context) {
  return {context, pe, pe < 0 ? msg::kAnySource : pe, tag, 0};
}

// In rounds: each has heard of twice as many in each.
void meet() {
  for (int distance = 1; distance < n_pes(); distance *= 2) {
    (void)msg::send_receive(to((me() + distance) % n_pes(), distance, kMeeting), {},
                            from((me() + n_pes() - distance) % n_pes(), distance, kMeeting), {});
  }
}

void need(bool good, const char* what) {
  if (!good) {
    std::fprintf(stderr, "PE %d: %s\n", me(), what);
    std::_Exit(1);
  }
}

std::vector<std::byte> bytes_of(std::uint64_t seed, std::size_t count) {
  std::vector<std::byte> bytes(count);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15U + 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

}  // namespace mail

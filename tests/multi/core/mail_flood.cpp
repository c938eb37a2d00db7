// All others send to PE 0, which receives nothing for a while: what it keeps stays below the limit, the senders wait,
// and all comes in the end. Blocking sends and such as return at once. Then very many large messages at a time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "mail.hpp"

namespace {

namespace msg = weft::msg;

constexpr std::uint64_t kLimit = std::uint64_t{1} << 20;  // as the test's environment says
constexpr std::size_t kBytes = 1024;
constexpr int kAtATime = 500;  // sends that are under way

std::uint64_t g_word[kBytes / sizeof(std::uint64_t)];

void send_blocking(int count) {
  for (int k = 0; k < count; ++k) {
    g_word[0] = static_cast<std::uint64_t>(k);
    (void)msg::send(mail::to(0, 1), msg::Data::of(g_word, kBytes));
  }
}

void send_many(int count) {
  const std::unique_ptr<msg::Request[]> requests(new msg::Request[kAtATime]);
  std::vector<std::vector<std::uint64_t>> data(kAtATime, std::vector<std::uint64_t>(kBytes / sizeof(std::uint64_t)));
  for (int first = 0; first < count; first += kAtATime) {
    for (int k = 0; k < kAtATime; ++k) {
      const auto which = static_cast<std::size_t>(k);
      data[which][0] = static_cast<std::uint64_t>(first + k);
      msg::start_send(requests[which], mail::to(0, 1), msg::Data::of(data[which].data(), kBytes));
    }
    for (std::size_t k = 0; k < kAtATime; ++k) {
      msg::wait(requests[k]);
    }
  }
}

void receive_all(int count) {
  // Every sender has said that it begins; then nothing is received, but what comes is looked at.
  for (int pe = 1; pe < mail::n_pes(); ++pe) {
    (void)msg::receive(mail::from(pe, 2), {});
  }
  std::uint64_t most = 0;
  for (int k = 0; k < 20'000; ++k) {
    msg::progress();
    most = std::max(most, msg::unexpected_bytes());
  }
  // A box of each is on its way when the limit is reached, and a head of each message that stays at home.
  const std::uint64_t bound =
      kLimit + static_cast<std::uint64_t>(mail::n_pes()) * ((std::uint64_t{200} << 10) + kAtATime * 256);
  std::vector<std::uint64_t> next(static_cast<std::size_t>(mail::n_pes()));
  std::uint64_t word[kBytes / sizeof(std::uint64_t)];
  for (int k = 0; k < count * (mail::n_pes() - 1); ++k) {
    const msg::Status status = msg::receive(mail::from(-1, 1), {word, kBytes, nullptr});
    mail::need(status.bytes == kBytes && word[0] == next[static_cast<std::size_t>(status.source)]++,
               "a message is missing, or before its turn");
    most = std::max(most, msg::unexpected_bytes());
  }
  mail::need(most <= bound, "more is kept than may be");
  // A meeting of others may have come already.
  mail::need(msg::unexpected_bytes() < kBytes, "something is left");
}

// More large messages to one PE than may wait for their receiver: others are heard all the same, on whom it waits.
void send_beside_many() {
  constexpr int kMany = 17'000;
  constexpr std::size_t kLarge = 9000;
  static std::byte data[kLarge];
  if (mail::me() == 1) {
    const std::unique_ptr<msg::Request[]> requests(new msg::Request[kMany]);
    for (int k = 0; k < kMany; ++k) {
      msg::start_send(requests[static_cast<std::size_t>(k)], mail::to(0, 3), msg::Data::of(data, kLarge));
    }
    (void)msg::send(mail::to(2, 3), msg::Data::of(data, kLarge));
    for (std::size_t k = 0; k < kMany; ++k) {
      msg::wait(requests[k]);
    }
  } else if (mail::me() == 2) {
    (void)msg::receive(mail::from(1, 3), {data, kLarge, nullptr});
    (void)msg::send(mail::to(0, 4), {});
  } else if (mail::me() == 0) {
    (void)msg::receive(mail::from(2, 4), {});
    mail::need(msg::unexpected_bytes() <= kLimit + kMany * 256, "more is kept than may be");
    for (int k = 0; k < kMany; ++k) {
      (void)msg::receive(mail::from(1, 3), {data, kLarge, nullptr});
    }
  }
  mail::meet();
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000;
  mail::begin();
  for (const bool blocking : {true, false}) {
    if (mail::me() == 0) {
      receive_all(count);
    } else {
      (void)msg::send(mail::to(0, 2), {});
      blocking ? send_blocking(count) : send_many(count);
    }
    mail::meet();
  }
  if (mail::n_pes() > 2) {
    send_beside_many();
  }
  mail::end();
  if (mail::me() == 0) {
    std::printf("%d messages of each came\n", 2 * count);
  }
  return 0;
}

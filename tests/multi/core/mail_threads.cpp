// Several threads of each PE, each with its own tag: to the same threads of all PEs, its own included, at a time.
#include <cstdio>
#include <thread>

#include "mail.hpp"

namespace {

namespace msg = weft::msg;

constexpr int kThreads = 3;
constexpr int kRounds = 60;

std::size_t size_of(int round) { return round % 7 == 0 ? 20'000 : static_cast<std::size_t>(round * 37 % 300); }

void play(int tag) {
  const int n = mail::n_pes();
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t size = size_of(round);
    const int to = (mail::me() + round) % n;
    const int of = (mail::me() + n - round % n) % n;
    const auto out = mail::bytes_of(static_cast<std::uint64_t>(mail::me() * 1000 + tag * 100'000 + round), size);
    std::vector<std::byte> in(size);
    msg::Request sending;
    msg::start_send(sending, mail::to(to, tag), msg::Data::of(out.data(), size),
                    round % 5 == 0 ? msg::Mode::kSynchronous : msg::Mode::kStandard);
    msg::Status status;
    if (round % 3 == 0) {
      status = msg::wait_for_message(mail::from(-1, tag));
      mail::need(status.bytes == size || n > 1, "a probe has found something else");
    }
    status = msg::receive(mail::from(of, tag), {in.data(), size, nullptr});
    msg::wait(sending);
    mail::need(status.bytes == size &&
                   in == mail::bytes_of(static_cast<std::uint64_t>(of * 1000 + tag * 100'000 + round), size),
               "what came is not what was sent");
  }
}

}  // namespace

int main() {
  mail::begin(true);
  std::vector<std::thread> threads;
  for (int tag = 1; tag < kThreads; ++tag) {
    threads.emplace_back(play, tag);
  }
  play(0);
  for (std::thread& thread : threads) {
    thread.join();
  }
  mail::meet();
  mail::end();
  std::printf("PE %d of %d is done\n", mail::me(), mail::n_pes());
  return 0;
}

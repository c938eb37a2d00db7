// Random traffic, all to all, of all sizes, tags and ways to send and receive. Each message says who sent it, to whom,
// as which of its kind, and has a sum. Receives of any source and any tag are among them, so what comes is compared
// with the order that has to be: messages of one sender with one tag come in the order in which they were sent.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "mail.hpp"

namespace {

namespace msg = weft::msg;

constexpr int kRounds = 4;
constexpr int kTags = 3;
constexpr int kEach = 60;  // messages of each PE in a round, on the average to each other as many as to one
constexpr std::size_t kMost = 60'000;

struct Head {
  std::int32_t from;
  std::int32_t to;
  std::int32_t tag;
  std::uint32_t number;  // among those with this tag
  std::uint64_t bytes;
};

using Random = std::minstd_rand;
unsigned draw(Random& random, unsigned below) { return static_cast<unsigned>(random()) % below; }

std::uint64_t seed_of(const Head& head) {
  return static_cast<std::uint64_t>(head.from) << 40 | static_cast<std::uint64_t>(head.to) << 20 |
         static_cast<std::uint64_t>(head.tag) << 16 | head.number;
}

std::size_t size_of(Random& random) {
  const unsigned kind = draw(random, 10);
  return sizeof(Head) + (kind < 5 ? draw(random, 64) : kind < 8 ? draw(random, 5000) : draw(random, kMost));
}

std::vector<std::byte> message(const Head& head) {
  auto bytes = mail::bytes_of(seed_of(head), head.bytes);
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

// What every PE can reckon: how many messages of each tag each PE sends to each in a round, and which.
struct Plan {
  struct One {
    int to;
    std::int32_t tag;
    std::size_t bytes;
  };
  static std::vector<One> of(int pe, int round) {
    Random random(static_cast<unsigned>(1 + pe + 1000 * round));
    std::vector<One> all;
    for (int k = 0; k < kEach; ++k) {
      const int to = static_cast<int>(draw(random, static_cast<unsigned>(mail::n_pes())));
      const auto tag = static_cast<std::int32_t>(draw(random, kTags));
      all.push_back({to, tag, size_of(random)});
    }
    return all;
  }
};

class Receiver {
 public:
  explicit Receiver(int round) : random_(static_cast<unsigned>(7 + mail::me() + 100 * round)) {
    for (int pe = 0; pe < mail::n_pes(); ++pe) {
      for (const Plan::One& one : Plan::of(pe, round)) {
        left_ += one.to == mail::me() ? 1 : 0;
        awaited_[{pe, one.tag}] += one.to == mail::me() ? 1U : 0U;
      }
    }
  }

  bool done() const { return left_ == 0 && posted_.empty(); }

  // Posts, probes or waits: one of them.
  void step() {
    reap();
    switch (left_ == 0 ? 3 : draw(random_, 4)) {
      case 0: post(); break;
      case 1: look(); break;
      case 2: take(); break;
      default: msg::progress();
    }
  }

 private:
  struct Posted {
    msg::Request request;
    std::vector<std::byte> room = std::vector<std::byte>(sizeof(Head) + kMost);
  };

  // With any source or tag only where no other receive is there, so that each has a message in the end.
  void post() {
    if (posted_.size() > 8) {
      return;
    }
    auto one = std::make_unique<Posted>();
    msg::start_receive(one->request, mail::from(-1, msg::kAnyTag), {one->room.data(), one->room.size(), nullptr});
    posted_.push_back(std::move(one));
    --left_;
  }
  void look() {
    msg::Status status;
    if (!posted_.empty() || !msg::probe(mail::from(-1, msg::kAnyTag), &status)) {
      return;
    }
    std::vector<std::byte> room(status.bytes);
    const msg::Status got = msg::receive(mail::from(status.pe, status.tag), {room.data(), room.size(), nullptr});
    mail::need(got.source == status.source && got.tag == status.tag && got.bytes == status.bytes,
               "a probe has found another message than is received");
    check(got, room);
    --left_;
  }
  void take() {
    msg::Status status;
    msg::Kept* const message =
        posted_.empty() ? msg::take(mail::from(-1, static_cast<std::int32_t>(draw(random_, kTags))), &status) : nullptr;
    if (message == nullptr) {
      return;
    }
    std::vector<std::byte> room(status.bytes);
    msg::Request request;
    msg::start_receive(request, message, {room.data(), room.size(), nullptr});
    msg::wait(request);
    check(request.status, room);
    --left_;
  }
  // In the order in which they were posted: that is the order of the messages of one sender.
  void reap() {
    while (!posted_.empty() && msg::test(posted_.front()->request)) {
      check(posted_.front()->request.status, posted_.front()->room);
      posted_.erase(posted_.begin());
    }
  }

  void check(const msg::Status& status, const std::vector<std::byte>& room) {
    Head head{};
    mail::need(status.bytes >= sizeof head && status.fault == msg::Fault::kNone, "a message is too short");
    std::memcpy(&head, room.data(), sizeof head);
    mail::need(
        head.to == mail::me() && head.from == status.source && head.tag == status.tag && head.bytes == status.bytes,
        "a message is another one than its status says");
    mail::need(head.number == came_[{head.from, head.tag}]++, "messages have overtaken each other");
    mail::need(came_[{head.from, head.tag}] <= awaited_[{head.from, head.tag}], "a message came that nobody sent");
    const auto wanted = message(head);
    mail::need(std::memcmp(room.data(), wanted.data(), wanted.size()) == 0, "a message is not what was sent");
  }

  Random random_;
  int left_ = 0;  // that nothing was posted for
  std::map<std::pair<int, std::int32_t>, std::uint32_t> awaited_;
  std::map<std::pair<int, std::int32_t>, std::uint32_t> came_;
  std::vector<std::unique_ptr<Posted>> posted_;
};

struct Sent {
  msg::Request request;
  std::vector<std::byte> bytes;
};

void play(int round) {
  Receiver receiver(round);
  Random random(static_cast<unsigned>(mail::me() + 17 * round + 1));
  std::map<std::pair<int, std::int32_t>, std::uint32_t> numbers;
  std::vector<std::unique_ptr<Sent>> sent;
  for (const Plan::One& one : Plan::of(mail::me(), round)) {
    auto made = std::make_unique<Sent>();
    made->bytes = message({mail::me(), one.to, one.tag, numbers[{one.to, one.tag}]++, one.bytes});
    msg::start_send(made->request, mail::to(one.to, one.tag), msg::Data::of(made->bytes.data(), made->bytes.size()),
                    draw(random, 4) == 0 ? msg::Mode::kSynchronous : msg::Mode::kStandard);
    sent.push_back(std::move(made));
    for (unsigned k = draw(random, 3); k > 0; --k) {
      receiver.step();
    }
  }
  while (!receiver.done() ||
         !std::all_of(sent.begin(), sent.end(), [](auto& one) { return msg::test(one->request); })) {
    receiver.step();
    std::this_thread::yield();  // with more PEs than processors somebody else has to run
  }
}

}  // namespace

int main() {
  mail::begin();
  for (int round = 0; round < kRounds; ++round) {
    play(round);
    mail::meet();
  }
  mail::need(msg::unexpected_bytes() == 0, "something is left that nobody has received");
  mail::end();
  std::printf("PE %d of %d is done\n", mail::me(), mail::n_pes());
  return 0;
}

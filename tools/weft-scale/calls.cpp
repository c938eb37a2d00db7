#include "calls.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "boot/enter.hpp"
#include "coll/across/messages.hpp"
#include "coll/across/speakers.hpp"
#include "coll/collectives.hpp"
#include "group/domains.hpp"
#include "job/node.hpp"

namespace weft::scale {
namespace {

using transport::Pending;
using transport::Tag;

// Before the data of each message: what room transport says of it, and the leaf of its request.
constexpr std::size_t kHead = 32 + 64;
constexpr std::size_t kStack = std::size_t{64} << 10;
constexpr Tag kTag = 1;

/// Who speaks, each until it waits.
class Speakers {
 public:
  using Part = std::function<void(int me)>;
  Speakers(Events& events, int count, Part part)
      : events_(events), part_(std::move(part)), contexts_(static_cast<std::size_t>(count)) {
    stacks_.reserve(contexts_.size());
    left_ = count;
  }

  void run() {
    g_now = this;
    job::Node& node = job::node();
    const sync::Patience before = node.patience;
    node.patience.spins = UINT32_MAX;  // a look after each turn of the others
    node.patience.poll = []() noexcept { g_now->wait(); };
    for (std::size_t k = 0; k < contexts_.size(); ++k) {
      stacks_.push_back(std::make_unique<char[]>(kStack));
      get(&contexts_[k]);
      contexts_[k].uc_stack.ss_sp = stacks_[k].get();
      contexts_[k].uc_stack.ss_size = kStack;
      contexts_[k].uc_link = &all_;
      ::makecontext(&contexts_[k], reinterpret_cast<void (*)()>(&Speakers::begin), 0);
      resume(static_cast<int>(k));
    }
    events_.run([this] { return left_ == 0; });
    node.patience = before;
    g_now = nullptr;
  }
  /// Something has come for it.
  void resume(int who) {
    running_ = who;
    (void)::swapcontext(&all_, &contexts_[static_cast<std::size_t>(who)]);
  }

 private:
  // Apart, as it may return twice, which nothing of a loop should live through.
  [[gnu::noinline]] static void get(ucontext_t* context) { (void)::getcontext(context); }
  static void begin() {
    g_now->part_(g_now->running_);
    --g_now->left_;
  }
  void wait() { (void)::swapcontext(&contexts_[static_cast<std::size_t>(running_)], &all_); }

  static inline Speakers* g_now = nullptr;
  Events& events_;
  Part part_;
  ucontext_t all_{};
  std::vector<ucontext_t> contexts_;
  std::vector<std::unique_ptr<char[]>> stacks_;
  int running_ = 0;
  int left_ = 0;
};

/// The messages of one who speaks.
class Mail final : public transport::TaggedMessages {
 public:
  /// `all` holds those of all, by node.
  Mail(std::vector<std::unique_ptr<Mail>>& all, Network& network, int me, int pes)
      : all_(all), network_(network), me_(me), pes_(pes) {}
  void wake_by(Speakers& speakers) { speakers_ = &speakers; }

  void send(int pe, Tag /*tag*/, const void* from, std::size_t bytes, Pending& /*pending*/) noexcept override {
    const int to = pe / pes_;
    const auto* data = static_cast<const char*>(from);
    network_.send(me_, to, bytes + kHead, [this, to, copy = std::vector<char>(data, data + bytes)] {
      all_[static_cast<std::size_t>(to)]->arrive(me_, copy);
    });
  }
  void receive(int pe, Tag /*tag*/, void* to, std::size_t bytes, Pending& pending) noexcept override {
    Line& line = lines_[pe / pes_];
    const Awaited awaited{to, bytes, pending.begin()};
    if (line.come.empty()) {
      line.awaited.push_back(awaited);
      return;
    }
    deliver(awaited, line.come.front());
    line.come.pop_front();
  }

 private:
  struct Awaited {
    void* to;
    std::size_t bytes;
    Pending::Count* count;
  };
  struct Line {
    std::deque<std::vector<char>> come;
    std::deque<Awaited> awaited;
  };
  static void deliver(const Awaited& awaited, const std::vector<char>& data) {
    std::memcpy(awaited.to, data.data(), std::min(awaited.bytes, data.size()));
    awaited.count->end();
  }
  void arrive(int from, const std::vector<char>& data) {
    Line& line = lines_[from];
    if (line.awaited.empty()) {
      line.come.push_back(data);
      return;
    }
    const Awaited awaited = line.awaited.front();
    line.awaited.pop_front();
    deliver(awaited, data);
    speakers_->resume(me_);
  }

  std::vector<std::unique_ptr<Mail>>& all_;
  Network& network_;
  int me_;
  int pes_;
  Speakers* speakers_ = nullptr;
  std::unordered_map<int, Line> lines_;
};

// Waits ask the job of this process how.
void be_a_job() {
  if (job::node().job != nullptr) return;
  const auto attached = boot::enter_alone(1 << 20);
  if (!attached) return;
  job::Node& node = job::node();
  node.job = attached->job;
  node.own_record.store(attached->record, std::memory_order_relaxed);  // relaxed: there is one thread
}

Ns speak(Events& events, Network& network, int nodes, int pes,
         const std::function<void(int me, coll::across::Messages& messages)>& part) {
  be_a_job();
  std::vector<std::unique_ptr<Mail>> mail;
  mail.reserve(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) mail.push_back(std::make_unique<Mail>(mail, network, node, pes));
  Speakers speakers(events, nodes, [&](int me) {
    coll::across::Messages messages(*mail[static_cast<std::size_t>(me)], kTag, sync::WaitNote());
    part(me, messages);
  });
  for (const auto& each : mail) each->wake_by(speakers);
  const Ns begin = events.now();
  speakers.run();
  return events.now() - begin;
}

}  // namespace

Ns barrier(Events& events, Network& network, int nodes, int pes) {
  const group::Members leaders{0, pes, nodes};
  return speak(events, network, nodes, pes, [&](int me, coll::across::Messages& messages) {
    coll::across::meet(coll::across::Speakers(leaders, me), messages);
  });
}

Ns fcollect(Events& events, Network& network, int nodes, int pes, std::size_t bytes) {
  std::vector<group::Domain> domains;
  domains.reserve(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) domains.push_back({.first = node * pes, .size = pes});
  // What all of them have, once: nobody looks at it.
  std::vector<std::byte> dest(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(pes) * bytes);
  return speak(events, network, nodes, pes, [&](int me, coll::across::Messages& messages) {
    const group::Span span{.members = {0, 1, nodes * pes}, .mine = me, .count = nodes, .domains = domains.data()};
    coll::across::exchange_blocks(span, messages, dest.data(), coll::Blocks{bytes});
  });
}

Alltoall alltoall(const Rates& rates, int nodes, int pes, std::size_t bytes) {
  constexpr int kPartners = 16;  // as coll/across/alltoall.cpp has it
  const double all = static_cast<double>(nodes) * pes;
  const double elsewhere = all - pes;
  const double message = static_cast<double>(bytes + kHead);
  Alltoall made;
  made.messages = all * elsewhere;
  made.bytes = made.messages * message;
  const double turns = std::ceil((all - 1) / kPartners);
  const double of_a_turn = pes * kPartners * message / rates.bytes_per_ns;
  made.ns = turns * (of_a_turn + static_cast<double>(rates.latency));
  return made;
}

}  // namespace weft::scale

#include "launch/hosts/fleet.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "launch/hosts/link.hpp"
#include "launch/hosts/mirror.hpp"
#include "launch/hosts/pe_end.hpp"
#include "launch/tree/cards.hpp"

namespace weft::launch::hosts {
namespace {

// Less than this of a node's output that has been passed on is not worth a message.
constexpr std::uint64_t kWorthTelling = 64 * 1024;

}  // namespace

Fleet::Fleet(Owner owner, const Errand& errand, const processes::Job& mirror, const sigset_t& reset_signals)
    : owner_(std::move(owner)),
      errand_(errand),
      mirror_(mirror),
      tree_(owner_.poller, reset_signals),
      nodes_(errand.shares.size()),
      muster_(errand.shares.size()) {
  node_of_.resize(static_cast<std::size_t>(errand.n_pes()));
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    const Share& share = errand.shares[node];
    for (const int pe : share.pes) {
      owner_.watch.placed(pe, share.host);
      node_of_[static_cast<std::size_t>(pe)] = node;
    }
  }
}

Fleet::~Fleet() {
  if (input_ >= 0) (void)::close(input_);
}

void Fleet::take_news(std::uint64_t now) {
  if (const auto due = tree_.next_look(); due && now >= *due) tree_.look(now);
  while (const std::optional<Frame> frame = tree_.next(now)) {
    if (frame->node < nodes_.size()) take(*frame, now);
  }
  tell_passed_on();
}

bool Fleet::is_here(std::uint32_t node, int pe) const {
  return pe >= 0 && static_cast<std::size_t>(pe) < node_of_.size() && node_of_[static_cast<std::size_t>(pe)] == node;
}

void Fleet::say_of(std::uint32_t node, std::string_view text) {
  owner_.forward.say(owner_.called.line("oshrun: host " + host(node) + ": " + std::string(text)));
}

void Fleet::take(const Frame& frame, std::uint64_t now) {
  const std::uint32_t node = frame.node;
  const Share& share = errand_.shares[node];
  Unpacker from(frame.payload);
  switch (frame.kind) {
    case FrameKind::kReady: take_ready(node, from, now); break;
    case FrameKind::kNotStarted: {
      const int code = from.get<int>();
      if (owner_.watch.is_running()) {
        say_of(node, from.text());
        owner_.watch.not_started(code, now);
      }
      break;
    }
    case FrameKind::kStarted: {
      const int pe = from.get<int>();
      if (is_here(node, pe)) owner_.watch.started(pe, from.get<int>());
      break;
    }
    case FrameKind::kAllStarted: ++started_; break;
    case FrameKind::kOutput: take_output(node, from, now); break;
    case FrameKind::kEnded: take_end(node, from, now); break;
    case FrameKind::kThreads: (void)apply_threads(frame.payload, mirror_.header, nodes_[node].clock, share.pes); break;
    case FrameKind::kRecords: (void)apply_records(frame.payload, mirror_.header, nodes_[node].clock, share.pes); break;
    case FrameKind::kExitRequest: {
      std::uint32_t nobody = 0;
      (void)mirror_.header->exit_request.compare_exchange_strong(nobody, from.get<std::uint32_t>());
      owner_.watch.look(now);
      break;
    }
    case FrameKind::kReplaced: {
      const int pe = from.get<int>();
      if (is_here(node, pe)) owner_.watch.replaced(pe, from.text(), now);
      break;
    }
    case FrameKind::kInputTaken:
      nodes_[node].input_taken += from.get<std::uint64_t>();
      poll_input();
      break;
    case FrameKind::kSay: say_of(node, frame.payload); break;
    case FrameKind::kLost: take_lost(from, now); break;
    // All get them as they come; who has those of all nodes goes on.
    case FrameKind::kCards: tree_.send(FrameKind::kCards, kAllNodes, tree::cards_of_node(node, frame.payload)); break;
    default: break;
  }
}

// Nothing is started before all hosts are there: a job that cannot have one of them has done nothing then.
void Fleet::take_ready(std::uint32_t node, Unpacker from, std::uint64_t now) {
  const auto heap_bytes = from.get<std::uint64_t>();
  nodes_[node].clock = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(from.get<std::uint64_t>());
  if (!muster_.come(node, heap_bytes) || !owner_.watch.is_running()) return;
  tree_.send(FrameKind::kGo, kAllNodes, Packer().put(muster_.heap_bytes()).bytes());
}

void Fleet::take_output(std::uint32_t node, Unpacker from, std::uint64_t now) {
  const int pe = from.get<int>();
  const int stream = from.get<int>();
  if (!from.fine() || !is_here(node, pe) || (stream != 0 && stream != 1)) return;
  owner_.forward.take(pe, stream, from.rest(), now);
  nodes_[node].owed += from.rest().size();
}

void Fleet::take_end(std::uint32_t node, Unpacker from, std::uint64_t now) {
  PeEnd end;
  if (!unpack(from, end) || !is_here(node, end.pe)) return;
  owner_.forward.ended(end.pe);
  owner_.watch.surroundings(std::move(end.limits), end.memory);
  owner_.watch.ended(end.pe, end.status, now);
  mark_gone(mirror_.header, end.pe);
  owner_.pe_ended(end.pe);
}

void Fleet::take_lost(Unpacker from, std::uint64_t now) {
  const int first = from.get<int>();
  const int end = from.get<int>();
  const std::string why = from.text();
  if (!from.fine() || first < 0 || end <= first || end > errand_.n_nodes()) return;
  std::string text = "host " + host(static_cast<std::uint32_t>(first)) + ": " + why;
  if (end - first > 1) text += "; with it " + std::to_string(end - first - 1) + " that it was the way to";
  // Their agents have given us up, a beat early at most, and rightly.
  if (errand_.silence > 0 && stopped_ + Link::kBeat >= errand_.silence) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    text = "was stopped for " + std::to_string(stopped_ / kSecond) + " s, as by SIGSTOP, and agents give up a job " +
           "whose oshrun is silent for " + std::to_string(errand_.silence / kSecond) +
           " s (--link-timeout); SIGTSTP stops the job as a whole";
  }
  std::vector<int> lost;
  for (int node = first; node < end; ++node) {
    const std::vector<int>& pes = errand_.shares[static_cast<std::size_t>(node)].pes;
    lost.insert(lost.end(), pes.begin(), pes.end());
  }
  owner_.watch.host_lost(lost, std::move(text), now);
}

// A node whose output nobody takes stops at its window, and then its PEs wait.
void Fleet::tell_passed_on() {
  for (const int stream : {0, 1}) {
    if (!told_broken_[stream] && owner_.forward.is_broken(stream)) {
      told_broken_[stream] = true;
      tree_.send(FrameKind::kCloseOutput, kAllNodes, Packer().put(stream).bytes());
    }
  }
  if (owner_.forward.is_full(0) || owner_.forward.is_full(1)) return;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].owed < kWorthTelling) continue;
    tree_.send(FrameKind::kPassedOn, node, Packer().put(std::exchange(nodes_[node].owed, 0)).bytes());
  }
}

void Fleet::read_input_from(int fd) {
  input_ = fd;
  poll_input();
}

void Fleet::poll_input() {
  if (input_ < 0) return;
  std::uint64_t taken = nodes_[0].input_taken;
  if (errand_.input == command::InputTo::kAll) {
    for (const Node& node : nodes_) taken = std::min(taken, node.input_taken);
  }
  const bool poll = input_sent_ - std::min(taken, input_sent_) < Feed::kWindow;
  if (poll == input_polled_) return;
  input_polled_ = poll;
  if (poll) {
    (void)owner_.poller.add(input_, EPOLLIN, streams::About::kFeed);
  } else {
    owner_.poller.remove(input_);
  }
}

void Fleet::input_readable() {
  if (input_ < 0) return;
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = ::read(input_, buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return;
  const std::uint32_t to = errand_.input == command::InputTo::kAll ? kAllNodes : 0;
  if (got > 0) {
    input_sent_ += static_cast<std::uint64_t>(got);
    tree_.send(FrameKind::kInput, to, std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    poll_input();
    return;
  }
  tree_.send(FrameKind::kInputEnd, to);
  owner_.poller.remove(input_);
  (void)::close(std::exchange(input_, -1));
}

void Fleet::signal(int number) { tree_.send(FrameKind::kSignal, kAllNodes, Packer().put(number).bytes()); }

void Fleet::pause() {
  tree_.send(FrameKind::kPause, kAllNodes);
  tree_.flush();
}

void Fleet::continued(std::uint64_t stopped) {
  stopped_ = std::max(stopped_, stopped);
  tree_.forget_silence();
}

void Fleet::finish() {
  tree_.send(FrameKind::kFinish, kAllNodes);
  tree_.finish();
}

}  // namespace weft::launch::hosts

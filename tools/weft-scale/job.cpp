#include "job.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "boot/node_files.hpp"

namespace weft::scale {

using launch::tree::Branch;
using launch::tree::Cards;
using launch::tree::Frame;
using launch::tree::FrameKind;
using launch::tree::kAllNodes;
using launch::tree::Packer;
using launch::tree::Unpacker;

namespace {

// As weft-agent looks at its neighbours; oshrun does it each Below::kLookInterval.
constexpr Ns kLook = 100 * kMs;

[[noreturn]] void fail(const char* what) {
  (void)std::fprintf(stderr, "weft-scale: %s\n", what);
  std::exit(1);
}

template <class T>
T must(base::Result<T> result) {
  if (!result) fail(result.error().text());
  return *result;
}

}  // namespace

void Pipe::join(Pipe& one, std::function<void()> ones_turn, Pipe& other, std::function<void()> others_turn) {
  one.other_ = &other;
  other.other_ = &one;
  one.turn_ = std::move(ones_turn);
  other.turn_ = std::move(others_turn);
  one.open_ = other.open_ = true;
  one.begin(one.events_.now());
  other.begin(one.events_.now());
}

void Pipe::push() {
  std::string bytes(unsent());
  drop_unsent();
  const std::size_t size = bytes.size();
  network_.send(from_, to_, size, [other = other_, bytes = std::move(bytes)] {
    if (!other->open_) return;
    other->heard(bytes);
    other->turn_();
  });
}

void Pipe::close() {
  if (!std::exchange(open_, false)) return;
  network_.send(from_, to_, 0, [other = other_] {
    other->open_ = false;
    other->turn_();
  });
}

void Children::start(int first, int end) {
  bear_silence(job_.shape.silence);
  for (const Branch& branch : launch::tree::branches(first, end, job_.shape.fanout)) {
    const std::size_t child = lines_.size();
    lines_.push_back(std::make_unique<Pipe>(job_.events, job_.network, machine_, branch.first));
    add(branch, *lines_.back());
    job_.events.in(job_.costs.ssh, [this, child] { run(child); });
  }
}

void Children::run(std::size_t child) {
  Agent& agent = job_.make_agent(nodes(child).first, machine_);
  Pipe::join(*lines_[child], turn_, agent.up, [&agent] { agent.turn(); });
  lines_[child]->send(FrameKind::kErrand, static_cast<std::uint32_t>(nodes(child).first),
                      launch::hosts::errand_for(nodes(child), job_.errand()));
  agent.look();
}

void Children::leave() {
  for (const auto& line : lines_) line->close();
}

// Nobody's line is open before its agent runs.
std::optional<std::string> Children::why_ended(std::size_t child, Ns /*now*/) {
  if (!job_.exists(nodes(child).first)) return std::nullopt;
  return given_up(child).empty() ? "lost the connection to its weft-agent" : given_up(child);
}

Agent::Agent(Job& job, int node, int parent)
    : up(job.events, job.network, node, parent),
      job_(job),
      node_(node),
      below_(job, node, [this] { turn(); }),
      place_(up, below_),
      cards_(static_cast<std::size_t>(job.shape.nodes), true) {}

void Agent::turn() {
  if (left) return;
  while (const std::optional<Frame> frame = up.next()) obey(*frame);
  place_.pass_up(job_.events.now());
  if (!up.is_open()) leave("");
}

void Agent::look() {
  if (left) return;
  if (place_.look(job_.events.now(), kLook)) return leave("has heard nothing of oshrun");
  job_.events.in(kLook, [this] { look(); });
}

void Agent::leave(const std::string& why) {
  if (std::exchange(left, true)) return;
  if (!why.empty()) place_.tell(FrameKind::kGivenUp, why);
  up.close();
  below_.leave();
}

void Agent::obey(const Frame& frame) {
  if (frame.kind == FrameKind::kErrand) return take_errand(frame.payload);
  if (!place_.pass_down(frame)) return;
  switch (frame.kind) {
    case FrameKind::kGo: start_pes(); break;
    case FrameKind::kSignal: signalled = true; break;
    case FrameKind::kCards: {
      const auto pes_of = [this](std::size_t node) -> const std::vector<int>& { return job_.pes_of(node); };
      const Cards::Taken taken = cards_.take(frame.payload, job_.table(), pes_of);
      if (taken == Cards::Taken::kDamaged) fail("an agent could not read the cards");
      if (taken == Cards::Taken::kAll) job_.agent_has_cards();
      break;
    }
    default: break;
  }
}

// It is the same for all, so nobody keeps it.
void Agent::take_errand(std::string_view payload) {
  launch::hosts::Errand errand;
  Branch nodes;
  if (!launch::hosts::unpack_for(payload, nodes, errand)) fail("an agent could not read its errand");
  job_.agent_has_errand();
  place_.place(nodes.first, errand.silence);
  below_.start(nodes.first + 1, nodes.end);
  job_.events.in(job_.costs.prepare, [this] {
    place_.tell(FrameKind::kReady, Packer().put(std::uint64_t{1} << 29).put(job_.events.now()).bytes());
  });
}

void Agent::start_pes() {
  const std::vector<int>& pes = job_.pes_of(static_cast<std::size_t>(node_));
  for (std::size_t k = 0; k < pes.size(); ++k) {
    job_.events.in(job_.costs.fork * (k + 1),
                   [this, pe = pes[k]] { place_.tell(FrameKind::kStarted, Packer().put(pe).put(1000 + pe).bytes()); });
  }
  const Ns all = job_.costs.fork * pes.size();
  job_.events.in(all, [this] { place_.tell(FrameKind::kAllStarted); });
  job_.events.in(all + job_.costs.begin, [this] { give_cards(); });
}

void Agent::give_cards() {
  place_.tell(FrameKind::kCards, job_.cards_of(node_));
  place_.tell(FrameKind::kRecords, job_.records_of(node_));
}

Job::Job(Events& in_time, Network& by, const Shape& of, const Costs& takes)
    : events(in_time),
      network(by),
      shape(of),
      costs(takes),
      below_(*this, of.nodes, [this] { turn(); }),
      muster_(static_cast<std::size_t>(of.nodes)),
      agents_(static_cast<std::size_t>(of.nodes)) {
  make_up();
}

Job::~Job() {
  (void)::munmap(node_file_, node_file_->control_bytes);
  (void)::munmap(mirror_.header, mirror_.header->control_bytes);
  (void)::close(mirror_.control_fd);
}

// A program's, with an address, keys and bases of its own for each PE, as an adapter gives them.
void Job::make_up() {
  errand_.ssh = {"ssh", "-x", "-T"};
  errand_.agent = "/usr/libexec/weft/weft-agent";
  errand_.fanout = shape.fanout;
  errand_.silence = shape.silence;
  errand_.parts = {{shape.n_pes(), {"./program"}}};
  given_.resize(static_cast<std::size_t>(shape.n_pes()));
  got_.resize(given_.size());
  int pe = 0;
  for (int node = 0; node < shape.nodes; ++node) {
    launch::hosts::Share share;
    share.host = "node" + std::to_string(node);
    for (int local = 0; local < shape.pes; ++local, ++pe) {
      boot::PeerCard& card = given_[static_cast<std::size_t>(pe)];
      card.node = static_cast<std::uint32_t>(node);
      card.local = static_cast<std::uint32_t>(local);
      got_[static_cast<std::size_t>(pe)].node = card.node;
      got_[static_cast<std::size_t>(pe)].local = card.local;
      card.program = 0x5eed;
      card.static_bytes = 4096;
      card.network = 1;
      card.address_bytes = 16;
      const std::uint64_t address[2] = {0x0a000000ULL + card.node, 30'000ULL + card.local};
      std::memcpy(card.address, address, sizeof address);
      for (int region = 0; region < 2; ++region) {
        card.keys[region] = 2ULL * static_cast<unsigned>(pe) + static_cast<unsigned>(region) + 1;
        card.bases[region] = 0x7f0000000000ULL + (static_cast<std::uint64_t>(local) << 30);
      }
      (void)std::snprintf(card.host, sizeof card.host, "%s", share.host.c_str());
      share.pes.push_back(pe);
    }
    errand_.shares.push_back(std::move(share));
  }
  packed_ = launch::hosts::pack(errand_);
  const boot::NodeFiles files =
      must(boot::make_node_files({.n_pes = shape.pes, .heap_bytes = 4096, .job_pes = shape.n_pes(), .token = 1}));
  node_file_ = files.header;
  (void)::close(files.control_fd);
  (void)::close(files.data_fd);
  for (int local = 0; local < shape.pes; ++local) {
    boot::PeRecord& record = *boot::pe_record(node_file_, local);
    record.pid = 1000 + local;
    record.phase = static_cast<std::uint32_t>(boot::Phase::kAttached);
    record.program = 0x5eed;
    record.static_bytes = 4096;
    record.program_base = 0x550000000000ULL + (static_cast<std::uint64_t>(local) << 30);
    record.program_end = record.program_base + 65536;
    record.waits[0].why = static_cast<std::uint32_t>(boot::Waiting::kInit);
    record.waits[0].since = 1;
    record.waits[0].size = shape.n_pes();
  }
  mirror_ = must(launch::hosts::make_mirror(shape.n_pes(), shape.nodes, 1));
}

Agent& Job::make_agent(int node, int parent) {
  std::unique_ptr<Agent>& agent = agents_[static_cast<std::size_t>(node)];
  agent = std::make_unique<Agent>(*this, node, parent);
  return *agent;
}

std::string Job::cards_of(int node) {
  std::string packed = launch::tree::pack_cards(given_.data(), pes_of(static_cast<std::size_t>(node)));
  largest_cards_ = std::max(largest_cards_, packed.size());
  return packed;
}

std::string Job::records_of(int node) {
  std::string told = launch::hosts::RecordNews(node_file_, pes_of(static_cast<std::size_t>(node))).take();
  largest_records_ = std::max(largest_records_, told.size());
  return told;
}

void Job::turn() {
  while (const std::optional<Frame> frame = below_.next(events.now())) take(*frame);
}

void Job::take(const Frame& frame) {
  const auto node = static_cast<std::size_t>(frame.node);
  Unpacker from(frame.payload);
  switch (frame.kind) {
    case FrameKind::kReady:
      if (!muster_.come(node, from.get<std::uint64_t>())) break;
      started_.ready = events.now();
      below_.send(FrameKind::kGo, kAllNodes, Packer().put(muster_.heap_bytes()).bytes());
      break;
    case FrameKind::kAllStarted:
      if (++n_started_ == shape.nodes) started_.pes = events.now();
      break;
    case FrameKind::kRecords:
      if (!launch::hosts::apply_records(frame.payload, mirror_.header, 0, pes_of(node))) fail("damaged records");
      break;
    case FrameKind::kCards:
      below_.send(FrameKind::kCards, kAllNodes, launch::tree::cards_of_node(frame.node, frame.payload));
      break;
    case FrameKind::kLost:
      lost_first_ = from.get<int>();
      lost_end_ = from.get<int>();
      lost_at_ = events.now();
      below_.send(FrameKind::kSignal, kAllNodes, Packer().put(SIGTERM).bytes());
      break;
    default: break;
  }
}

void Job::look() {
  if (over_) return;
  below_.look(events.now());
  turn();
  events.in(launch::tree::Below::kLookInterval, [this] { look(); });
}

Job::Started Job::start() {
  below_.start(0, shape.nodes);
  look();
  events.run([this] { return lost_first_ >= 0 || (started_.cards > 0 && started_.pes > 0); });
  if (lost_first_ >= 0) fail("a node was lost while the job started; --link-timeout is too short for that network");
  return started_;
}

void Job::idle(Ns time) {
  const Ns end = events.now() + time;
  events.run([&] { return events.now() >= end; });
}

Job::Death Job::switch_off(int node) {
  const Ns begin = events.now();
  network.switch_off(node);
  agent(node).left = true;  // it looks at nothing any more
  Death death;
  // Agents look for ever: what has not come by then does not come.
  const Ns latest = begin + 10 * shape.silence;
  events.run([&] {
    if (events.now() > latest) return true;
    if (lost_first_ < 0) return false;
    const auto all = [&](int first, int end, auto&& have) {
      for (int k = first; k < end; ++k) {
        if (k != node && !have(agent(k))) return false;
      }
      return true;
    };
    const auto told = [](const Agent& agent) { return agent.signalled; };
    if (death.told == 0 && all(0, lost_first_, told) && all(lost_end_, shape.nodes, told)) {
      death.told = events.now() - begin;
    }
    if (death.left == 0 && all(lost_first_, lost_end_, [](const Agent& agent) { return agent.left; })) {
      death.left = events.now() - begin;
    }
    return death.told > 0 && death.left > 0;
  });
  if (lost_first_ != node || death.told == 0 || death.left == 0) fail("the death of a node was not noticed");
  death.noticed = lost_at_ - begin;
  death.below = lost_end_ - lost_first_ - 1;
  over_ = true;
  return death;
}

bool Job::cards_are_right() const {
  return std::memcmp(given_.data(), got_.data(), given_.size() * sizeof(boot::PeerCard)) == 0;
}

}  // namespace weft::scale

// What other PEs write for a PE's messages: into its boxes, its queue, its tickets and their own areas, and what comes
// from other nodes. PE 0 is asked for some things by the program; PE 1 is on its node, PE 2 on another one, and both
// have lost their senses. The bytes are a list of what happens, each thing with its number.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "fuzz.hpp"
#include "job/shared_area.hpp"
#include "msg/engine.hpp"
#include "msg/messages.hpp"
#include "msg/start.hpp"
#include "tests/pretend/still.hpp"

// A PE that finds damage says a line and ends: here the input ends. The linker gives the rooms this one
// (CMakeLists.txt).
[[noreturn]] void fail_in_harness(const char* call, const char* format,
                                  ...) __asm__("__wrap__ZN4weft4base4failEPKcS2_z");

namespace {

using namespace weft;
using fuzz::must;

constexpr int kLocal = 2;
constexpr int kPes = 3;
constexpr std::uint64_t kAreaBytes = memory::OwnAreas::kUnit;
// In the area of PE 1: its hub is the first, then come nodes of its own.
constexpr std::uint64_t kNodes = 65536;
constexpr std::uint64_t kNodeBytes = 8192;
constexpr std::size_t kRequests = 4;
constexpr int kMostSteps = 300;
constexpr std::uint64_t kMostBytes = 150'000;  // of a message: more than a stage has

std::jmp_buf g_end;

// Another node takes what it is told, or has no room, or says later that the data may be changed.
class Network final : public pretend::Still {
 public:
  transport::Told tell(int pe, const transport::Message& what, transport::Pending& pending) noexcept override {
    must(pe == 2 && what.head_bytes <= transport::kMostHead, "what is told is for another node, with a short head");
    // AddressSanitizer looks whether all of it is there.
    const std::vector<std::byte> copy(static_cast<const std::byte*>(what.data),
                                      static_cast<const std::byte*>(what.data) + what.bytes);
    const unsigned turn = answers >> (turns_++ % 4 * 2) & 3;
    if (turn == 1) return transport::Told::kAgain;
    if (turn < 2 || what.bytes == 0) return transport::Told::kDone;
    under_way_.push_back(pending.begin());
    return transport::Told::kPosted;
  }
  void complete_all() {
    for (auto* const one : under_way_) one->end();
    under_way_.clear();
  }
  void forget() {
    under_way_.clear();
    turns_ = answers = 0;
  }
  unsigned answers = 0;  // of the next four, by turns

 private:
  unsigned turns_ = 0;
  std::vector<transport::Pending::Count*> under_way_;
} g_network;

class Unanswered final : public transport::Answerer {
  bool answer(const transport::Message& /*what*/) noexcept override { return false; }
  transport::Owed* keep() noexcept override { return nullptr; }
} g_unanswered;

// Each in memory of its own.
struct One {
  msg::Request request;
  std::unique_ptr<std::byte[]> data;
};

void set_up_job() {
  const std::size_t bytes = boot::control_bytes(kLocal, kPes);
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  must(at != MAP_FAILED, "there is memory for a job");
  auto* const job = static_cast<boot::JobHeader*>(at);
  job->n_pes = kLocal;
  job->job_pes = kPes;
  job->n_nodes = 2;
  job::Node& node = job::node();
  node.job = job;
  node.n_pes = kPes;
  node.n_local = kLocal;
  node.run_here = kLocal;
  node.network = &g_network;
  boot::peer_card(job, 2)->node = 1;
  msg::opening(&g_network);
}

class Pe {
 public:
  Pe() {
    static const bool there = (set_up_job(), true);
    job::Node& node = job::node();
    must(there &&
             static_cast<bool>(node.own.map({.n_pes = kLocal, .me = 0, .fd = -1, .offset = 0, .bytes = kAreaBytes})),
         "there is memory for areas");
    base::Options options{};
    options.unexpected.value = 65536;
    must(static_cast<bool>(msg::begin(options)), "messages begin");
    job::shared_pe(node.job, 1).messages.store(1, std::memory_order_relaxed);
    msg::g_engine.self.show(&hub().card);
  }
  Pe(const Pe&) = delete;
  Pe& operator=(const Pe&) = delete;
  // What an input leaves is in no order that end() expects.
  ~Pe() {
    std::destroy_at(&msg::g_engine);
    std::construct_at(&msg::g_engine);
    msg::opening(&g_network);
    job::node().own.unmap();
    g_network.forget();
  }

  void step(fuzz::Bytes& bytes) {
    switch (bytes.below(12)) {
      case 0: push(bytes); break;
      case 1: put_into_box(bytes); break;
      case 2: spoil(bytes); break;
      case 3: tell(bytes); break;
      case 4: finish(bytes.below(2) == 1); break;
      case 5: g_network.answers = bytes.take<std::uint8_t>(); break;
      case 6: g_network.complete_all(); break;
      case 7: send(bytes); break;
      case 8: receive(bytes); break;
      case 9: (void)msg::cancel(one_of(bytes).request); break;
      case 10: probe(bytes); break;
      default: msg::progress();
    }
  }
  void last() {
    finish(false);
    for (int k = 0; k < 8; ++k) msg::progress();
  }

 private:
  msg::Hub& hub() { return *reinterpret_cast<msg::Hub*>(area(1, 0)); }
  std::byte* area(int local, std::uint64_t offset) { return job::node().own.at(local, offset); }
  One& one_of(fuzz::Bytes& bytes) { return ones_[static_cast<std::size_t>(bytes.below(kRequests))]; }

  // The number is the next one, unless the input says how far it is beside it.
  msg::Envelope envelope(fuzz::Bytes& bytes, std::uint32_t* sent) {
    msg::Envelope made;
    const auto beside = bytes.take<std::int8_t>();
    *sent += beside == 0 ? 1 : 0;
    made.sequence = *sent + static_cast<std::uint32_t>(static_cast<std::int32_t>(beside));
    made.context = static_cast<std::uint32_t>(bytes.below(2));
    made.source = bytes.below(2);
    made.tag = bytes.below(3);
    made.what = bytes.take<std::uint8_t>();
    made.bytes = made.what == 1 ? bytes.take<std::uint16_t>() : bytes.take<std::uint32_t>();
    made.ticket = bytes.below(2) == 0 ? msg::kNoTicket : bytes.take<std::uint16_t>();
    return made;
  }
  void push(fuzz::Bytes& bytes) {
    const std::uint64_t offset = kNodes + static_cast<std::uint64_t>(bytes.below(16)) * kNodeBytes;
    auto* const node = reinterpret_cast<msg::QueueNode*>(area(1, offset));
    node->envelope = envelope(bytes, &sent_);
    (void)msg::push(msg::g_engine.hub->queue, msg::spot_of(1, offset), *node, msg::node_at);
  }
  void put_into_box(fuzz::Bytes& bytes) {
    const msg::BoxSpot spot = msg::g_engine.hub->box_for(1).load(std::memory_order_relaxed);
    const std::uint64_t offset = msg::offset_of_box(spot);
    const std::uint32_t lines = msg::lines_of_box(spot);
    if (spot == 0 || lines > msg::kMostLines || !job::node().own.holds(offset, msg::box_bytes(lines))) return;
    if (spot != spot_) {
      box_.open(reinterpret_cast<msg::BoxHead*>(area(0, offset)), lines);
      spot_ = spot;
    }
    const msg::Envelope made = envelope(bytes, &sent_);
    const auto wanted = std::min<std::uint32_t>(made.what == 1 ? msg::lines_of(made.bytes) : 1, lines / 4);
    if (msg::Line* const line = box_.reserve(wanted, made.sequence); line != nullptr) {
      line->write(made);
      box_.publish(line, wanted, made.sequence);
    }
  }
  // Any bytes where others may write.
  void spoil(fuzz::Bytes& bytes) {
    const int where = bytes.below(5);
    std::uint64_t offset = bytes.take<std::uint16_t>();
    const auto value = bytes.take<std::uint64_t>();
    const msg::Ticket* const ticket = one_of(bytes).request.ticket;
    int local = 0;
    switch (where) {
      case 0: offset = msg::g_engine.hub_offset + offset % msg::hub_bytes(kLocal) / 8 * 8; break;
      case 1: offset += msg::offset_of_box(spot_); break;
      case 2:
        offset = ticket == nullptr ? 0 : msg::g_engine.pool.number_of(*ticket) * sizeof(msg::Line) + offset % 192;
        break;
      case 3: local = 1, offset = offset % msg::hub_bytes(kLocal) / 8 * 8; break;
      default: local = 1;
    }
    if (job::node().own.holds(offset, sizeof value)) std::memcpy(area(local, offset), &value, sizeof value);
  }

  // What PE 2 tells, and its data when it comes.
  void tell(fuzz::Bytes& bytes) {
    transport::Arrival arrival;
    arrival.pe = 2;
    arrival.kind = static_cast<transport::Kind>(8 + bytes.below(5));
    arrival.head_bytes = sizeof(msg::Saying);
    if (arrival.kind == 8) {
      const msg::Envelope made = envelope(bytes, &told_);
      arrival.head_bytes = sizeof made;
      std::memcpy(arrival.head, &made, sizeof made);
      arrival.bytes = made.what == 1 ? made.bytes : 0;
    } else {
      msg::Saying said{};
      said.kind = arrival.kind;
      said.ticket = bytes.take<std::uint8_t>();
      said.receiver = bytes.take<std::uint8_t>();
      said.bytes = bytes.take<std::uint32_t>();
      said.piece = bytes.take<std::uint32_t>();
      std::memcpy(arrival.head, &said, sizeof said);
      arrival.bytes = arrival.kind == 10 ? bytes.take<std::uint32_t>() % (kMostBytes + 2) : 0;
    }
    if (bytes.below(16) == 15) arrival.head_bytes = bytes.take<std::uint8_t>() % (transport::kMostHead + 1);
    const transport::Handler* const handler = transport::kinds().find(arrival.kind);
    must(handler != nullptr, "there is a handler for each kind");
    arrival.landing = handler->place(handler->self, arrival, g_unanswered);
    coming_.push_back(arrival);
  }
  void finish(bool newest_first) {
    if (newest_first) std::reverse(coming_.begin(), coming_.end());
    while (!coming_.empty()) {
      const transport::Arrival arrival = coming_.front();
      coming_.erase(coming_.begin());
      if (arrival.landing.at != nullptr) std::memset(arrival.landing.at, 1, arrival.bytes);
      const transport::Handler* const handler = transport::kinds().find(arrival.kind);
      handler->arrived(handler->self, arrival, g_unanswered);
    }
  }

  // What the program asks for.
  static std::uint64_t size(fuzz::Bytes& bytes) { return bytes.take<std::uint32_t>() % kMostBytes; }
  bool is_free(const One& one) {
    const auto state = one.request.state.load(std::memory_order_relaxed);
    return state == msg::Request::State::kIdle || state == msg::Request::State::kDone;
  }
  void send(fuzz::Bytes& bytes) {
    One& one = one_of(bytes);
    if (!is_free(one)) return;
    const std::uint64_t count = size(bytes);
    one.data.reset(new std::byte[count]());
    const msg::To to{static_cast<std::uint32_t>(bytes.below(2)), bytes.below(kPes), 0, bytes.below(3), 0};
    msg::start_send(one.request, to, msg::Data::of(one.data.get(), count),
                    bytes.below(2) == 1 ? msg::Mode::kSynchronous : msg::Mode::kStandard);
  }
  void receive(fuzz::Bytes& bytes) {
    One& one = one_of(bytes);
    if (!is_free(one)) return;
    const std::uint64_t count = size(bytes);
    one.data.reset(new std::byte[count]());
    const msg::Data data{one.data.get(), count, nullptr};
    if (bytes.below(4) == 0) {
      msg::Status status;
      msg::Kept* const kept = msg::take(from(bytes), &status);
      if (kept == nullptr) return;
      msg::start_receive(one.request, kept, data);
    } else {
      msg::start_receive(one.request, from(bytes), data);
    }
    must(!one.request.done() || one.request.status.bytes <= count, "no more is received than there is room for");
  }
  void probe(fuzz::Bytes& bytes) {
    msg::Status status;
    must(!msg::probe(from(bytes), &status) || status.pe >= 0, "what is found is of somebody");
  }
  msg::From from(fuzz::Bytes& bytes) {
    return {static_cast<std::uint32_t>(bytes.below(2)), -1, bytes.below(3) - 1,
            bytes.below(2) == 0 ? msg::kAnyTag : bytes.below(3), 0};
  }

  std::array<One, kRequests> ones_;
  std::vector<transport::Arrival> coming_;
  msg::BoxWriter box_;
  msg::BoxSpot spot_ = 0;
  std::uint32_t sent_ = 0;
  std::uint32_t told_ = 0;
};

}  // namespace

void fail_in_harness(const char* /*call*/, const char* format, ...) {
  char text[1024];
  std::va_list args;
  va_start(args, format);
  (void)std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fuzz::must_be_a_line(text);
  std::longjmp(g_end, 1);
}

// Where an input ends in the middle, what was on its way is lost, as in a PE that ends.
// By this and not by an option: tests have options of their own in the environment.
extern "C" int __lsan_is_turned_off() { return 1; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // volatile: it is looked at behind a longjmp.
  Pe* volatile pe = new Pe;
  if (setjmp(g_end) == 0) {
    fuzz::Bytes bytes(data, size);
    for (int k = 0; k < kMostSteps && !bytes.rest().empty(); ++k) pe->step(bytes);
    pe->last();
  }
  delete pe;
  return 0;
}

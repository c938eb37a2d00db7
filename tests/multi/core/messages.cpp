// Questions and messages: to other nodes by the network, on this one by boxes.
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "base/lines.hpp"
#include "job/node.hpp"
#include "parts.hpp"
#include "rma/target.hpp"
#include "sync/waiter.hpp"
#include "toy.hpp"
#include "transport/transport.hpp"

namespace toy {
namespace {

namespace job = weft::job;
namespace transport = weft::transport;

constexpr transport::Kind kAsk = transport::first_kind_of(kInterface);
constexpr transport::Kind kSend = kAsk + 1;

// What comes of a PE, and from where it was expected on. The sender is let know by way of other processes; between the
// two threads of this one `at` makes the rest visible.
struct Expected {
  std::atomic<void*> at{nullptr};
  std::size_t bytes = 0;
  std::atomic<bool> landed{false};
};
std::vector<Expected> g_expected;

// The one question that is under way.
std::atomic<bool> g_answered;
std::uint64_t g_answer;

transport::Landing place(void* /*self*/, const transport::Arrival& arrival,
                         transport::Answerer& /*answerer*/) noexcept {
  return {arrival.kind == kSend ? landing(arrival.pe, arrival.bytes) : nullptr, nullptr};
}

void arrived(void* /*self*/, const transport::Arrival& arrival, transport::Answerer& answerer) noexcept {
  if (arrival.kind == kSend) {
    has_landed(arrival.pe);
    return;
  }
  std::uint64_t number = 0;
  if (arrival.head_bytes != sizeof number) {
    weft::base::fail("toy", "PE %d asks with %zu bytes", arrival.pe, arrival.head_bytes);
  }
  std::memcpy(&number, arrival.head, sizeof number);
  if (arrival.is_answer) {
    g_answer = number;
    // Release: the answer first.
    g_answered.store(true, std::memory_order_release);
    return;
  }
  number = answer_of(me(), number);
  (void)answerer.answer({.kind = kAsk, .head = &number, .head_bytes = sizeof number});
}

void tell(int pe, const transport::Message& what) {
  const job::Node& node = job::node();
  transport::Pending pending;
  while (node.network->tell(pe, what, pending) == transport::Told::kAgain) {
    node.patience.poll();
  }
  weft::rma::complete(pending);
}

// Acquire: what came with it is visible.
void wait_for(const std::atomic<bool>& flag) {
  const job::Node& node = job::node();
  weft::sync::wait(node.patience, node.value_bell(node.local), nullptr, {},
                   [&flag]() noexcept { return flag.load(std::memory_order_acquire); });
}

}  // namespace

void add_messages() {
  for (const transport::Kind kind : {kAsk, kSend}) {
    (void)transport::kinds().add(kind, {.place = place, .arrived = arrived});
  }
}

void* landing(int pe, std::size_t bytes) {
  const Expected& expected = g_expected[static_cast<std::size_t>(pe)];
  // Acquire: its size, and what was done with the memory before.
  void* const at = expected.at.load(std::memory_order_acquire);
  return bytes <= expected.bytes ? at : nullptr;
}

void has_landed(int pe) {
  // Release: the data first.
  g_expected[static_cast<std::size_t>(pe)].landed.store(true, std::memory_order_release);
}

std::uint64_t ask(int pe, std::uint64_t question) {
  if (on_this_node(pe)) {
    return ask_on_node(pe, {.what = What::kAsk, .number = question});
  }
  // Relaxed: nobody answers before the question is told.
  g_answered.store(false, std::memory_order_relaxed);
  tell(pe, {.kind = kAsk, .head = &question, .head_bytes = sizeof question});
  wait_for(g_answered);
  return g_answer;
}

void expect(int pe, void* at, std::size_t bytes) {
  Expected& expected = g_expected[static_cast<std::size_t>(pe)];
  expected.bytes = bytes;
  // Relaxed: the next one makes it visible.
  expected.landed.store(false, std::memory_order_relaxed);
  // Release: the size, and what was done with the memory before.
  expected.at.store(at, std::memory_order_release);
}

void send(int pe, const void* from, std::size_t bytes) {
  if (on_this_node(pe)) {
    (void)ask_on_node(pe, {.what = What::kSend, .number = 0, .out = from, .bytes = bytes});
  } else {
    tell(pe, {.kind = kSend, .data = from, .bytes = bytes});
  }
}

void receive(int pe) { wait_for(g_expected[static_cast<std::size_t>(pe)].landed); }

void expect_nothing() { g_expected = std::vector<Expected>(static_cast<std::size_t>(n_pes())); }

}  // namespace toy

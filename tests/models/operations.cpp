// The PE's side: an operation is in the log of its turn, or the PE waits here until it is its turn to make it.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "models/machine.hpp"

namespace weft::explore {

Runner g;

void give_up(const std::string& why) {
  (void)std::fprintf(stderr, "explore: %s\n", why.c_str());
  std::exit(2);
}

unsigned line_of(const Fault& fault) {
  std::ifstream in(std::string(WEFT_SOURCE) + "/src/" + fault.file);
  unsigned line = 0;
  int left = fault.nth;
  for (std::string text; std::getline(in, text);) {
    ++line;
    if (text.find(fault.text) != std::string::npos && --left == 0) {
      return line;
    }
  }
  give_up("no line of src/" + fault.file + " has: " + fault.text);
}

std::uint64_t part(std::uint64_t word, const Request& of) noexcept {
  word >>= of.shift;
  return of.bytes == 8 ? word : word & ((std::uint64_t{1} << 8 * of.bytes) - 1);
}
std::uint64_t with_part(std::uint64_t word, const Request& of, std::uint64_t value) noexcept {
  const std::uint64_t ones = of.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * of.bytes) - 1;
  return (word & ~(ones << of.shift)) | ((value & ones) << of.shift);
}

std::uint64_t raw(const void* at, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

std::uint64_t changed(Change change, std::uint64_t before, std::uint64_t operand, std::uint64_t compare) noexcept {
  switch (change) {
    case Change::kAdd: return before + operand;
    case Change::kSet: return operand;
    case Change::kOr: return before | operand;
    case Change::kCompareSwap: return before == compare ? operand : before;
  }
  return before;
}

namespace {

bool ends_with(const char* text, std::string end) {
  end.erase(0, end.starts_with("../") ? 3 : 0);
  const std::size_t length = std::strlen(text);
  return length >= end.size() && std::memcmp(text + length - end.size(), end.data(), end.size()) == 0;
}

const Fault* fault_at(const Site& site) {
  for (std::size_t k = 0; k < g.faults.size(); ++k) {
    if (g.fault_lines[k] == site.line() && ends_with(site.file_name(), g.faults[k].file)) {
      return &g.faults[k];
    }
  }
  return nullptr;
}

int word_of(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  for (std::size_t k = 0; k < g.shared.size(); ++k) {
    if (address - g.shared[k].at < g.shared[k].bytes) {
      return static_cast<int>(k);
    }
  }
  return -1;
}

// Where in its turn a PE is: its stack and registers, and not how it came there. Begins each function that the code
// under test calls: the caller's registers are saved first thing in the frame, and above it is all that the caller has.
// What that has on its stack and no longer uses may tell two places apart that are the same; it is never the other way.
#define WEFT_EXPLORE_ENTER() \
  __builtin_unwind_init();   \
  g.frame = static_cast<const std::byte*>(__builtin_frame_address(0))
constexpr std::size_t kSavedRegisters = 40;  // x86-64: rbx and r12 to r15; rbp is above

Hash place_in_turn() noexcept {
  Hash hash;
  const std::byte* from = g.frame - kSavedRegisters;
  hash.add(from, static_cast<std::size_t>(g.stack.data() + g.stack.size() - from));
  hash.add(static_cast<std::uint64_t>(g.stutters));
  for (int w = 0; w < kWords; ++w) {
    hash.add(g.has_last[w] ? g.last[w] : ~std::uint64_t{0});
  }
  return hash;
}

// What the PE asked for at this place is in its log, or it ends its run here.
std::uint64_t ask(const Request& request) noexcept {
  if (g.played < g.logged) {
    return g.log[g.played++];
  }
  g.next = request;
  g.at = place_in_turn();
  ::setcontext(&g.engine);
  std::abort();
}

Request request(What what, const void* at, std::size_t bytes, std::memory_order order, const Site& site) noexcept {
  Request request;
  request.what = what;
  const int word = word_of(at);
  request.word = static_cast<std::uint8_t>(word);
  request.shift = static_cast<std::uint8_t>(8 * (reinterpret_cast<std::uintptr_t>(at) - g.shared[word].at));
  request.bytes = static_cast<std::uint8_t>(bytes);
  request.order = order;
  request.file = site.file_name();
  request.line = site.line();
  if (const Fault* fault = fault_at(site)) {
    request.is_omitted = fault->kind == Fault::Kind::kOmitted;
    request.order = std::memory_order_relaxed;
  }
  return request;
}

bool is_private(const void* at) noexcept { return !g.running || word_of(at) < 0; }

}  // namespace

void share(const void* at, std::size_t bytes, const char* name) {
  if (g.shared.size() == kWords || bytes > 8) {
    give_up(std::string("no room for word ") + name);
  }
  g.shared.push_back({reinterpret_cast<std::uintptr_t>(at), bytes, name});
}

void check(bool holds, const char* what) noexcept {
  if (!holds && g.error.empty()) {
    g.error = what;
  }
}

int count(int which, int by) noexcept {
  WEFT_EXPLORE_ENTER();
  Request request;
  request.what = What::kCount;
  request.slot = static_cast<std::uint8_t>(which);
  request.operand = static_cast<std::uint64_t>(by);
  g.stutters = false;
  return static_cast<int>(ask(request));
}

std::uint64_t load(const void* at, std::size_t bytes, std::memory_order order, const Site& site) noexcept {
  WEFT_EXPLORE_ENTER();
  if (is_private(at)) {
    return raw(at, bytes);
  }
  const Request what = request(What::kLoad, at, bytes, order, site);
  // A look after a yield that finds something new is the first look, of a PE that was slower.
  const bool is_known = (g.stutters || what.is_omitted) && g.has_last[what.word];
  const std::uint64_t word = is_known ? g.last[what.word] : ask(what);
  g.last[what.word] = word;
  g.has_last[what.word] = true;
  return part(word, what);
}

void store(void* at, std::size_t bytes, std::uint64_t value, std::memory_order order, const Site& site) noexcept {
  WEFT_EXPLORE_ENTER();
  if (is_private(at)) {
    std::memcpy(at, &value, bytes);
    return;
  }
  Request what = request(What::kStore, at, bytes, order, site);
  what.operand = value;
  g.stutters = false;
  ask(what);
}

std::uint64_t update(void* at, std::size_t bytes, Change change, std::uint64_t operand, std::uint64_t compare,
                     std::memory_order order, const Site& site) noexcept {
  WEFT_EXPLORE_ENTER();
  if (is_private(at)) {
    const std::uint64_t before = raw(at, bytes);
    const std::uint64_t after = changed(change, before, operand, compare);
    std::memcpy(at, &after, bytes);
    return before;
  }
  Request what = request(What::kUpdate, at, bytes, order, site);
  what.change = change;
  what.operand = operand;
  what.compare = compare;
  g.stutters = false;
  return part(ask(what), what);
}

void fence(std::memory_order order, const Site& site) noexcept {
  WEFT_EXPLORE_ENTER();
  Request what;
  what.what = What::kFence;
  what.order = order;
  what.file = site.file_name();
  what.line = site.line();
  g.stutters = false;
  if (g.running && fault_at(site) == nullptr) {
    ask(what);
  }
}

void futex_wait(const void* at, std::uint32_t expected, std::uint32_t waiters) noexcept {
  WEFT_EXPLORE_ENTER();
  Request what = request(What::kSleep, at, 4, std::memory_order_seq_cst, Site::current());
  what.operand = waiters;
  what.compare = expected;
  g.stutters = false;
  ask(what);
}

void futex_wake(const void* at, std::uint32_t waiters) noexcept {
  WEFT_EXPLORE_ENTER();
  Request what = request(What::kWake, at, 4, std::memory_order_seq_cst, Site::current());
  what.operand = waiters;
  g.stutters = false;
  ask(what);
}

// Of who stays awake, a yield waits for news; else the looks that follow show nothing new.
void yield(const Site& site) noexcept {
  WEFT_EXPLORE_ENTER();
  if (!g.model->stays_awake) {
    g.stutters = true;
    return;
  }
  Request what;
  what.what = What::kYield;
  what.file = site.file_name();
  what.line = site.line();
  ask(what);
}

// Time stands still, so that a loop comes to where it was.
std::uint64_t now_ns() noexcept { return 0; }

}  // namespace weft::explore

// What the parts of the toy have of each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "job/front_end.hpp"

namespace toy {

inline constexpr weft::boot::Interface kInterface{weft::boot::kInterfaces - 1};

/// Instead of main, where this PE is one of the servers.
void serve() noexcept;

/// What to do with messages, before anybody can send any.
void add_messages();
/// For messages between PEs of a node. All make theirs before any is used.
bool make_boxes();
void leave_boxes();

enum class What : std::uint32_t { kNone, kAsk, kSend, kPut, kGet };

/// A request to a PE of this node, which carries `out` there and brings `in` back. Returns what is answered.
struct Request {
  What what;
  std::uint64_t number;  // the question; of put and get the address
  const void* out = nullptr;
  void* in = nullptr;
  std::size_t bytes = 0;
};
std::uint64_t ask_on_node(int pe, const Request& request);

/// A request of this node's PE `pe`, whose data is there: what is answered.
std::uint64_t serve(int pe, What what, std::uint64_t number, std::byte* data, std::size_t bytes);
/// Where a message of `pe` goes; null: nowhere.
void* landing(int pe, std::size_t bytes);
void has_landed(int pe);
void expect_nothing();

}  // namespace toy

// A front end for tests that stands on the core alone: no symmetric heap, no moved static data; an area of each PE's
// own, messages, memory that is shown to others, and reductions. One thread of a PE calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace toy {

/// All PEs begin, and end. False, with a line said, where this one cannot.
bool begin();
void end();

/// So many PEs, the last ones, serve the others and do not run main: as many as WEFT_TEST_SERVERS says.
int n_servers();
/// Lets one of them leave.
void dismiss(int pe);

int me();
int n_pes();
bool on_this_node(int pe);

/// Into a PE's own area, also one of another node. The bytes are there when it returns.
void put_own(int pe, std::uint64_t offset, const void* from, std::size_t bytes);

/// In this PE's own area.
std::optional<std::uint64_t> allocate(std::uint64_t bytes);
bool release(std::uint64_t offset);
/// A place in the area of a PE of this node.
std::byte* at(int pe, std::uint64_t offset);

/// All PEs have come here, and see what the others did before.
void meet();

/// Asks a PE, and returns what it answers: answer_of(its number, question).
std::uint64_t ask(int pe, std::uint64_t question);
constexpr std::uint64_t answer_of(int pe, std::uint64_t question) {
  return question * 1'000'003 + static_cast<std::uint64_t>(pe);
}

/// The next message of that PE goes there. Before it is sent; what nobody expects, or is longer, is not taken.
void expect(int pe, void* at, std::size_t bytes);
/// `from` may be changed when it returns.
void send(int pe, const void* from, std::size_t bytes);
/// Until what was expected is there.
void receive(int pe);

/// Memory of any kind that others may put to and get from. It is a value that may be sent to them.
struct Region {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t key;  // for other nodes, as is the next
  std::uint64_t base;
};
Region show(void* at, std::size_t bytes);
/// When others have done with it.
void hide(const Region& region);
/// The bytes are there, or here, when it returns.
void put(int pe, const Region& region, std::uint64_t offset, const void* from, std::size_t bytes);
void get(int pe, const Region& region, std::uint64_t offset, void* to, std::size_t bytes);

/// Sums over these PEs, in this order, which all of them and nobody else call; the same on all of them.
void sum(std::span<const int> pes, const std::uint64_t* values, std::uint64_t* sums, std::size_t count);

/// The symmetric memory that other front ends have brought is mapped, as far as the job knows.
bool symmetric_memory();

/// Who waits keeps its processor from others for no more than a few looks at the network, where there is one.
bool yields_to_others();
/// The address lies in memory that a file of the job backs, by the kernel's own account.
bool in_a_file_of_the_job(const void* address);

}  // namespace toy

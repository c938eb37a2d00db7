// What members of a window on different nodes ask of each other (far.hpp, far_home.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "transport/transport.hpp"

namespace weft::win {

inline constexpr transport::Kind kFarKind = transport::first_kind_of(boot::Interface::kMpi);

/// New ones go to the end: the others keep their numbers.
enum class Asks : std::uint8_t {
  kLock,        // answered when the origin is inside
  kLockLate,    // likewise; of an epoch of all members, shared (lock/late.hpp)
  kUnlock,      // all its accesses are complete; not answered
  kPosted,      // a flag of the pair goes up by one; not answered
  kCompleted,   // likewise
  kFind,        // memory that was attached: its key and where that begins
  kChange,      // elements, with data: what goes in
  kSwap,        // one element, with data: what is expected, and what goes in
  kThrough,     // answered, as all that the origin told before has been done
  kChangeRows,  // as kChange, of several rows, which are told of (FarRow) before what goes in
  kChangeMany,  // several changes without results, each as a kChange: runs of them (FarRun)
};

/// The head of a question, or, without a token, of what nobody answers. The answer is a transport::Reply, with data
/// where it has some.
struct Question {
  std::uint64_t token;
  std::uint64_t line;     // where the target's line is in its own area: says which window
  std::uint64_t address;  // in the target; kChangeRows, kChangeMany: how many rows
  std::uint64_t count;    // of elements, of all rows; kFind: bytes
  std::uint32_t origin;   // the rank in the window of who asks
  std::uint32_t op;       // the front end's numbers
  std::uint32_t element;
  Asks asks;
  std::uint8_t exclusive;     // kLock, kUnlock; else 0
  std::uint8_t wants_before;  // kChange, kChangeRows
  std::uint8_t has_data;      // likewise
};
static_assert(sizeof(Question) == transport::kMostHead && std::is_trivially_copyable_v<Question>);

/// Of kChangeMany: so many rows follow, one behind the other, of elements of one kind and an operation. Of each there
/// is a FarRow (far.hpp) and, behind it, what goes in, up to the next multiple of kAlignOfRun bytes.
struct FarRun {
  std::uint32_t op;  // the front end's numbers
  std::uint32_t element;
  std::uint64_t rows;
};
inline constexpr std::size_t kAlignOfRun = 8;
constexpr std::size_t in_run(std::size_t bytes) noexcept { return (bytes + kAlignOfRun - 1) & ~(kAlignOfRun - 1); }

/// Of elements in one question, at most: also what an answer may have.
inline constexpr std::uint64_t kMostOfQuestion = 32768;
static_assert(kMostOfQuestion <= transport::kMostAnswer);

}  // namespace weft::win

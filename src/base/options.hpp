// The environment variables Weft reads, from the one table api/options.def. Used by libweft and by oshrun.
#pragma once

#include <cstdint>
#include <cstdio>

#include "base/result.hpp"

#ifndef WEFT_SAFE
#define WEFT_SAFE 0
#endif

namespace weft::base {

inline constexpr std::int64_t kAuto = -1;

/// Where the heap's pages come from. The order is that of the choices in options.cpp.
enum class HugePages : std::uint8_t { kOff, kThp, kHugetlb };

/// On which NUMA nodes the heap's pages lie. The order is that of the choices in options.cpp.
enum class Numa : std::uint8_t { kOwner, kBind, kInterleave };

/// Who carries out atomic operations inside a node of several. The order is that of the choices in options.cpp.
enum class Amo : std::uint8_t { kAsNetwork, kCpu, kNetwork };

/// How a PE reaches another one's own memory; the order, again.
enum class SingleCopy : std::uint8_t { kBest, kXpmem, kCma, kKnem, kNone };

/// The network of jobs of several nodes; the order, again.
enum class Net : std::uint8_t { kBest, kTcp, kOfi };

namespace option_kind {
struct Size {
  std::uint64_t value = 0;
  bool given = false;  // set by the user, not the default
};
struct Flag {
  bool on = false;
};
struct Count {
  std::int64_t value = kAuto;
};
struct Word {
  std::uint8_t choice = 0;
};
struct Text {
  const char* value = nullptr;  // null: not set, or empty
};
struct Debug {
  bool on = false;         // messages of what the library decides
  bool check = WEFT_SAFE;  // safe mode; a Weft that was built with WEFT_SAFE begins with it
  bool carry_on = false;   // which goes on after a report
  bool leaks = false;      // and at the end tells of all that was not given back
};
using size = Size;
using flag = Flag;
using count = Count;
using word = Word;
using debug = Debug;
using text = Text;
/// Choice 0 is auto; the others are in the order of api/algorithms.def.
using algorithm = Word;
}  // namespace option_kind

/// One member per line of the table, named by its identifier.
struct Options {
#define WEFT_OPTION(identifier, kind, name, older, fallback, text) option_kind::kind identifier{};
#include "../../api/options.def"
#undef WEFT_OPTION

  HugePages pages() const noexcept { return static_cast<HugePages>(huge_pages.choice); }
  Numa placement() const noexcept { return static_cast<Numa>(numa.choice); }
  SingleCopy single_copy_by() const noexcept { return static_cast<SingleCopy>(single_copy.choice); }
  Net network() const noexcept { return static_cast<Net>(net.choice); }
  Amo atomics() const noexcept { return static_cast<Amo>(amo.choice); }
};

/// One line of the table as text.
struct OptionText {
  const char* identifier;
  const char* kind;
  const char* name;
  const char* older;  // "" where there is none
  const char* fallback;
  const char* text;
};

inline constexpr int kOptionCount = 0
#define WEFT_OPTION(identifier, kind, name, older, fallback, text) +1
#include "../../api/options.def"
#undef WEFT_OPTION
    ;

const OptionText& option_text(int index) noexcept;

/// What an option of the kinds word and algorithm may be, a null pointer at the end. Null for other options.
const char* const* option_choices(const char* identifier) noexcept;

/// Reads all options through `lookup` (getenv, or a test's own table). The newer name wins where both are set.
using Lookup = const char* (*)(const char* name);
Result<Options> read_options(Lookup lookup) noexcept;
Result<Options> read_options() noexcept;

/// The value of SHMEM_DEBUG; null: not set.
option_kind::Debug parse_debug(const char* text) noexcept;

/// A positive integer or decimal number and at most one of k, m, g, t; what follows that letter is ignored. The value
/// is rounded up to a whole number of bytes. `name` is the variable, for the message.
Result<std::uint64_t> parse_size(const char* name, const char* text) noexcept;

/// What is known about memory when the size of the heap is decided.
struct MemoryBound {
  std::uint64_t bytes = 0;    // what the job may use; 0 when unknown
  bool is_container = false;  // the bound is a control group's, not the machine's
  std::uint64_t page = 4096;
};

/// Bytes of symmetric heap for each PE: what the user asked for, refused when it cannot fit and WEFT_OVERCOMMIT is not
/// set; else the default, or less where N times the default would take more than 3/4 of the memory.
Result<std::uint64_t> heap_bytes_per_pe(const Options& options, int n_pes, const MemoryBound& memory) noexcept;
/// Of a heap of this size, which heap_bytes_per_pe gave, what the program may use.
std::uint64_t heap_bytes_of_program(const Options& options, std::uint64_t bytes) noexcept;

/// What SHMEM_VERSION and SHMEM_INFO ask for. Printed once per job: by oshrun, or by a PE started without it.
void print_version(std::FILE* out) noexcept;
void print_info(std::FILE* out) noexcept;

/// "3.5 GiB" and the like; `text` must hold kByteTextSize characters. Returns `text`.
inline constexpr int kByteTextSize = 32;
const char* byte_text(std::uint64_t bytes, char* text) noexcept;

}  // namespace weft::base

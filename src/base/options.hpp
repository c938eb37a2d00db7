// The environment variables that all of Weft reads, and OpenSHMEM's, from the one table api/options.def. Used by the
// library and by oshrun. Other front ends have tables of their own (option_table.hpp).
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>

#include "base/option_table.hpp"
#include "base/result.hpp"

namespace weft::base {

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

inline constexpr int kOptionCount = 0
#define WEFT_OPTION(identifier, kind, name, older, fallback, text) +1
#include "../../api/options.def"
#undef WEFT_OPTION
    ;

const OptionText& option_text(int index) noexcept;

/// What an option of the kinds word and algorithm may be, a null pointer at the end. Null for other options.
const char* const* option_choices(const char* identifier) noexcept;

/// The same as a table: OpenSHMEM's own, and what all of Weft reads.
const OptionTable& own_options() noexcept;

/// Reads all of them.
Result<Options> read_options(Lookup lookup) noexcept;
Result<Options> read_options() noexcept;
/// The same for who starts PEs of any front end: it is wrong too what a PE would refuse by its own front end's table.
Result<Options> read_options_with(std::span<const OptionTable* const> others, Lookup lookup = in_environment) noexcept;

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

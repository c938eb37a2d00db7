// Which algorithm an operation uses: what the user named (WEFT_COLL_...), else the first rule that fits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/options.hpp"
#include "base/result.hpp"

namespace weft::coll {

// The order is that of the choices of the options, after "auto".
enum class BarrierAlgorithm : std::uint8_t {
#define WEFT_BARRIER(name, text) name,
#include "api/algorithms.def"
};
enum class BroadcastAlgorithm : std::uint8_t {
#define WEFT_BROADCAST(name, text) name,
#include "api/algorithms.def"
};
enum class CollectAlgorithm : std::uint8_t {
#define WEFT_COLLECT(name, text) name,
#include "api/algorithms.def"
};
enum class AlltoallAlgorithm : std::uint8_t {
#define WEFT_ALLTOALL(name, text) name,
#include "api/algorithms.def"
};
enum class ReduceAlgorithm : std::uint8_t {
#define WEFT_REDUCE(name, text) name,
#include "api/algorithms.def"
};
enum class ScanAlgorithm : std::uint8_t {
#define WEFT_SCAN(name, text) name,
#include "api/algorithms.def"
};

enum class ReduceToAlgorithm : std::uint8_t {
#define WEFT_REDUCE_TO(name, text) name,
#include "api/algorithms.def"
};
enum class PullAlgorithm : std::uint8_t {
#define WEFT_PULL(name, text) name,
#include "api/algorithms.def"
};

/// Once for each shmem_init, before the first barrier: how this PE was told to choose, for the others to see.
void set_up(const base::Options& options) noexcept;
/// After it. An error: not all PEs were told the same, and the same of atomic operations; algorithms that differ would
/// never meet.
base::Result<void> agree(const base::Options& options) noexcept;
/// After that too: whether something is so on any PE of the job, of which this PE knows it for its node.
bool on_any_pe(bool here) noexcept;

/// `bytes`: what the member at hand moves to or from one other; the same on all members. `size`: members.
BroadcastAlgorithm broadcast_algorithm(std::size_t bytes, int size) noexcept;
/// Blocks differ in length and only their owners know how: `bytes` is 0 for collect.
CollectAlgorithm collect_algorithm(int size) noexcept;
CollectAlgorithm fcollect_algorithm(std::size_t bytes, int size) noexcept;
AlltoallAlgorithm alltoall_algorithm(std::size_t bytes, int size, bool strided) noexcept;
ReduceAlgorithm reduce_algorithm(std::size_t bytes, int size) noexcept;
/// Whether people have left the choice to us: then what coll/short.hpp does may take the place of algorithms.
bool nobody_chose_fcollect() noexcept;
bool nobody_chose_alltoall() noexcept;
bool nobody_chose_reduce() noexcept;
bool nobody_chose_pull() noexcept;  // nor how what is pulled is combined
ScanAlgorithm scan_algorithm(std::size_t bytes, int size) noexcept;
/// Of forms.hpp: for a reduction, and for what is read of buffers that lie anywhere, at most so much of each, out of
/// large stages (coll/stage.hpp) or small ones.
ReduceToAlgorithm reduce_to_algorithm(std::size_t bytes, int size) noexcept;
enum class Reads : std::uint8_t {
  all,         // each member reads all of each source
  combined,    // the same bytes of each source, which it combines
  prefixes,    // likewise, of all sources before its own
  one,         // all of one source
  parts,       // of each source a part, nobody else's
  even_parts,  // likewise, all of one length
};
PullAlgorithm pull_algorithm(Reads reads, std::size_t bytes, int size, bool large_stages) noexcept;

}  // namespace weft::coll

// The steps of the suite: one call each, with its contents and the result that the specification asks for.
#ifndef WEFT_TESTS_CONFORMANCE_COLL_OPERATIONS_HPP
#define WEFT_TESTS_CONFORMANCE_COLL_OPERATIONS_HPP

#include "series.hpp"

namespace suite {

// --- moving data -----------------------------------------------------------------------------------------------------

/// The routines of one type, or of one size for active sets, with their arguments as bytes without a type.
struct Mover {
  const char* name;
  std::size_t element;
  int (*broadcast)(const Who&, void* dest, const void* source, std::size_t count, int root, long* psync);
  int (*collect)(const Who&, void* dest, const void* source, std::size_t count, long* psync);
  int (*fcollect)(const Who&, void* dest, const void* source, std::size_t count, long* psync);
  int (*alltoall)(const Who&, void* dest, const void* source, std::size_t count, long* psync);
  int (*alltoalls)(const Who&, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                   std::size_t count, long* psync);
};
const std::vector<Mover>& team_movers();    // 24 types and mem
const std::vector<Mover>& active_movers();  // 32 and 64 bits

Step broadcast_step(const Who& who, const Mover& mover, std::size_t count, int root, std::uint64_t seed);
/// counts[k]: of member k.
Step collect_step(const Who& who, const Mover& mover, const std::vector<std::size_t>& counts, std::uint64_t seed);
Step fcollect_step(const Who& who, const Mover& mover, std::size_t count, std::uint64_t seed);
Step alltoall_step(const Who& who, const Mover& mover, std::size_t count, std::uint64_t seed);
Step alltoalls_step(const Who& who, const Mover& mover, std::size_t count, std::ptrdiff_t dst, std::ptrdiff_t sst,
                    std::uint64_t seed);

// --- combining data --------------------------------------------------------------------------------------------------

/// One reduction or scan of one type.
struct Combiner {
  std::string name;
  std::size_t element;
  /// Member's contents, made so that any order gives the same result.
  void (*fill)(void* into, std::uint64_t seed, int member, std::size_t count);
  /// Result over members 0 to members - 1; a scan's over none is zero.
  void (*expect)(void* into, std::uint64_t seed, int members, std::size_t count);
  bool (*equal)(const void* a, const void* b, std::size_t count);
  int (*call)(const Who&, void* dest, const void* source, std::size_t count, long* psync);
  enum class Kind { reduce, inscan, exscan } kind = Kind::reduce;
};
const std::vector<Combiner>& team_reductions();    // 14 x 3, 24 x 2, 26 x 2
const std::vector<Combiner>& active_reductions();  // 4 x 3, 7 x 2, 9 x 2
const std::vector<Combiner>& scans();              // 26 x 2

Step combine_step(const Who& who, const Combiner& combiner, std::size_t count, bool in_place, std::uint64_t seed);

/// Sums that depend on the order of addition: near the exact one, and the same on all members.
struct Rounding {
  std::string name;
  Combiner combiner;
  bool (*same)(const void* a, const void* b, std::size_t count);
};
const std::vector<Rounding>& rounding_sums();
Step rounding_step(const Who& who, const Rounding& rounding, std::size_t count, bool in_place, std::uint64_t seed);

}  // namespace suite

#endif

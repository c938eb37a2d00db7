// The routines of all interfaces, by the numbers that PEs give to them: for whoever reads records and recordings.
#pragma once

#include <cstdint>
#include <string>

#include "api/kinds.hpp"

namespace weft::calls {

/// As boot::PeRecord::call has it: the interface in the highest byte, its routine below; 0 there: none of it yet.
using Number = std::uint32_t;

/// Whether a front end can have given this number: it is of a table, or of an interface that has no table in this
/// build, as one may be that is younger than the launcher.
bool possible(Number call) noexcept;

/// "shmem_put"; "call 17 of interface 5" where there is no table of it; "" for none and for what is not possible.
std::string name_of(Number call);

/// What it is about; kQuery for what no table has.
api::Kind kind_of(Number call) noexcept;

/// The names of routines in what is said of a whole PE.
struct Words {
  const char* init;      // makes a process a PE
  const char* finalize;  // ends that
  const char* exit;      // ends the job
  const char* member;    // what a PE is called: "PE", "rank"
};
/// Those of the interface that this call is of; where there is no table of it, those of the first one.
Words words_of(Number call) noexcept;

/// The number that is none of its routines.
Number none_of(std::uint32_t interface) noexcept;
std::uint32_t interface_of(Number call) noexcept;
/// How many there are in this build; their numbers begin at 0.
std::uint32_t interfaces() noexcept;
/// An interface by its number; "" where there is no table of it.
const char* interface_name(std::uint32_t interface) noexcept;
/// Routines of an interface, 0 included; 0 where there is no table of it.
std::uint32_t count_of(std::uint32_t interface) noexcept;
/// Differs when the numbers of an interface may mean other routines.
std::uint64_t hash_of(std::uint32_t interface) noexcept;

}  // namespace weft::calls

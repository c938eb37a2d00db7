// What PEs have recorded of the pages that they share (dsm/record.hpp): put together, and told to people.
#pragma once

#include <string>
#include <vector>

#include "report/load.hpp"
#include "report/model.hpp"

namespace weft::report {

/// Of the other members of the profile what no recording of calls has said.
void merge_pages(const Raw& raw, Profile* profile);

/// What has to be known of the memory that moved to give it names. Addresses are those the program was linked for.
struct MovedMemory {
  std::string program{};
  std::uint64_t piece = 0;               // bytes of each of the next
  std::vector<std::uint64_t> statics{};  // pieces of the program's own variables
  std::vector<std::uint64_t> sites{};    // where it got blocks
};
MovedMemory moved_memory(const Raw& raw);
/// In the order of these; "": not known.
struct MovedNames {
  std::vector<std::string> statics{};
  std::vector<std::string> sites{};
};
void name_moved(const Raw& raw, const MovedNames& names, Profile* profile);

/// Nothing where no memory was shared.
std::string pages_tables(const SharedPages& shared);
std::vector<std::string> pages_hints(const SharedPages& shared);
/// PEs that did not come to their end, as far as their calls do not tell of it.
std::string pages_endings(const Profile& profile);

}  // namespace weft::report

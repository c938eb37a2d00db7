// What PEs have recorded of the pages that they share (dsm/record.hpp): put together, and told to people.
#pragma once

#include <string>
#include <vector>

#include "report/load.hpp"
#include "report/model.hpp"

namespace weft::report {

/// Of the other members of the profile what no recording of calls has said.
void merge_pages(const Raw& raw, Profile* profile);

/// Pieces of the program's own variables that moved, each by the address that it was linked for.
struct MovedStatics {
  std::string program{};
  std::uint64_t piece = 0;  // bytes of each
  std::vector<std::uint64_t> addresses{};
};
MovedStatics moved_statics(const Raw& raw);
/// The memory that moved, with the variables' names in the order of these; "": not known.
void name_moved(const Raw& raw, const std::vector<std::string>& names, Profile* profile);

/// Nothing where no memory was shared.
std::string pages_tables(const SharedPages& shared);
std::vector<std::string> pages_hints(const SharedPages& shared);
/// PEs that did not come to their end, as far as their calls do not tell of it.
std::string pages_endings(const Profile& profile);

}  // namespace weft::report

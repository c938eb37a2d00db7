#include <string>

#include "type/datatype.hpp"

namespace weft::type {
namespace {

constexpr const char* kNames[] = {"named",    "dup",      "contiguous",    "vector",         "hvector",
                                  "indexed",  "hindexed", "indexed_block", "hindexed_block", "struct",
                                  "subarray", "darray",   "resized"};
static_assert(sizeof kNames / sizeof *kNames == static_cast<std::size_t>(Made::kResized) + 1);

// A person reads it: what is longer than a line says only how it ends.
constexpr std::size_t kMostNumbers = 6;
constexpr int kMostLevels = 4;

void append(std::string* text, const std::vector<std::int64_t>& numbers, std::size_t* told) {
  for (const std::int64_t number : numbers) {
    if (*told == kMostNumbers) {
      *text += ", ...";
      ++*told;
    }
    if (*told > kMostNumbers) return;
    if (*told > 0) *text += ", ";
    *text += std::to_string(number);
    ++*told;
  }
}

void describe(const Datatype& type, int levels, std::string* text) {
  if (type.name() != nullptr) {
    *text += type.name();
    return;
  }
  const Contents& contents = type.contents();
  *text += kNames[static_cast<std::size_t>(contents.made)];
  if (contents.made != Made::kDup) {
    *text += '(';
    std::size_t told = 0;
    append(text, contents.integers, &told);
    append(text, contents.addresses, &told);
    append(text, contents.counts, &told);
    *text += ')';
  }
  if (contents.types.empty()) return;
  *text += " of ";
  if (levels == 0) {
    *text += "...";
    return;
  }
  describe(*contents.types.front(), levels - 1, text);
  if (contents.types.size() > 1) *text += " and " + std::to_string(contents.types.size() - 1) + " more";
}

}  // namespace

std::string Datatype::text() const {
  std::string text;
  describe(*this, kMostLevels, &text);
  return text;
}

}  // namespace weft::type

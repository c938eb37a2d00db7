// What somebody may have meant who wrote a word that does not exist.
#pragma once

#include <span>
#include <string_view>

namespace weft::base {

/// The word that is nearest to `given`; empty when none is so near that it was a slip.
std::string_view nearest(std::string_view given, std::span<const std::string_view> words) noexcept;

}  // namespace weft::base

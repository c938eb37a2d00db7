#include "omp/sites/sites.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::omp::sites {
namespace {

using Bytes = std::span<const std::byte>;

// What is to be known of all functions before instructions are moved.
struct Jumps {
  std::vector<std::uint64_t> targets;
  // Of each function: a jump may go to any place in it.
  std::vector<bool> anywhere;
};

struct Ways {
  std::uint64_t from;  // function, by its number
  std::uint64_t to;
};

std::size_t number_at(const Functions& functions, std::uint64_t at) noexcept {
  const auto next = std::upper_bound(functions.ranges.begin(), functions.ranges.end(), at,
                                     [](std::uint64_t a, const Function& b) { return a < b.from; });
  const auto number = static_cast<std::size_t>(next - functions.ranges.begin());
  return number > 0 && at < functions.ranges[number - 1].to ? number - 1 : functions.ranges.size();
}

bool is_among(const std::vector<std::uint64_t>& sorted, std::uint64_t value) noexcept {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

Bytes code_of(Bytes file, const Function& function) noexcept {
  const Bytes loaded = loaded_at(file, function.from);
  return loaded.first(std::min<std::size_t>(loaded.size(), function.to - function.from));
}

// Lock prefixes, exchanges with memory, the fence: many functions have none of these bytes.
bool may_have_sites(Bytes code) noexcept {
  const auto at = [&](std::size_t k) noexcept { return k < code.size() ? static_cast<unsigned>(code[k]) : 0u; };
  for (std::size_t k = 0; k < code.size(); ++k) {
    constexpr unsigned kLock = 0xf0;  // and the last byte of mfence
    constexpr unsigned kExchange = 0x86;
    constexpr unsigned kOfRegisters = 0xc0;
    if (at(k) == kLock || ((at(k) | 1) == (kExchange | 1) && at(k + 1) < kOfRegisters)) {
      return true;
    }
  }
  return false;
}

// A function's instructions, from beginning to end. False: they do not come out there.
template <class Visit>
bool walk(Bytes code, std::uint64_t from, Decode* decode, Visit&& visit) noexcept {
  Instruction is;
  for (std::size_t at = 0; at < code.size(); at += is.length) {
    if (!decode(code.data() + at, code.size() - at, from + at, is) || is.length == 0 || is.length > code.size() - at) {
      return false;
    }
    visit(from + at, is);
  }
  return true;
}

void look_into(Bytes code, const Function& function, Decode* decode, Sites& found) noexcept {
  std::vector<bool> begins(code.size());
  std::vector<std::uint64_t> targets;
  const std::size_t before = found.sites.size();
  bool is_clear = true;
  is_clear =
      walk(code, function.from, decode,
           [&](std::uint64_t at, const Instruction& is) {
             begins[at - function.from] = true;
             if (is.kind == Kind::kJump && is.target > function.from && is.target - function.from < code.size()) {
               targets.push_back(is.target);
             }
             is_clear = is_clear && is.kind != Kind::kUnclear;
             if (is.kind == Kind::kAtomic || is.kind == Kind::kFence) {
               Site& site = found.sites.emplace_back();
               site.at = at;
               site.is = is;
               site.taken = is.length;
             }
           }) &&
      is_clear;
  is_clear = is_clear && std::all_of(targets.begin(), targets.end(),
                                     [&](std::uint64_t target) { return begins[target - function.from]; });
  // Where its instructions begin is not known, so neither is which of its bytes are such.
  if (!is_clear) {
    found.sites.resize(before);
    found.unclear.push_back(function.from);
  }
}

// Parts of one function, as compilers split it, jump into each other; a table of the one may name places in the other.
void spread(const std::vector<Ways>& ways, std::vector<bool>& anywhere) noexcept {
  for (bool more = true; more;) {
    more = false;
    for (const Ways& each : ways) {
      if (anywhere[each.from] != anywhere[each.to]) {
        anywhere[each.from] = anywhere[each.to] = more = true;
      }
    }
  }
}

Jumps find_jumps(Bytes file, const Functions& functions, Decode* decode) noexcept {
  Jumps found;
  found.anywhere.resize(functions.ranges.size());
  std::vector<Ways> ways;
  for (std::size_t number = 0; number < functions.ranges.size(); ++number) {
    const Function& function = functions.ranges[number];
    const bool is_clear =
        walk(code_of(file, function), function.from, decode, [&](std::uint64_t, const Instruction& is) {
          if (is.kind == Kind::kIndirect) {
            found.anywhere[number] = true;
          } else if (is.kind == Kind::kJump || (is.kind == Kind::kCall && is.target != 0)) {
            found.targets.push_back(is.target);
            const std::size_t there = is.kind == Kind::kJump ? number_at(functions, is.target) : number;
            if (there != number && there < functions.ranges.size()) {
              ways.push_back({number, there});
            }
          }
        });
    if (!is_clear || function.has_landings) {
      found.anywhere[number] = true;
    }
  }
  std::sort(found.targets.begin(), found.targets.end());
  found.targets.erase(std::unique(found.targets.begin(), found.targets.end()), found.targets.end());
  spread(ways, found.anywhere);
  return found;
}

// Jumps of one byte and of four; not those by a count.
bool may_move(Bytes at, const Instruction& is) noexcept {
  if (is.kind == Kind::kJump) {
    const auto first = static_cast<unsigned>(at[0]);
    const unsigned second = is.length > 1 ? static_cast<unsigned>(at[1]) : 0;
    return (first >= 0x70 && first <= 0x7f) || first == 0xeb || first == 0xe9 ||
           (first == 0x0f && second >= 0x80 && second <= 0x8f);
  }
  return is.kind == Kind::kOther && !is.names_rip;
}

// Nobody comes in behind the beginning of what is taken.
Site with_room(Site site, Bytes file, const Functions& functions, const Jumps& jumps, Decode* decode) noexcept {
  const Site alone = site;
  const std::size_t number = number_at(functions, site.at);
  if (number == functions.ranges.size() || jumps.anywhere[number]) {
    return alone;
  }
  const Function& function = functions.ranges[number];
  const Bytes code = code_of(file, function).subspan(site.at - function.from);
  while (site.taken < kJumpBytes) {
    const std::uint64_t here = site.at + site.taken;
    Instruction next;
    if (site.taken >= code.size() || !decode(code.data() + site.taken, code.size() - site.taken, here, next) ||
        !may_move(code.subspan(site.taken), next) || is_among(jumps.targets, here) ||
        is_among(functions.entries, here)) {
      return alone;
    }
    site.moved[site.n_moved++] = {next.kind == Kind::kJump ? next.target : 0, next.length};
    site.taken = static_cast<std::uint8_t>(site.taken + next.length);
  }
  return site;
}

}  // namespace

bool may_have_sites(std::span<const std::byte> file, const Functions& functions) noexcept {
  return std::any_of(functions.ranges.begin(), functions.ranges.end(),
                     [&](const Function& function) { return may_have_sites(code_of(file, function)); });
}

Sites find_sites(std::span<const std::byte> file, const Functions& functions, Decode* decode) noexcept {
  Sites found;
  for (const Function& function : functions.ranges) {
    const Bytes code = code_of(file, function);
    if (may_have_sites(code)) {
      look_into(code, function, decode, found);
    }
  }
  const auto is_short = [](const Site& site) noexcept { return site.is.length < kJumpBytes; };
  if (std::any_of(found.sites.begin(), found.sites.end(), is_short)) {
    const Jumps jumps = find_jumps(file, functions, decode);
    for (Site& site : found.sites) {
      if (is_short(site)) {
        site = with_room(site, file, functions, jumps, decode);
      }
    }
  }
  return found;
}

}  // namespace weft::omp::sites

#include "calls/calls.hpp"

#include <iterator>

#include "api/interfaces.hpp"

namespace weft::calls {
namespace {

constexpr std::uint32_t kIndexMask = (std::uint32_t{1} << api::kInterfaceShift) - 1;
// More than any interface has. A number beyond it was not given by one that is only unknown here.
constexpr std::uint32_t kMostCalls = 1 << 16;

constexpr std::uint32_t index_of(Number call) { return call & kIndexMask; }

constexpr std::uint64_t hash_of_names(const api::Interface& table) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const char* name = table.names;
  for (std::uint32_t k = 0; k < table.calls; ++name) {
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
    k += *name == '\0' ? 1 : 0;
  }
  return hash;
}

// Found when this is compiled: it takes longer than reading a recording.
struct Hashes {
  std::uint64_t of[std::size(api::kInterfaces)]{};
  constexpr Hashes() {
    for (std::size_t k = 0; k < std::size(api::kInterfaces); ++k) of[k] = hash_of_names(api::kInterfaces[k]);
  }
};
constexpr Hashes kHashes;

// Null: no table.
const api::Interface* table_of(std::uint32_t interface) noexcept {
  if (interface >= std::size(api::kInterfaces)) return nullptr;
  const api::Interface& table = api::kInterfaces[interface];
  return table.name != nullptr ? &table : nullptr;
}

const api::Interface* table_of_call(Number call) noexcept {
  const api::Interface* table = table_of(call >> api::kInterfaceShift);
  return table != nullptr && index_of(call) != 0 && index_of(call) < table->calls ? table : nullptr;
}

const char* name_in(const api::Interface& table, std::uint32_t index) noexcept { return table.names + table.at[index]; }

}  // namespace

bool possible(Number call) noexcept {
  const std::uint32_t interface = call >> api::kInterfaceShift;
  if (const api::Interface* table = table_of(interface); table != nullptr) return index_of(call) < table->calls;
  return interface < api::kMostInterfaces && index_of(call) != 0 && index_of(call) < kMostCalls;
}

std::string name_of(Number call) {
  if (const api::Interface* table = table_of_call(call); table != nullptr) return name_in(*table, index_of(call));
  if (index_of(call) == 0 || !possible(call)) return {};
  return "call " + std::to_string(index_of(call)) + " of interface " + std::to_string(call >> api::kInterfaceShift);
}

api::Kind kind_of(Number call) noexcept {
  const api::Interface* table = table_of_call(call);
  return table == nullptr ? api::Kind::kQuery : table->kinds[index_of(call)];
}

Words words_of(Number call) noexcept {
  const api::Interface* table = table_of(call >> api::kInterfaceShift);
  const api::Interface& speaks = table == nullptr ? api::kInterfaces[0] : *table;
  return {speaks.init, speaks.finalize, speaks.exit, speaks.member};
}

Number none_of(std::uint32_t interface) noexcept { return interface << api::kInterfaceShift; }
std::uint32_t interface_of(Number call) noexcept { return call >> api::kInterfaceShift; }

std::uint32_t interfaces() noexcept { return static_cast<std::uint32_t>(std::size(api::kInterfaces)); }

const char* interface_name(std::uint32_t interface) noexcept {
  const api::Interface* table = table_of(interface);
  return table == nullptr ? "" : table->name;
}

std::uint32_t count_of(std::uint32_t interface) noexcept {
  const api::Interface* table = table_of(interface);
  return table == nullptr ? 0 : table->calls;
}

std::uint64_t hash_of(std::uint32_t interface) noexcept {
  return table_of(interface) == nullptr ? 0 : kHashes.of[interface];
}

}  // namespace weft::calls

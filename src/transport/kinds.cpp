#include "transport/kinds.hpp"

namespace weft::transport {
namespace {

constinit Kinds g_kinds{};

}  // namespace

Kinds& kinds() noexcept { return g_kinds; }

}  // namespace weft::transport

#include "sync/beside.hpp"

namespace weft::sync {

constinit bool g_looks_elsewhere = false;

}  // namespace weft::sync

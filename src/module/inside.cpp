// In each module, what libweft.so tells it when it is loaded.
#include <type_traits>

#include "module/module.hpp"

extern "C" [[gnu::visibility("default")]] void weft_module_no_memory(weft::base::NoMemory how) {
  weft::base::set_no_memory(how);
}
static_assert(std::is_same_v<decltype(&weft_module_no_memory), weft::module::NoMemoryFunction>);

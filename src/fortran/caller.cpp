#include "fortran/caller.hpp"

#include "shmem/support.hpp"

namespace weft::fortran {

constinit thread_local Caller t_caller;

namespace {

const char* routine() noexcept { return t_caller.routine; }
const void* site() noexcept { return t_caller.site; }

// For as long as this library is loaded, which can end before libweft.so's life does.
struct Registration {
  Registration() noexcept { weft_support_set_caller(routine, site); }
  ~Registration() { weft_support_set_caller(nullptr, nullptr); }
};
const Registration g_registration;

}  // namespace
}  // namespace weft::fortran

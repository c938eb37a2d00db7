#include "fortran/caller.hpp"

#include "shmem/support.hpp"

namespace weft::fortran {

constinit thread_local const char* t_caller = nullptr;

namespace {

const char* caller() noexcept { return t_caller; }

// For as long as this library is loaded, which can end before libweft.so's life does.
struct Registration {
  Registration() noexcept { weft_support_set_caller_name(caller); }
  ~Registration() { weft_support_set_caller_name(nullptr); }
};
const Registration g_registration;

}  // namespace
}  // namespace weft::fortran

// The predefined handles of the Fortran module. Fortran cannot initialise a variable with the address of a C object, so
// it defines them empty and this fills them in before the program begins.
#define WEFT_NO_INLINE
#include <shmem.h>

extern "C" {
extern shmem_ctx_t weft_fortran_ctx_default;
extern shmem_team_t weft_fortran_team_world;
extern shmem_team_t weft_fortran_team_shared;
}

namespace {

__attribute__((constructor)) void fill_in() {
  weft_fortran_ctx_default = SHMEM_CTX_DEFAULT;
  weft_fortran_team_world = SHMEM_TEAM_WORLD;
  weft_fortran_team_shared = SHMEM_TEAM_SHARED;
}

}  // namespace

// The Fortran routines that are more than a call of a C routine. Names and arguments are those of api/fortran.toml.
#pragma once

#include <cstddef>

namespace weft::fortran {

void shmem_info_get_name(char* name, std::size_t length) noexcept;

// Cray pointers: *addr is the address. abort != 0: an error ends the program.
void shpalloc(void** addr, const int* length, int* errcode, const int* abort) noexcept;
void shpdeallc(void** addr, int* errcode, const int* abort) noexcept;
void shpclmove(void** addr, const int* length, int* status, const int* abort) noexcept;

void shmem_set_lock(int* lock) noexcept;
void shmem_clear_lock(int* lock) noexcept;
int shmem_test_lock(int* lock) noexcept;

}  // namespace weft::fortran

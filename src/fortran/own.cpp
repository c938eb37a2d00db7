#include "fortran/own.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#define WEFT_NO_INLINE
#include <shmem.h>

#include "fortran/arguments.hpp"
#include "fortran/caller.hpp"
#include "shmem/support.hpp"

namespace weft::fortran {

std::size_t count(const char* argument, const int* number) noexcept {
  if (*number < 0) {
    char text[100];
    std::snprintf(text, sizeof text, "%s is %d; give a number of elements, 0 or more", argument, *number);
    weft_support_fail(t_caller.routine, text);
  }
  return static_cast<std::size_t>(*number);
}

int reduce_count(const int* number) noexcept { return static_cast<int>(count("nreduce", number)); }

void shmem_info_get_name(char* name, std::size_t length) noexcept {
  char vendor[SHMEM_MAX_NAME_LEN];
  ::shmem_info_get_name(vendor);
  const std::size_t used = std::strlen(vendor) < length ? std::strlen(vendor) : length;
  std::fill(std::copy_n(vendor, used, name), name + length, ' ');
}

void shmem_set_lock(int* lock) noexcept { weft_support_set_lock(lock); }
void shmem_clear_lock(int* lock) noexcept { weft_support_clear_lock(lock); }
int shmem_test_lock(int* lock) noexcept { return weft_support_test_lock(lock); }

}  // namespace weft::fortran

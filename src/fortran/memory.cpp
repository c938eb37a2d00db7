#include <cstdio>

#define WEFT_NO_INLINE
#include <shmem.h>

#include "fortran/caller.hpp"
#include "fortran/own.hpp"
#include "shmem/support.hpp"

namespace weft::fortran {
namespace {

// OpenSHMEM 1.4, 9.3.3 to 9.3.5.
enum Error { kNone = 0, kLength = -1, kNoMemory = -2, kOutside = -3, kFree = -4, kInside = -5 };

constexpr std::size_t kWord = 4;  // lengths are in words of 32 bits

// What went wrong, for the program or, when it wants to end on errors, for people.
int report(int error, const int* abort, const void* addr, int length) noexcept {
  if (error >= kNone || *abort == 0) {
    return error;
  }
  char text[200];
  switch (error) {
    case kLength:
      std::snprintf(text, sizeof text, "length is %d; give the number of 32-bit words, 1 or more", length);
      break;
    case kNoMemory:
      std::snprintf(text, sizeof text,
                    "the symmetric heap has no room for %d words of 32 bits; make it larger with "
                    "SHMEM_SYMMETRIC_SIZE",
                    length);
      break;
    case kOutside:
      std::snprintf(text, sizeof text, "%p is not in the symmetric heap; give an address that SHPALLOC gave", addr);
      break;
    case kFree: std::snprintf(text, sizeof text, "the block at %p is free already; give it back once", addr); break;
    default: std::snprintf(text, sizeof text, "%p is inside a block; give the address that SHPALLOC gave", addr); break;
  }
  weft_support_fail(t_caller.routine, text);
}

std::size_t bytes_of(int words) noexcept { return static_cast<std::size_t>(words) * kWord; }

}  // namespace

void shpalloc(void** addr, const int* length, int* errcode, const int* abort) noexcept {
  int error = kLength;
  *addr = nullptr;
  if (*length > 0) {
    *addr = shmem_malloc(bytes_of(*length));
    error = *addr == nullptr ? kNoMemory : kNone;
  }
  *errcode = report(error, abort, *addr, *length);
}

void shpdeallc(void** addr, int* errcode, const int* abort) noexcept {
  const int error = weft_support_block(*addr);
  if (error == kNone) {
    shmem_free(*addr);
  }
  *errcode = report(error, abort, *addr, 0);
}

void shpclmove(void** addr, const int* length, int* status, const int* abort) noexcept {
  int state = *length > 0 ? weft_support_block(*addr) : kLength;
  if (state == kNone) {
    void* moved = shmem_realloc(*addr, bytes_of(*length));
    if (moved == nullptr) {
      state = kNoMemory;
    } else if (moved != *addr) {
      *addr = moved;
      state = 1;
    }
  }
  *status = report(state, abort, *addr, *length);
}

}  // namespace weft::fortran

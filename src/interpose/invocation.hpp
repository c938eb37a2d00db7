// One call of a routine as its wrapper found it. What a routine does not have is zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/calls.hpp"
#include "api/ops.hpp"
#include "interpose/library.hpp"

namespace weft::interpose {

struct Invocation {
  api::Call call{};
  api::Op op{};
  std::size_t element = 0;  // bytes; 0 where there are no elements

  // In the order of [role] in api/types.toml, which says of which parameters they are.
  shmem_ctx_t ctx = nullptr;  // SHMEM_CTX_DEFAULT in routines without one
  shmem_team_t team = nullptr;
  shmem_team_t other_team = nullptr;
  const void* dest = nullptr;  // or the only address: of a wait, a lock, a block
  const void* source = nullptr;
  const void* fetch = nullptr;
  const void* signal = nullptr;
  std::size_t count = 0;  // as given: of a negative int a huge number
  std::size_t block = 0;
  std::ptrdiff_t dest_stride = 0;
  std::ptrdiff_t source_stride = 0;
  int pe = 0;
  int root = 0;
  int start = 0;
  int stride = 0;  // of an active set its logarithm; of a split in two the length of a row
  int size = 0;
  const void* psync = nullptr;
  const void* work = nullptr;
  const void* status = nullptr;
  const void* indices = nullptr;
  int compare = 0;
  const void* values = nullptr;  // the values compared with, or the PEs listed
  int signal_op = 0;
  std::size_t alignment = 0;
  long options = 0;
  void* made = nullptr;  // where the new handle goes
  void* made_too = nullptr;
  std::size_t bytes = 0;  // of an allocation; of calloc, for each of `count`

  const void* site = nullptr;  // return address: where the program goes on
};

}  // namespace weft::interpose

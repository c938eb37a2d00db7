// Info objects: keys and values in the order in which they were set.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/objects.hpp"

namespace weft::mpi {

struct Info : Object {
  using Handle = MPI_Info;
  static constexpr HandleKind kKind = HandleKind::kInfo;
  struct Pair {
    std::string key;
    std::string value;
  };
  std::vector<Pair> pairs;

  const std::string* get(const char* key) const noexcept;
  void set(const char* key, const char* value) noexcept;
};

/// Bytes that a value of mpi_minimum_memory_alignment asks for; 0: none that can be. It may be null.
std::uint64_t alignment_in(const std::string* value) noexcept;

/// Gives the program an info object. Null is one without memory. Returns what the call does.
int give_info(Info* made, MPI_Info* info) noexcept;

/// MPI_INFO_ENV; what is known of the start is in it from MPI_Init on.
Info& info_env() noexcept;
void set_up_info() noexcept;
/// The keys of MPI_INFO_ENV. `argv` may be null: then it is read from the system.
void describe_start(Info& info, int argc, char** argv, const char* thread_level) noexcept;

int info_create(MPI_Info* info) noexcept;
int info_create_env(int argc, char** argv, MPI_Info* info) noexcept;
int info_delete(Info& info, const char* key) noexcept;
int info_dup(const Info& info, MPI_Info* newinfo) noexcept;
int info_free(MPI_Info* info) noexcept;
int info_get(const Info& info, const char* key, int valuelen, char* value, int* flag) noexcept;
int info_get_nkeys(const Info& info, int* nkeys) noexcept;
int info_get_nthkey(const Info& info, int n, char* key) noexcept;
int info_get_string(const Info& info, const char* key, int* buflen, char* value, int* flag) noexcept;
int info_get_valuelen(const Info& info, const char* key, int* valuelen, int* flag) noexcept;
int info_set(Info& info, const char* key, const char* value) noexcept;

}  // namespace weft::mpi

// Statuses: the members that programs read, and what the library keeps in the others.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/datatypes.hpp"

namespace weft::mpi {

/// In MPI_internal: how many bytes have come, in two words, and whether the operation was cancelled.
std::uint64_t bytes_of(const MPI_Status& status) noexcept;
void set_bytes(MPI_Status& status, std::uint64_t bytes) noexcept;
bool is_cancelled(const MPI_Status& status) noexcept;

/// How many whole datatypes, or elements, have come; MPI_UNDEFINED where that is no whole number, or does not fit.
int get_count(const MPI_Status* status, const Datatype& datatype, int* count) noexcept;
int get_count(const MPI_Status* status, const Datatype& datatype, MPI_Count* count) noexcept;
int get_elements(const MPI_Status* status, const Datatype& datatype, int* count) noexcept;
int get_elements(const MPI_Status* status, const Datatype& datatype, MPI_Count* count) noexcept;
int status_set_elements(MPI_Status* status, const Datatype& datatype, MPI_Count count) noexcept;

int status_get_error(const MPI_Status* status, int* error) noexcept;
int status_get_source(const MPI_Status* status, int* source) noexcept;
int status_get_tag(const MPI_Status* status, int* tag) noexcept;
int status_set_cancelled(MPI_Status* status, int flag) noexcept;
int status_set_error(MPI_Status* status, int error) noexcept;
int status_set_source(MPI_Status* status, int source) noexcept;
int status_set_tag(MPI_Status* status, int tag) noexcept;
int test_cancelled(const MPI_Status* status, int* flag) noexcept;

}  // namespace weft::mpi

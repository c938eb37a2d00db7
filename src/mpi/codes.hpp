// Error classes and codes: the standard's, and those that programs add.
#pragma once

#include <cstddef>

namespace weft::mpi {

/// An error code that is one: the standard's are classes too.
bool is_code(int code) noexcept;
/// Its class; MPI_ERR_UNKNOWN for none.
int class_of(int code) noexcept;
/// "MPI_ERR_RANK" for the standard's; nullptr for others.
const char* name_of_code(int code) noexcept;
/// What MPI_Error_string says, MPI_MAX_ERROR_STRING long. False: it is no code.
bool string_of(int code, char* text) noexcept;

/// New ones; 0 when there are too many.
int add_class() noexcept;
int add_code(int of_class) noexcept;
/// False: it is none that a program has added.
bool set_string(int code, const char* text) noexcept;
enum class Removed { kYes, kNotAdded, kInUse, kHasText };
Removed remove_class(int code) noexcept;
Removed remove_code(int code) noexcept;
Removed remove_string(int code) noexcept;

/// The attribute MPI_LASTUSEDCODE of each communicator.
int* last_used_code() noexcept;

}  // namespace weft::mpi

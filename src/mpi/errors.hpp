// How errors are told: error handlers, and the one way by which a call fails.
#pragma once

#include <mpi.h>

#include <atomic>

#include "mpi/objects.hpp"

namespace weft::mpi {

struct Watched;

struct Errhandler : Object {
  using Handle = MPI_Errhandler;
  static constexpr HandleKind kKind = HandleKind::kErrhandler;
  enum class Does { kFatal, kAbort, kReturn, kCall };
  Does does = Does::kFatal;
  HandleKind of = HandleKind::kComm;  // kCall: what it is called with
  void (*function)() = nullptr;       // kCall: as the program gave it
  // How often the program has it: each that it got it frees. Users are these, all in one, and objects that have it.
  unsigned held = 1;
};

/// What has an error handler: a communicator, a window, a file, a session.
struct Watched : Object {
  std::atomic<Errhandler*> handler = nullptr;  // null: the process's first one, MPI_ERRORS_ARE_FATAL
  HandleKind kind = HandleKind::kComm;
};

/// The call fails with that code: its object's error handler is called, or the job ends with a line. Null: it is about
/// no object. Returns the code, for the call to return. The text names the argument and the value.
[[gnu::format(printf, 3, 4)]] int raise(Watched* on, int code, const char* format, ...) noexcept;

/// The same where an argument is no handle of that kind.
int raise_handle(Watched* on, HandleKind kind, const void* handle, const char* argument) noexcept;

/// The same for a code of the program's own.
int call_handler(Watched& on, int code) noexcept;

void set_up_errors() noexcept;

int add_error_class(int* errorclass) noexcept;
int add_error_code(int errorclass, int* errorcode) noexcept;
int add_error_string(int errorcode, const char* string) noexcept;
int comm_call_errhandler(Watched& comm, int errorcode) noexcept;
int comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) noexcept;
int comm_get_errhandler(Watched& comm, MPI_Errhandler* errhandler) noexcept;
int comm_set_errhandler(Watched& comm, Errhandler& errhandler) noexcept;
int errhandler_free(MPI_Errhandler* errhandler) noexcept;
int error_class(int errorcode, int* errorclass) noexcept;
int error_string(int errorcode, char* string, int* resultlen) noexcept;
int remove_error_class(int errorclass) noexcept;
int remove_error_code(int errorcode) noexcept;
int remove_error_string(int errorcode) noexcept;

}  // namespace weft::mpi

#include "mpi/errors.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>

#include "base/lines.hpp"
#include "job/node.hpp"
#include "mpi/calls.hpp"
#include "mpi/codes.hpp"
#include "mpi/communicators.hpp"
#include "mpi/environment.hpp"
#include "mpi/windows.hpp"

namespace weft::mpi {
namespace {

constexpr int kMostText = 512;

// Of what the program holds.
constinit std::mutex g_held;

constinit Errhandler g_fatal{};
constinit Errhandler g_abort{};
constinit Errhandler g_return{};

// MPI-4 has errors that are about no object raised on MPI_COMM_SELF, and MPI-3 on MPI_COMM_WORLD. A program that has
// set one of the two means it.
Watched* who_hears(Watched* on) noexcept {
  if (on != nullptr || !running()) {
    return on;
  }
  // Acquire: pairs with who set it.
  return comm_self().handler.load(std::memory_order_acquire) != nullptr ? &comm_self() : &comm_world();
}

Errhandler& handler_of(const Watched* on) noexcept {
  // Acquire: the handler was made before it was set.
  Errhandler* const set = on == nullptr || !running() ? nullptr : on->handler.load(std::memory_order_acquire);
  return set == nullptr ? g_fatal : *set;
}

const char* code_text(int code, char* text, std::size_t size) noexcept {
  if (const char* name = name_of_code(code); name != nullptr) {
    return name;
  }
  const char* of_class = name_of_code(class_of(code));
  (void)std::snprintf(text, size, "error code %d%s%s", code, of_class != nullptr ? " of class " : "",
                      of_class != nullptr ? of_class : "");
  return text;
}

template <class T>
void call(const Errhandler& handler, T object, int code) noexcept {
  const CallKept kept;
  reinterpret_cast<void (*)(T*, int*, ...)>(handler.function)(&object, &code);
}

void call(const Errhandler& handler, const Watched& on, int code) noexcept {
  switch (handler.of) {
    case HandleKind::kWin: return call(handler, handle_of<MPI_Win>(on.number), code);
    case HandleKind::kFile: return call(handler, handle_of<MPI_File>(on.number), code);
    case HandleKind::kSession: return call(handler, handle_of<MPI_Session>(on.number), code);
    default: return call(handler, handle_of<MPI_Comm>(on.number), code);
  }
}

int tell(Watched* on, int code, const char* text) noexcept {
  Watched* const hears = who_hears(on);
  const Errhandler& handler = handler_of(hears);
  char unnamed[96];
  switch (handler.does) {
    case Errhandler::Does::kFatal:
    case Errhandler::Does::kAbort:
      // Whoever fails takes the job along: all that is left of MPI_ERRORS_ABORT's difference is processes that
      // MPI_COMM_SELF does not have, and they could not go on without this one.
      base::fail(job::current_call(), "%s (%s)", text, code_text(code, unnamed, sizeof unnamed));
    case Errhandler::Does::kReturn:
      base::debug("%s: %s (%s)", job::current_call(), text, code_text(code, unnamed, sizeof unnamed));
      break;
    case Errhandler::Does::kCall:
      base::debug("%s: %s (%s)", job::current_call(), text, code_text(code, unnamed, sizeof unnamed));
      call(handler, *hears, code);
      break;
  }
  return code;
}

int create_handler(HandleKind of, const char* argument, void (*function)(), MPI_Errhandler* errhandler) noexcept {
  if (function == nullptr) {
    return raise(nullptr, MPI_ERR_ARG, "%s: is null", argument);
  }
  auto* const made = new (std::nothrow) Errhandler;
  if (made == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for an error handler");
  }
  made->does = Errhandler::Does::kCall;
  made->of = of;
  made->function = function;
  return publish(made, errhandler) ? MPI_SUCCESS : raise(nullptr, MPI_ERR_NO_MEM, "there are too many error handlers");
}

}  // namespace

int raise(Watched* on, int code, const char* format, ...) noexcept {
  char text[kMostText];
  va_list args;
  va_start(args, format);
  (void)std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return tell(on, code, text);
}

int raise_handle(Watched* on, HandleKind kind, const void* handle, const char* argument) noexcept {
  char text[160];
  describe_handle(kind, handle, text, sizeof text);
  return raise(on, text_of(kind).error, "%s: %s", argument, text);
}

int call_handler(Watched& on, int code) noexcept { return tell(&on, code, "the program raised an error"); }

void set_up_errors() noexcept {
  struct Predefined {
    Errhandler* handler;
    Errhandler::Does does;
    MPI_Errhandler handle;
  };
  const Predefined all[] = {{&g_fatal, Errhandler::Does::kFatal, MPI_ERRORS_ARE_FATAL},
                            {&g_abort, Errhandler::Does::kAbort, MPI_ERRORS_ABORT},
                            {&g_return, Errhandler::Does::kReturn, MPI_ERRORS_RETURN}};
  for (const Predefined& each : all) {
    each.handler->does = each.does;
    each.handler->number = number_of(each.handle);
    set_predefined(HandleKind::kErrhandler, each.handler->number, each.handler);
  }
}

int add_error_class(int* errorclass) noexcept {
  *errorclass = add_class();
  return *errorclass != 0 ? MPI_SUCCESS : raise(nullptr, MPI_ERR_NO_MEM, "there are too many error classes");
}

int add_error_code(int errorclass, int* errorcode) noexcept {
  if (!is_code(errorclass) || class_of(errorclass) != errorclass) {
    return raise(nullptr, MPI_ERR_ARG, "errorclass: %d is no error class", errorclass);
  }
  *errorcode = add_code(errorclass);
  return *errorcode != 0 ? MPI_SUCCESS : raise(nullptr, MPI_ERR_NO_MEM, "there are too many error codes");
}

int add_error_string(int errorcode, const char* string) noexcept {
  return set_string(errorcode, string)
             ? MPI_SUCCESS
             : raise(nullptr, MPI_ERR_ARG, "errorcode: %d is no error code that the program has added", errorcode);
}

int comm_call_errhandler(Watched& comm, int errorcode) noexcept {
  if (!is_code(errorcode)) {
    return raise(&comm, MPI_ERR_ARG, "errorcode: %d is no error code", errorcode);
  }
  (void)call_handler(comm, errorcode);
  return MPI_SUCCESS;
}

int comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) noexcept {
  return create_handler(HandleKind::kComm, "comm_errhandler_fn", reinterpret_cast<void (*)()>(function), errhandler);
}

int win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) noexcept {
  return create_handler(HandleKind::kWin, "win_errhandler_fn", reinterpret_cast<void (*)()>(function), errhandler);
}

int comm_get_errhandler(Watched& comm, MPI_Errhandler* errhandler) noexcept {
  Errhandler& set = handler_of(&comm);
  // The program frees what it gets, and gets the handle that it had where it has not freed that.
  const std::scoped_lock lock(g_held);
  if (!is_predefined(set.number) && set.held++ == 0) {
    keep(set);
    set.number = add_object(HandleKind::kErrhandler, &set);
  }
  *errhandler = handle_of(set);
  return MPI_SUCCESS;
}

int comm_set_errhandler(Watched& comm, Errhandler& errhandler) noexcept {
  if (errhandler.does == Errhandler::Does::kCall && errhandler.of != comm.kind) {
    return raise(&comm, MPI_ERR_ARG, "errhandler: is one of %s", text_of(errhandler.of).what);
  }
  keep(errhandler);
  // acq_rel: this one was made before, and the other one's last use is behind us.
  if (Errhandler* const before = comm.handler.exchange(&errhandler, std::memory_order_acq_rel); before != nullptr) {
    drop(*before);
  }
  return MPI_SUCCESS;
}

int errhandler_free(MPI_Errhandler* errhandler) noexcept {
  auto* const found = find<Errhandler>(*errhandler);
  if (found == nullptr) {
    return raise_handle(nullptr, HandleKind::kErrhandler, *errhandler, "errhandler");
  }
  // What MPI_Comm_get_errhandler gives is freed, so predefined ones are too.
  const std::scoped_lock lock(g_held);
  if (!is_predefined(found->number) && --found->held == 0) {
    (void)remove_object(HandleKind::kErrhandler, found->number);
    drop(*found);
  }
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int error_class(int errorcode, int* errorclass) noexcept {
  if (!is_code(errorcode)) {
    return raise(nullptr, MPI_ERR_ARG, "errorcode: %d is no error code", errorcode);
  }
  *errorclass = class_of(errorcode);
  return MPI_SUCCESS;
}

int error_string(int errorcode, char* string, int* resultlen) noexcept {
  if (!string_of(errorcode, string)) {
    return raise(nullptr, MPI_ERR_ARG, "errorcode: %d is no error code", errorcode);
  }
  *resultlen = static_cast<int>(std::strlen(string));
  return MPI_SUCCESS;
}

namespace {

int removed(Removed what, const char* argument, int code) noexcept {
  switch (what) {
    case Removed::kYes: return MPI_SUCCESS;
    case Removed::kInUse: return raise(nullptr, MPI_ERR_ARG, "%s: %d has error codes still", argument, code);
    case Removed::kHasText:
      return raise(nullptr, MPI_ERR_ARG, "%s: %d has an error string still; MPI_Remove_error_string is to go first",
                   argument, code);
    case Removed::kNotAdded: break;
  }
  return raise(nullptr, MPI_ERR_ARG, "%s: %d is none that the program has added", argument, code);
}

}  // namespace

int remove_error_class(int errorclass) noexcept { return removed(remove_class(errorclass), "errorclass", errorclass); }
int remove_error_code(int errorcode) noexcept { return removed(remove_code(errorcode), "errorcode", errorcode); }
int remove_error_string(int errorcode) noexcept { return removed(remove_string(errorcode), "errorcode", errorcode); }

}  // namespace weft::mpi

// Safe mode of MPI programs (SHMEM_DEBUG=check, oshrun --safe): what the library does not look at otherwise, as it
// costs. A first mistake is told in a line, with the call, its place in the source and the rank, and ends the job.
// Record 0060.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "api/mpi/calls.hpp"
#include "base/options.hpp"
#include "job/node.hpp"
#include "mpi/handles.hpp"
#include "msg/data.hpp"
#include "msg/request.hpp"
#include "type/datatype.hpp"

namespace weft::mpi {

struct Comm;
struct Request;

inline constinit bool g_checks = false;
/// Set before any other call can be under way, and never changed afterwards.
inline bool checks() noexcept { return g_checks; }
void begin_checks(const base::Options& options) noexcept;

/// A mistake: a line, and the end of the job, unless it is to go on.
[[gnu::format(printf, 1, 2)]] void report(const char* format, ...) noexcept;
/// Of bytes, to see whether they change; never 0.
std::uint64_t sum_of_bytes(const void* at, std::size_t bytes) noexcept;

/// Where the call at hand is in the program, for other ranks: from where that is loaded; 0: it is elsewhere.
std::uint64_t told_site() noexcept;
/// " in main at solver.c:88", of what another rank has told so; empty where it is not known.
struct ToldPlace {
  explicit ToldPlace(std::uint64_t site) noexcept;
  char text[220] = "";
};

/// What an envelope bears of its data's types: 0 where nobody looks.
std::uint32_t signature_of_row(const type::Datatype& type, MPI_Count count) noexcept;
inline std::uint32_t told_signature(const type::Datatype& type, MPI_Count count) noexcept {
  return checks() ? signature_of_row(type, count) : 0;
}
/// A message was received into such a row: its types are to be those of the beginning of the row.
void check_types(const type::Datatype& type, const msg::Status& received) noexcept;

/// A send that was started, and what its data was then.
struct StartedSend {
  job::Entered by;
  std::uint64_t sum;
};
/// Of a request that is to send this; and of one that is complete: its data is what it was, its types fit.
void note_sends(Request& request, const msg::Data& data) noexcept;
void check_completed(const Request& request) noexcept;

/// The call at hand has made what has this handle.
void note_made(HandleKind kind, Number number) noexcept;
/// When MPI ends: a line for each call of the program that made requests, datatypes, communicators or windows that are
/// still there.
void tell_of_leftovers() noexcept;

/// A collective call, by the parameters that it has.
struct Collective {
  api::mpi::Call function{};  // without _c
  int root = -1;
  MPI_Op op = nullptr;
  const void* sendbuf = nullptr;
  MPI_Count sendcount = -1;
  MPI_Datatype sendtype = nullptr;
  MPI_Count recvcount = -1;
  MPI_Datatype recvtype = nullptr;
  MPI_Count count = -1;
  MPI_Datatype datatype = nullptr;
};
/// Each rank of a communicator shows its call to the next one, and compares that of the one before with its own.
void agree(Comm& comm, const Collective& call) noexcept;

}  // namespace weft::mpi

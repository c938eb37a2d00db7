#include "mpi/collectives.hpp"

#include <algorithm>
#include <cstring>

#include "coll/barrier.hpp"
#include "coll/short.hpp"
#include "mpi/arguments.hpp"
#include "mpi/on_team.hpp"
#include "mpi/spreading.hpp"

namespace weft::mpi {
namespace {

using coll::Reached;

// The parts of all, to all, of one group. `own` is none where it is in place.
int gather_everywhere(Comm& comm, const Buffer& own, Parts* parts) noexcept {
  InOnePiece row(own);
  if (const std::size_t lacks = std::max(parts->lay_out(), row.lacks()); lacks != 0) {
    return raise_lack(comm, lacks);
  }
  row.pack();
  const bool in_place = own.type == nullptr;
  if (in_place) {
    parts->pack();
  }
  const void* const source = in_place ? parts->part(comm.rank) : row.at();
  const int code = on_team(comm, *comm.team, [&](coll::Party& party) {
    return coll::gather(party, {parts->at(), source, parts->table(), coll::kToAll, Reached::kShown});
  });
  if (code == MPI_SUCCESS) {
    parts->unpack();
  }
  return code;
}

int gather_to_all(Comm& comm, const Buffer& own, Parts* from) noexcept {
  if (!comm.inter) {
    return gather_everywhere(comm, own, from);
  }
  Parts to = no_parts(comm);
  repeat(comm, own, &to);
  return exchange(comm, &to, from);
}

// The buffer that is sent; none where it is in place, which it may be in one group.
int take_sent(Comm& comm, const void* sendbuf, MPI_Count count, MPI_Datatype type, Buffer* taken) noexcept {
  if (is_in_place(sendbuf) && !comm.inter) {
    return MPI_SUCCESS;
  }
  return take_buffer(comm, kSend, sendbuf, count, type, taken);
}

// Rows of few bytes, which go by lines (coll/short.hpp).
constexpr std::size_t kRow = coll::kMostInLines;

// `bytes` of a buffer that others look at: where they are, or in `room`, where they lie in pieces or are not as many.
const void* few_bytes(const Buffer& buffer, std::size_t bytes, std::byte* room) noexcept {
  const type::Cursor cursor = buffer.cursor();
  if (cursor.bytes() == bytes && cursor.in_one_piece()) [[likely]] {
    return cursor.first(buffer.at);
  }
  std::memset(room, 0, bytes);
  cursor.pack(buffer.at, 0, room, std::min<std::size_t>(bytes, cursor.bytes()));
  return room;
}

// All parts of one buffer, one behind the other.
Buffer all_of(const Comm& comm, const Buffer& part) noexcept {
  return {part.at, part.count * comm.members.size, part.type};
}

// The parts of all, to all. `own` is none where it is in place.
void gather_in_lines(Comm& comm, const Buffer& own, const Buffer& received) noexcept {
  const std::size_t bytes = received.bytes();
  const type::Cursor parts = all_of(comm, received).cursor();
  alignas(64) std::byte row[kRow];
  const Buffer mine = own.type == nullptr ? received.part(comm.rank * received.count, received.count) : own;
  const void* const source = few_bytes(mine, bytes, row);
  if (parts.in_one_piece()) [[likely]] {
    coll::gather_in_lines(*comm.team, parts.first(received.at), source, bytes);
    return;
  }
  alignas(64) std::byte rows[kRow * coll::kMostMembersInLines];
  coll::gather_in_lines(*comm.team, rows, source, bytes);
  parts.unpack(received.at, 0, rows, parts.bytes());
}

void exchange_in_lines(Comm& comm, const Buffer& sent, const Buffer& received) noexcept {
  const type::Cursor parts = all_of(comm, received).cursor();
  alignas(64) std::byte row[coll::kMostExchangedInLines];
  const void* const source = few_bytes(all_of(comm, sent), parts.bytes(), row);
  if (parts.in_one_piece()) [[likely]] {
    coll::exchange_in_lines(*comm.team, parts.first(received.at), source, received.bytes());
    return;
  }
  alignas(64) std::byte rows[coll::kMostExchangedInLines];
  coll::exchange_in_lines(*comm.team, rows, source, received.bytes());
  parts.unpack(received.at, 0, rows, parts.bytes());
}

}  // namespace

int exchange(Comm& comm, Parts* to, Parts* from, bool even) noexcept {
  if (const std::size_t lacks = std::max(to->lay_out(even), from->lay_out()); lacks != 0) {
    return raise_lack(comm, lacks);
  }
  to->pack();
  // Who has nothing to send has it somewhere: the same address as the target's says something else.
  const std::byte nothing{};
  const void* const source = to->at() == nullptr ? &nothing : to->at();
  const int code = on_team(comm, *comm.team, [&](coll::Party& party) {
    return coll::exchange_parts(party, {from->at(), source, to->table(), from->table(), Reached::kShown, even});
  });
  if (code == MPI_SUCCESS) {
    from->unpack();
  }
  return code;
}

int allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
              const Datatype& recvtype, Comm& comm) noexcept {
  Buffer own;
  const Buffer received{recvbuf, recvcount, &recvtype};
  int code = check_type(comm, kReceive, handle_of(recvtype), &own.type);
  own.type = nullptr;
  code = code == MPI_SUCCESS ? check_buffer(comm, kReceive, received) : code;
  code = code == MPI_SUCCESS ? take_sent(comm, sendbuf, sendcount, sendtype, &own) : code;
  if (code != MPI_SUCCESS) {
    return code;
  }
  code = check_apart(comm, own, received);
  if (code == MPI_SUCCESS && !comm.inter) {
    code = check_apart(comm, own, received.part(comm.rank * recvcount, recvcount));
  }
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (!comm.inter && coll::goes_in_lines(*comm.team, received.bytes())) {
    gather_in_lines(comm, own, received);
    return MPI_SUCCESS;
  }
  Parts from = no_parts(comm);
  spread(comm, received, &from);
  return gather_to_all(comm, own, &from);
}

int allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Numbers recvcounts,
               Numbers displs, const Datatype& recvtype, Comm& comm) noexcept {
  Buffer own;
  Parts from = no_parts(comm);
  const Datatype* checked = nullptr;
  int code = check_type(comm, kReceive, handle_of(recvtype), &checked);
  const Listed listed{recvbuf, recvcounts, displs, "recvcounts", "displs"};
  code = code == MPI_SUCCESS ? spread(comm, kReceive, listed, recvtype, &from) : code;
  code = code == MPI_SUCCESS ? take_sent(comm, sendbuf, sendcount, sendtype, &own) : code;
  code = code == MPI_SUCCESS ? check_own_apart(comm, comm.rank, own, from) : code;
  return code == MPI_SUCCESS ? gather_to_all(comm, own, &from) : code;
}

int alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
             const Datatype& recvtype, Comm& comm) noexcept {
  Buffer received;
  Buffer sent;
  int code = take_buffer(comm, kReceive, recvbuf, recvcount, handle_of(recvtype), &received);
  code = code == MPI_SUCCESS ? take_sent(comm, sendbuf, sendcount, sendtype, &sent) : code;
  code = code == MPI_SUCCESS ? check_apart(comm, sent, received) : code;
  if (code != MPI_SUCCESS) {
    return code;
  }
  const Buffer& given = sent.type == nullptr ? received : sent;
  if (const std::size_t bytes = received.bytes();
      received.type != nullptr && !comm.inter && coll::exchanges_in_lines(*comm.team, bytes)) {
    exchange_in_lines(comm, given, received);
    return MPI_SUCCESS;
  }
  Parts to = no_parts(comm);
  Parts from = no_parts(comm);
  spread(comm, given, &to);
  spread(comm, received, &from);
  return exchange(comm, &to, &from, !comm.inter);
}

int alltoallv(const void* sendbuf, Numbers sendcounts, Numbers sdispls, MPI_Datatype sendtype, void* recvbuf,
              Numbers recvcounts, Numbers rdispls, const Datatype& recvtype, Comm& comm) noexcept {
  const Datatype* type = nullptr;
  Parts to = no_parts(comm);
  Parts from = no_parts(comm);
  int code = check_type(comm, kReceive, handle_of(recvtype), &type);
  const Listed received{recvbuf, recvcounts, rdispls, "recvcounts", "rdispls"};
  code = code == MPI_SUCCESS ? spread(comm, kReceive, received, recvtype, &from) : code;
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (is_in_place(sendbuf) && !comm.inter) {
    (void)spread(comm, kReceive, received, recvtype, &to);
  } else {
    code = check_type(comm, kSend, sendtype, &type);
    const Listed sent{sendbuf, sendcounts, sdispls, "sendcounts", "sdispls"};
    code = code == MPI_SUCCESS ? spread(comm, kSend, sent, *type, &to) : code;
    code = code == MPI_SUCCESS && !comm.inter ? check_apart(comm, to[comm.rank], from[comm.rank]) : code;
  }
  return code == MPI_SUCCESS ? exchange(comm, &to, &from) : code;
}

int alltoallw(const void* sendbuf, Numbers sendcounts, Numbers sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
              Numbers recvcounts, Numbers rdispls, const MPI_Datatype* recvtypes, Comm& comm) noexcept {
  Parts to = no_parts(comm);
  Parts from = no_parts(comm);
  const Typed received{recvbuf, recvcounts, rdispls, recvtypes, false};
  const Typed sent{sendbuf, sendcounts, sdispls, sendtypes, true};
  int code = spread(comm, received, &from);
  const bool in_place = is_in_place(sendbuf) && !comm.inter;
  code = code == MPI_SUCCESS ? spread(comm, in_place ? received : sent, &to) : code;
  if (code == MPI_SUCCESS && !in_place && !comm.inter) {
    code = check_apart(comm, to[comm.rank], from[comm.rank]);
  }
  return code == MPI_SUCCESS ? exchange(comm, &to, &from) : code;
}

int barrier(Comm& comm) noexcept {
  coll::team_barrier(*comm.team);
  return MPI_SUCCESS;
}

}  // namespace weft::mpi

#include "mpi/collectives.hpp"

#include <algorithm>
#include <cstring>

#include "coll/barrier.hpp"
#include "coll/short.hpp"
#include "mpi/arguments.hpp"
#include "mpi/on_team.hpp"

namespace weft::mpi {
namespace {

using coll::Reached;

// In the functions with a root: what this member does.
struct Role {
  bool is_root;
  bool is_other;  // it sends to the root, or gets from it; of one group the root does too
};
Role role_of(const Comm& comm, int root) noexcept {
  return comm.inter ? Role{root == MPI_ROOT, root >= 0} : Role{comm.rank == root, true};
}

// A buffer with a part of the same length for each peer, one behind the other.
void spread(const Comm& comm, const Buffer& buffer, Parts* parts) noexcept {
  for (int k = 0; k < comm.peers().size; ++k) {
    (*parts)[comm.first_peer + k] = buffer.part(k * buffer.count, buffer.count);
  }
}
// The same data for each.
void repeat(const Comm& comm, const Buffer& buffer, Parts* parts) noexcept {
  for (int k = 0; k < comm.peers().size; ++k) {
    (*parts)[comm.first_peer + k] = buffer;
  }
}

// What members other than the root, and the root of one group, have to say of the buffer that is theirs alone.
int take_own(Comm& comm, const Role& role, const Names& names, const Buffer& given, MPI_Datatype type,
             Buffer* taken) noexcept {
  if (!role.is_other || (role.is_root && is_in_place(given.at))) {
    return MPI_SUCCESS;
  }
  return take_buffer(comm, names, given.at, given.count, type, taken);
}

int gather_parts(Comm& comm, int root, const Buffer& own, Parts* from) noexcept {
  Parts to = no_parts(comm);
  if (own.type != nullptr) {
    to[comm.first_peer + root] = own;
  }
  return exchange(comm, &to, from);
}

int scatter_parts(Comm& comm, int root, const Buffer& own, Parts* to) noexcept {
  Parts from = no_parts(comm);
  if (own.type != nullptr) {
    from[comm.first_peer + root] = own;
  }
  return exchange(comm, to, &from);
}

// One group, all parts of one length. At the root `own` may be none: then its part is where it belongs.
int gather_even(Comm& comm, int root, const Buffer& own, const Buffer& received) noexcept {
  const bool is_root = comm.rank == root;
  InOnePiece row(own);
  if (row.lacks() != 0) {
    return raise_lack(comm, row.lacks());
  }
  row.pack();
  if (!is_root) {
    const std::vector<std::size_t> bytes(static_cast<std::size_t>(comm.members.size), row.bytes());
    return on_team(comm, *comm.team, [&](coll::Party& party) {
      return coll::gather(party, {nullptr, row.at(), {bytes.data(), bytes.data()}, root, Reached::kShown});
    });
  }
  Parts parts = no_parts(comm);
  spread(comm, received, &parts);
  if (const std::size_t lacks = parts.lay_out(); lacks != 0) {
    return raise_lack(comm, lacks);
  }
  const bool in_place = own.type == nullptr;
  if (in_place) {
    parts.pack();
  }
  const void* const source = in_place ? parts.part(root) : row.at();
  const int code = on_team(comm, *comm.team, [&](coll::Party& party) {
    return coll::gather(party, {parts.at(), source, parts.table(), root, Reached::kShown});
  });
  if (code == MPI_SUCCESS) {
    parts.unpack();
  }
  return code;
}

// What comes to this member goes to `row`.
int scatter_row(Comm& comm, const InOnePiece& row, const coll::Scatter& call) noexcept {
  const int code = on_team(comm, *comm.team, [&](coll::Party& party) { return coll::scatter(party, call); });
  if (code == MPI_SUCCESS) {
    row.unpack();
  }
  return code;
}

int scatter_even(Comm& comm, int root, const Buffer& own, const Buffer& sent) noexcept {
  const InOnePiece row(own);
  if (row.lacks() != 0) {
    return raise_lack(comm, row.lacks());
  }
  if (comm.rank != root) {
    const auto n = static_cast<std::size_t>(comm.members.size);
    const std::vector<std::size_t> bytes(n, row.bytes());
    std::vector<std::size_t> offsets(n);
    for (std::size_t k = 0; k < n; ++k) {
      offsets[k] = k * row.bytes();
    }
    return scatter_row(comm, row, {row.at(), nullptr, {offsets.data(), bytes.data()}, root, Reached::kShown});
  }
  Parts parts = no_parts(comm);
  spread(comm, sent, &parts);
  if (const std::size_t lacks = parts.lay_out(true); lacks != 0) {
    return raise_lack(comm, lacks);
  }
  parts.pack();
  std::byte* const target = own.type == nullptr ? parts.part(root) : row.at();
  return scatter_row(comm, row, {target, parts.at(), parts.table(), root, Reached::kShown});
}

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

// What a member has beside the parts of all, and its own among these, where they are of one group: MPI_IN_PLACE is said
// where they are one.
int check_own_apart(Comm& comm, int member, const Buffer& own, Parts& parts) noexcept {
  return comm.inter ? MPI_SUCCESS : check_apart(comm, own, parts[member]);
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

int bcast(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, Comm& comm) noexcept {
  int code = check_root(comm, root);
  const Role role = role_of(comm, root);
  Buffer data;
  if (code == MPI_SUCCESS && (role.is_root || role.is_other)) {
    code = take_buffer(comm, {"buffer", "count", "datatype"}, buffer, count, datatype, &data);
  }
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (comm.inter) {
    Parts to = no_parts(comm);
    if (role.is_root) {
      repeat(comm, data, &to);
      data = {};
    }
    return scatter_parts(comm, root, data, &to);
  }
  InOnePiece row(data);
  if (row.lacks() != 0) {
    return raise_lack(comm, row.lacks());
  }
  if (role.is_root) {
    row.pack();
  }
  code = on_team(comm, *comm.team, [&](coll::Party& party) {
    return coll::broadcast_from(party, {row.at(), row.at(), row.bytes(), root}, Reached::kShown);
  });
  if (!role.is_root && code == MPI_SUCCESS) {
    row.unpack();
  }
  return code;
}

int gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
           MPI_Datatype recvtype, int root, Comm& comm) noexcept {
  int code = check_root(comm, root);
  const Role role = role_of(comm, root);
  Buffer own;
  Buffer received;
  if (code == MPI_SUCCESS && role.is_root) {
    code = take_buffer(comm, kReceive, recvbuf, recvcount, recvtype, &received);
  }
  const Buffer given{const_cast<void*>(sendbuf), sendcount, nullptr};
  code = code == MPI_SUCCESS ? take_own(comm, role, kSend, given, sendtype, &own) : code;
  code = code == MPI_SUCCESS ? check_apart(comm, own, received) : code;
  if (code == MPI_SUCCESS && role.is_root && !comm.inter) {
    code = check_apart(comm, own, received.part(root * recvcount, recvcount));
  }
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (!comm.inter) {
    return gather_even(comm, root, own, received);
  }
  Parts from = no_parts(comm);
  if (role.is_root) {
    spread(comm, received, &from);
  }
  return gather_parts(comm, root, own, &from);
}

int gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Numbers recvcounts,
            Numbers displs, MPI_Datatype recvtype, int root, Comm& comm) noexcept {
  int code = check_root(comm, root);
  const Role role = role_of(comm, root);
  Buffer own;
  Parts from = no_parts(comm);
  if (code == MPI_SUCCESS && role.is_root) {
    const Datatype* type = nullptr;
    code = check_type(comm, kReceive, recvtype, &type);
    const Listed listed{recvbuf, recvcounts, displs, "recvcounts", "displs"};
    code = code == MPI_SUCCESS ? spread(comm, kReceive, listed, *type, &from) : code;
  }
  const Buffer given{const_cast<void*>(sendbuf), sendcount, nullptr};
  code = code == MPI_SUCCESS ? take_own(comm, role, kSend, given, sendtype, &own) : code;
  if (code == MPI_SUCCESS && role.is_root) {
    code = check_own_apart(comm, root, own, from);
  }
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (role.is_root && role.is_other && own.type == nullptr) {
    from[root] = {};  // in place: it is there
  }
  return gather_parts(comm, root, own, &from);
}

int scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
            MPI_Datatype recvtype, int root, Comm& comm) noexcept {
  int code = check_root(comm, root);
  const Role role = role_of(comm, root);
  Buffer own;
  Buffer sent;
  if (code == MPI_SUCCESS && role.is_root) {
    code = take_buffer(comm, kSend, sendbuf, sendcount, sendtype, &sent);
  }
  const Buffer given{recvbuf, recvcount, nullptr};
  code = code == MPI_SUCCESS ? take_own(comm, role, kReceive, given, recvtype, &own) : code;
  code = code == MPI_SUCCESS ? check_apart(comm, sent, own) : code;
  if (code == MPI_SUCCESS && role.is_root && !comm.inter) {
    code = check_apart(comm, sent.part(root * sendcount, sendcount), own);
  }
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (!comm.inter) {
    return scatter_even(comm, root, own, sent);
  }
  Parts to = no_parts(comm);
  if (role.is_root) {
    spread(comm, sent, &to);
  }
  return scatter_parts(comm, root, own, &to);
}

int scatterv(const void* sendbuf, Numbers sendcounts, Numbers displs, MPI_Datatype sendtype, void* recvbuf,
             MPI_Count recvcount, MPI_Datatype recvtype, int root, Comm& comm) noexcept {
  int code = check_root(comm, root);
  const Role role = role_of(comm, root);
  Buffer own;
  Parts to = no_parts(comm);
  if (code == MPI_SUCCESS && role.is_root) {
    const Datatype* type = nullptr;
    code = check_type(comm, kSend, sendtype, &type);
    const Listed listed{sendbuf, sendcounts, displs, "sendcounts", "displs"};
    code = code == MPI_SUCCESS ? spread(comm, kSend, listed, *type, &to) : code;
  }
  const Buffer given{recvbuf, recvcount, nullptr};
  code = code == MPI_SUCCESS ? take_own(comm, role, kReceive, given, recvtype, &own) : code;
  if (code == MPI_SUCCESS && role.is_root) {
    code = check_own_apart(comm, root, own, to);
  }
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (role.is_root && role.is_other && own.type == nullptr) {
    to[root] = {};  // in place: nothing moves
  }
  return scatter_parts(comm, root, own, &to);
}

}  // namespace weft::mpi

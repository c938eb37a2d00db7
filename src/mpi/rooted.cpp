// Collectives that move data from one member or to one.
#include "mpi/arguments.hpp"
#include "mpi/collectives.hpp"
#include "mpi/on_team.hpp"
#include "mpi/spreading.hpp"

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

// What members other than the root, and the root of one group, have to say of the buffer that is theirs alone.
int take_own(Comm& comm, const Role& role, const Names& names, const Buffer& given, MPI_Datatype type,
             Buffer* taken) noexcept {
  if (!role.is_other || (role.is_root && is_in_place(given.at))) {
    return MPI_SUCCESS;
  }
  return take_buffer(comm, names, given.at, given.count, type, taken);
}

// The side of MPI_Gatherv or MPI_Scatterv that only the root has, and the one that every member has.
struct AllOfThem {
  const Names& names;
  const Listed& listed;
  MPI_Datatype type;
};
struct OneOfThem {
  const Names& names;
  MPI_Datatype type;
};
// `own` comes as it was given. What a root in place keeps is none of the parts that move.
int take_listed(Comm& comm, int root, const AllOfThem& all, const OneOfThem& one, Buffer* own, Parts* parts) noexcept {
  int code = check_root(comm, root);
  const Role role = role_of(comm, root);
  if (code == MPI_SUCCESS && role.is_root) {
    const Datatype* type = nullptr;
    code = check_type(comm, all.names, all.type, &type);
    code = code == MPI_SUCCESS ? spread(comm, all.names, all.listed, *type, parts) : code;
  }
  const Buffer given = *own;
  *own = {};
  code = code == MPI_SUCCESS ? take_own(comm, role, one.names, given, one.type, own) : code;
  if (code == MPI_SUCCESS && role.is_root) {
    code = check_own_apart(comm, root, *own, *parts);
  }
  if (code == MPI_SUCCESS && role.is_root && role.is_other && own->type == nullptr) {
    (*parts)[root] = {};
  }
  return code;
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

}  // namespace

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
  const Listed listed{recvbuf, recvcounts, displs, "recvcounts", "displs"};
  Buffer own{const_cast<void*>(sendbuf), sendcount, nullptr};
  Parts from = no_parts(comm);
  const int code = take_listed(comm, root, {kReceive, listed, recvtype}, {kSend, sendtype}, &own, &from);
  return code == MPI_SUCCESS ? gather_parts(comm, root, own, &from) : code;
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
  const Listed listed{sendbuf, sendcounts, displs, "sendcounts", "displs"};
  Buffer own{recvbuf, recvcount, nullptr};
  Parts to = no_parts(comm);
  const int code = take_listed(comm, root, {kSend, listed, sendtype}, {kReceive, recvtype}, &own, &to);
  return code == MPI_SUCCESS ? scatter_parts(comm, root, own, &to) : code;
}

}  // namespace weft::mpi

#include "mpi/reductions.hpp"

#include <algorithm>

#include "coll/short.hpp"
#include "mpi/arguments.hpp"
#include "mpi/collectives.hpp"
#include "mpi/combining.hpp"
#include "mpi/on_team.hpp"

namespace weft::mpi {
namespace {

using coll::Reached;

constexpr Names kSource{"sendbuf", "count", "datatype"};
constexpr Names kTarget{"recvbuf", "count", "datatype"};

std::size_t lack_of(const std::optional<RowRoom>& room) noexcept { return room ? room->lacks() : 0; }

// The buffers of a call on one group, as rows.
struct Rows {
  Rows(Combining& combining, const Buffer& sent, const Buffer& received, bool in_place) noexcept
      : how(combining), target(received) {
    source_row = how.row_of(sent, &source_room, true);
    // In place the core is to see that it is: then the two are one row.
    target_row = in_place && !how.is_packed() ? source_row : how.row_of(received, &target_room, false);
    lacks = std::max({lack_of(source_room), lack_of(target_room),
                      how.reserve(static_cast<std::size_t>(std::max(sent.count, received.count)))});
  }
  coll::Reduce reduce(MPI_Count count) noexcept {
    const auto elements = how.element() == 0 ? 0 : static_cast<std::size_t>(count);
    return {target_row, source_row, elements, how.element(), how.function(), how.ordered()};
  }
  void unpack() const noexcept { how.unpack(target, target_room); }

  Combining& how;
  Buffer target;
  std::optional<RowRoom> source_room;
  std::optional<RowRoom> target_room;
  void* source_row;
  void* target_row;
  std::size_t lacks;  // bytes; 0: the call can begin
};

int check_op(Comm& comm, const Op& op, const Datatype& type) noexcept {
  if (!type.type->committed()) {
    return raise(&comm, MPI_ERR_TYPE, "datatype: %s is not committed", text_of(type).c_str());
  }
  if (!Combining::is_defined(op, type)) {
    return raise(&comm, MPI_ERR_OP, "op: %s has no meaning for %s", name_of_predefined(op.number),
                 text_of(type).c_str());
  }
  return MPI_SUCCESS;
}

// Both buffers; `*sent` is the received one where it is in place.
int take_both(Comm& comm, const Op& op, const void* sendbuf, Buffer* sent, const Buffer& received) noexcept {
  int code = check_op(comm, op, *received.type);
  code = code == MPI_SUCCESS ? check_buffer(comm, kTarget, received) : code;
  if (code != MPI_SUCCESS) {
    return code;
  }
  if (is_in_place(sendbuf) && !comm.inter) {
    sent->at = received.at;
    return code;
  }
  sent->at = const_cast<void*>(sendbuf);
  code = check_buffer(comm, kSource, *sent);
  return code == MPI_SUCCESS ? check_apart(comm, *sent, received) : code;
}

int raise_inter(Comm& comm) noexcept { return raise(&comm, MPI_ERR_COMM, "comm: is an intercommunicator"); }

// The local group's elements, combined at its first member, in `row`. All members of that group call it.
int combine_local(Comm& comm, Combining& how, const Buffer& sent, std::byte* row) noexcept {
  std::optional<RowRoom> room;
  const auto elements = how.element() == 0 ? 0 : static_cast<std::size_t>(sent.count);
  const void* const source = how.row_of(sent, &room, true);
  if (const std::size_t lacks = std::max(lack_of(room), how.reserve(elements)); lacks != 0) {
    return raise_lack(comm, lacks);
  }
  return on_team(comm, *comm.local_team, [&](coll::Party& party) {
    return coll::reduce_to(party, {row, source, elements, how.element(), how.function(), how.ordered()}, 0,
                           Reached::kShown);
  });
}

// Two groups: what one has combined its first member gives to members of the other, each of which takes `mine` from
// element `begin` of its own group's parts on. Parts are rows of elements as Combining has them.
struct Crossing {
  Comm& comm;
  Combining& how;
  const Buffer& sent;  // empty: this group gives nothing
  Buffer received;     // empty: this member gets nothing
};
// `given`: how many elements each peer gets; `begin`: from which one on.
template <class Given, class Begin>
int cross(const Crossing& call, Given&& given, Begin&& begin) noexcept {
  Comm& comm = call.comm;
  const std::size_t bytes = static_cast<std::size_t>(call.sent.count) * call.how.element();
  const RowRoom combined(comm.rank == 0 ? bytes : 0);
  std::optional<RowRoom> room;
  void* const target = call.how.row_of(call.received, &room, false);
  if (const std::size_t lacks = std::max(combined.lacks(), lack_of(room)); lacks != 0) {
    return raise_lack(comm, lacks);
  }
  if (call.sent.count > 0) {
    if (const int code = combine_local(comm, call.how, call.sent, combined.get()); code != MPI_SUCCESS) {
      return code;
    }
  }
  const auto n = static_cast<std::size_t>(comm.team->members.size);
  std::vector<std::size_t> to_offsets(n);
  std::vector<std::size_t> to_bytes(n);
  std::vector<std::size_t> from_offsets(n);
  std::vector<std::size_t> from_bytes(n);
  for (int peer = 0; comm.rank == 0 && call.sent.count > 0 && peer < comm.remote.size; ++peer) {
    const std::size_t k = static_cast<std::size_t>(comm.first_peer) + static_cast<std::size_t>(peer);
    to_offsets[k] = static_cast<std::size_t>(begin(peer)) * call.how.element();
    to_bytes[k] = static_cast<std::size_t>(given(peer)) * call.how.element();
  }
  from_bytes[static_cast<std::size_t>(comm.first_peer)] =
      static_cast<std::size_t>(call.received.count) * call.how.element();
  const int code = on_team(comm, *comm.team, [&](coll::Party& party) {
    return coll::exchange_parts(party, {target,
                                        combined.get(),
                                        {to_offsets.data(), to_bytes.data()},
                                        {from_offsets.data(), from_bytes.data()},
                                        Reached::kShown});
  });
  if (code == MPI_SUCCESS) {
    call.how.unpack(call.received, room);
  }
  return code;
}

int reduce_inter(Comm& comm, int root, Combining& how, const Buffer& sent, const Buffer& received) noexcept {
  return cross(
      Crossing{comm, how, sent, received}, [&](int peer) { return peer == root ? sent.count : 0; },
      [](int) { return 0; });
}

int scatter_combined(Comm& comm, Combining& how, const Buffer& sent, const Buffer& received,
                     const std::vector<std::size_t>& counts, bool in_place) noexcept {
  Rows rows(how, sent, received, in_place);
  if (rows.lacks != 0) {
    return raise_lack(comm, rows.lacks);
  }
  const int code = on_team(comm, *comm.team, [&](coll::Party& party) {
    return coll::reduce_scatter(party, rows.reduce(sent.count), counts.data(), Reached::kShown);
  });
  if (code == MPI_SUCCESS) {
    rows.unpack();
  }
  return code;
}

int scan_rows(const void* sendbuf, const Buffer& received, const Op& op, Comm& comm, bool inclusive) noexcept {
  if (comm.inter) {
    return raise_inter(comm);
  }
  Buffer sent = received;
  // MPI_Exscan has nothing for the first rank, whose buffer need not be one.
  const bool gets = inclusive || comm.rank > 0;
  int code = MPI_SUCCESS;
  if (gets || is_in_place(sendbuf)) {
    code = take_both(comm, op, sendbuf, &sent, received);
  } else {
    code = check_op(comm, op, *received.type);
    sent.at = const_cast<void*>(sendbuf);
    code = code == MPI_SUCCESS ? check_buffer(comm, kSource, sent) : code;
  }
  if (code != MPI_SUCCESS || received.count == 0) {
    return code;
  }
  Combining how(op, *received.type);
  Rows rows(how, sent, gets ? received : Buffer{nullptr, 0, received.type}, gets && is_in_place(sendbuf));
  const RowRoom nowhere(gets ? 0 : static_cast<std::size_t>(received.count) * how.element());
  if (const std::size_t lacks = std::max(rows.lacks, nowhere.lacks()); lacks != 0) {
    return raise_lack(comm, lacks);
  }
  coll::Scan call{rows.reduce(received.count), inclusive};
  call.dest = gets ? call.dest : nowhere.get();
  code = on_team(comm, *comm.team, [&](coll::Party& party) { return coll::scan_over(party, call, Reached::kShown); });
  if (gets && code == MPI_SUCCESS) {
    rows.unpack();
  }
  return code;
}

}  // namespace

int allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& datatype, const Op& op,
              Comm& comm) noexcept {
  const Buffer received{recvbuf, count, &datatype};
  Buffer sent = received;
  if (const int code = take_both(comm, op, sendbuf, &sent, received); code != MPI_SUCCESS || count == 0) {
    return code;
  }
  Combining how(op, datatype);
  if (comm.inter) {
    return cross(
        Crossing{comm, how, sent, received}, [&](int) { return count; }, [](int) { return 0; });
  }
  Rows rows(how, sent, received, is_in_place(sendbuf));
  if (rows.lacks != 0) {
    return raise_lack(comm, rows.lacks);
  }
  const coll::Reduce call = rows.reduce(count);
  if (coll::goes_in_lines(*comm.team, call.count * call.element)) {
    coll::reduce_in_lines(*comm.team, call);
    rows.unpack();
    return MPI_SUCCESS;
  }
  const int code = on_team(comm, *comm.team, [&](coll::Party& party) {
    return coll::reduce_to(party, call, coll::kToAll, Reached::kShown);
  });
  if (code == MPI_SUCCESS) {
    rows.unpack();
  }
  return code;
}

int reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
           Comm& comm) noexcept {
  if (const int code = check_root(comm, root); code != MPI_SUCCESS) {
    return code;
  }
  const bool gets = comm.inter ? root == MPI_ROOT : comm.rank == root;
  const bool gives = comm.inter ? root >= 0 : true;
  const Datatype* type = find<Datatype>(MPI_BYTE);
  const Op* operation = find<Op>(MPI_BOR);
  Buffer received{nullptr, 0, type};
  Buffer sent = received;
  int code = MPI_SUCCESS;
  if (gets || gives) {
    operation = find<Op>(op);
    if (operation == nullptr) {
      return raise_handle(&comm, HandleKind::kOp, op, "op");
    }
    code = check_type(comm, kSource, datatype, &type);
    code = code == MPI_SUCCESS ? check_op(comm, *operation, *type) : code;
    received = {gets ? recvbuf : nullptr, gets ? count : 0, type};
    sent = {gives ? const_cast<void*>(sendbuf) : nullptr, gives ? count : 0, type};
  }
  const bool in_place = gets && gives && is_in_place(sendbuf);
  if (in_place) {
    sent.at = recvbuf;
  }
  code = code == MPI_SUCCESS ? check_buffer(comm, kTarget, received) : code;
  code = code == MPI_SUCCESS ? check_buffer(comm, kSource, sent) : code;
  code = code == MPI_SUCCESS && !in_place ? check_apart(comm, sent, received) : code;
  if (code != MPI_SUCCESS) {
    return code;
  }
  Combining how(*operation, *type);
  if (comm.inter) {
    return reduce_inter(comm, root, how, sent, received);
  }
  Rows rows(how, sent, received, in_place);
  if (rows.lacks != 0) {
    return raise_lack(comm, rows.lacks);
  }
  code = on_team(comm, *comm.team,
                 [&](coll::Party& party) { return coll::reduce_to(party, rows.reduce(count), root, Reached::kShown); });
  if (code == MPI_SUCCESS) {
    rows.unpack();
  }
  return code;
}

int reduce_scatter(const void* sendbuf, void* recvbuf, Numbers recvcounts, const Datatype& datatype, const Op& op,
                   Comm& comm) noexcept {
  if (recvcounts.is_null()) {
    return check_array(comm, "recvcounts", nullptr);
  }
  std::vector<std::size_t> counts(static_cast<std::size_t>(comm.members.size));
  MPI_Count total = 0;
  for (int k = 0; k < comm.members.size; ++k) {
    const MPI_Count count = recvcounts[k];
    if (count < 0 || __builtin_add_overflow(total, count, &total)) {
      return raise(&comm, MPI_ERR_COUNT, "recvcounts: %lld is negative, or the sum does not fit",
                   static_cast<long long>(count));
    }
    counts[static_cast<std::size_t>(k)] = static_cast<std::size_t>(count);
  }
  // In place the received buffer has all of it.
  const bool in_place = is_in_place(sendbuf) && !comm.inter;
  const Buffer received{recvbuf, in_place ? total : recvcounts[comm.rank], &datatype};
  Buffer sent{recvbuf, total, &datatype};
  if (const int code = take_both(comm, op, sendbuf, &sent, received); code != MPI_SUCCESS || total == 0) {
    return code;
  }
  Combining how(op, datatype);
  const Buffer mine{recvbuf, recvcounts[comm.rank], &datatype};
  if (!comm.inter) {
    return scatter_combined(comm, how, sent, mine, counts, in_place);
  }
  // Each group's counts are its own affair; who gives divides as those who get have said.
  std::vector<MPI_Count> theirs(static_cast<std::size_t>(comm.remote.size) + 1);
  Parts to = no_parts(comm);
  Parts from = no_parts(comm);
  const Datatype* const count_type = find<Datatype>(MPI_COUNT);
  MPI_Count own = recvcounts[comm.rank];
  for (int peer = 0; peer < comm.remote.size; ++peer) {
    to[comm.first_peer + peer] = {&own, 1, count_type};
    from[comm.first_peer + peer] = {&theirs[static_cast<std::size_t>(peer) + 1], 1, count_type};
  }
  if (const int code = exchange(comm, &to, &from); code != MPI_SUCCESS) {
    return code;
  }
  const auto given = [&](int peer) { return theirs[static_cast<std::size_t>(peer) + 1]; };
  const auto begin = [&](int peer) {
    MPI_Count sum = 0;
    for (int k = 0; k < peer; ++k) {
      sum += theirs[static_cast<std::size_t>(k) + 1];
    }
    return sum;
  };
  return cross(Crossing{comm, how, sent, mine}, given, begin);
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount, const Datatype& datatype,
                         const Op& op, Comm& comm) noexcept {
  // Of two groups the other one's ranks get the parts, and both combine vectors of one length.
  const auto n = static_cast<MPI_Count>(comm.members.size);
  MPI_Count total = 0;
  if (__builtin_mul_overflow(recvcount, n, &total)) {
    return raise(&comm, MPI_ERR_COUNT, "recvcount: %lld for each rank does not fit", static_cast<long long>(recvcount));
  }
  const bool in_place = is_in_place(sendbuf) && !comm.inter;
  const Buffer received{recvbuf, in_place ? total : recvcount, &datatype};
  Buffer sent{recvbuf, total, &datatype};
  if (const int code = take_both(comm, op, sendbuf, &sent, received); code != MPI_SUCCESS || total == 0) {
    return code;
  }
  Combining how(op, datatype);
  const Buffer mine{recvbuf, recvcount, &datatype};
  if (comm.inter) {
    const MPI_Count each = total / comm.remote.size;
    return cross(
        Crossing{comm, how, sent, mine}, [each](int) { return each; }, [each](int peer) { return peer * each; });
  }
  const std::vector<std::size_t> counts(static_cast<std::size_t>(n), static_cast<std::size_t>(recvcount));
  return scatter_combined(comm, how, sent, mine, counts, in_place);
}

int scan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& datatype, const Op& op,
         Comm& comm) noexcept {
  return scan_rows(sendbuf, {recvbuf, count, &datatype}, op, comm, true);
}

int exscan(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& datatype, const Op& op,
           Comm& comm) noexcept {
  return scan_rows(sendbuf, {recvbuf, count, &datatype}, op, comm, false);
}

}  // namespace weft::mpi

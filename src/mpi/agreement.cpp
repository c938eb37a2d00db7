// Safe mode: whether the ranks of a communicator make the same collective call.
#include <cstring>

#include "base/lines.hpp"
#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/safe.hpp"
#include "msg/messages.hpp"

namespace weft::mpi {
namespace {

// Of the library's own messages on a communicator nothing else has it.
constexpr std::int32_t kTag = INT32_MAX - 7;

// What a rank tells of its call.
struct Told {
  std::uint32_t function = 0;
  std::int32_t root = -1;
  std::uint32_t op = 0;
  std::uint32_t signature = 0;  // 0: not compared
  std::uint64_t bytes = 0;      // of one rank's part
  std::uint64_t site = 0;       // from where the program is loaded
};
static_assert(sizeof(Told) == 32);

// Which of its buffers all ranks know alike.
void describe_data(const Comm& comm, const Collective& call, Told* told) noexcept {
  MPI_Datatype type = call.datatype;
  MPI_Count count = call.count >= 0 ? call.count : call.recvcount;
  if (type == nullptr) {
    const bool is_scatter = call.function == api::mpi::Call::MPI_Scatter;
    const bool is_gather = call.function == api::mpi::Call::MPI_Gather;
    const bool is_root = comm.rank == call.root;
    const bool receives = is_gather ? is_root : is_scatter ? !is_root : call.sendbuf == MPI_IN_PLACE;
    type = receives ? call.recvtype : call.sendtype;
    count = receives ? call.recvcount : call.sendcount;
  }
  const auto* const found = type == nullptr ? nullptr : find<Datatype>(type);
  if (found != nullptr && count >= 0) {
    told->signature = signature_of_row(*found->type, count);
    told->bytes = static_cast<std::uint64_t>(found->type->size()) * static_cast<std::uint64_t>(count);
  }
}

const char* name_of(std::uint32_t function) noexcept {
  return api::mpi::call_name(static_cast<api::mpi::Call>(function));
}

void compare(const Comm& comm, const Told& mine, const Told& theirs, int rank) noexcept {
  const char* const of = comm.name.empty() ? "its communicator" : comm.name.c_str();
  if (theirs.function != mine.function) {
    base::fail(job::current_call(),
               "rank %d of %s calls %s%s where this rank calls %s; all ranks of a communicator make the same "
               "collective calls in the same order",
               rank, of, name_of(theirs.function), ToldPlace(theirs.site).text, name_of(mine.function));
  }
  const char* const their_call = name_of(theirs.function);
  if (theirs.root != mine.root) {
    base::fail(job::current_call(), "root is %d here and %d on rank %d of %s (%s%s); all ranks must give the same",
               mine.root, theirs.root, rank, of, their_call, ToldPlace(theirs.site).text);
  }
  if (theirs.op != mine.op) {
    base::fail(job::current_call(), "op is another one on rank %d of %s (%s%s); all ranks must give the same", rank, of,
               their_call, ToldPlace(theirs.site).text);
  }
  const bool told = theirs.signature != 0 && mine.signature != 0;
  if (theirs.bytes != mine.bytes || (told && theirs.signature != mine.signature)) {
    base::fail(job::current_call(),
               "the data has %llu bytes here and %llu on rank %d of %s (%s%s), or other datatypes; all ranks must give "
               "the same",
               static_cast<unsigned long long>(mine.bytes), static_cast<unsigned long long>(theirs.bytes), rank, of,
               their_call, ToldPlace(theirs.site).text);
  }
}

}  // namespace

void agree(Comm& comm, const Collective& call) noexcept {
  const int size = comm.members.size;
  if (comm.inter || size < 2) {
    return;
  }
  Told mine;
  mine.function = static_cast<std::uint32_t>(call.function);
  mine.root = call.root;
  // Operations of the program have another handle on each rank.
  mine.op = is_predefined(number_of(call.op)) ? number_of(call.op) : 0;
  describe_data(comm, call, &mine);
  mine.site = told_site();
  const int next = (comm.rank + 1) % size;
  const int before = (comm.rank + size - 1) % size;
  Told theirs;
  (void)msg::send_receive(
      {comm.internal_context(), comm.pe_of(next), comm.rank, kTag, 0}, msg::Data::of(&mine, sizeof mine),
      {comm.internal_context(), comm.pe_of(before), before, kTag, 0}, msg::Data::of(&theirs, sizeof theirs));
  compare(comm, mine, theirs, before);
}

}  // namespace weft::mpi

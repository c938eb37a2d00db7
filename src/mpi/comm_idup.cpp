#include "mpi/comm_idup.hpp"

#include <new>

#include "mpi/comm_make.hpp"
#include "mpi/requests.hpp"
#include "msg/messages.hpp"

namespace weft::mpi {
namespace {

// Duplicates of one communicator are begun in the same order by all, and messages keep it. No tag that a program gives
// the leaders of an intercommunicator, who speak in the same context.
constexpr std::int32_t kTag = -10;

// What the first member of the team tells the others, all by its own counting: the new team's id, and for an
// intercommunicator those of the first and the second group's.
struct Ids {
  std::uint64_t team;
  std::uint64_t first;
  std::uint64_t second;
};

// Lives until the message has gone.
struct Telling {
  msg::Request request;
  Ids ids;
};

// Lives from the call to its completion.
struct Duplicate {
  Comm* made;
  group::Members all;  // kept: the communicator may be freed meanwhile
  Ids ids{};
  MPI_Comm* newcomm;
};

bool tell(const Comm& comm) noexcept {
  const Ids ids{group::new_id(), comm.inter ? group::new_id() : 0, comm.inter ? group::new_id() : 0};
  for (int member = 0; member < comm.team->members.size; ++member) {
    auto* const telling = new (std::nothrow) Telling;
    if (telling == nullptr) {
      return false;
    }
    telling->ids = ids;
    telling->request.cookie = telling;
    msg::start_send(telling->request, {comm.internal_context(), comm.team->members.pe(member), 0, kTag},
                    msg::Data::of(&telling->ids, sizeof telling->ids));
    msg::let_go(telling->request, [](msg::Request& request) noexcept { delete static_cast<Telling*>(request.cookie); });
  }
  return true;
}

// All of the new one but its teams.
Comm* copy_of(const Comm& comm) noexcept {
  auto* const made = new (std::nothrow) Comm;
  if (made == nullptr) {
    return nullptr;
  }
  made->members = comm.members;
  made->members.keep();
  made->remote = comm.remote;
  made->remote.keep();
  made->inter = comm.inter;
  made->rank = comm.rank;
  made->first_peer = comm.first_peer;
  made->topology = comm.topology;
  // Acquire: the handler was made before it was set.
  if (Errhandler* const handler = comm.handler.load(std::memory_order_acquire); handler != nullptr) {
    keep(*handler);
    made->handler.store(handler, std::memory_order_relaxed);  // nobody else has it yet
  }
  return made;
}

// Null, and it is gone, where there is no memory for its teams.
Comm* with_teams(Comm& made, const Duplicate& duplicate) noexcept {
  const Ids& ids = duplicate.ids;
  made.team = team_of(duplicate.all, ids.team);
  if (made.team == nullptr) {
    drop(made);
    return nullptr;
  }
  made.context = context_of(ids.team);
  return made.inter ? with_local_team(&made, team_of(made.members, made.first_peer != 0 ? ids.first : ids.second))
                    : &made;
}

// The request has heard the ids.
int finish(Request& request) noexcept {
  auto* const duplicate = static_cast<Duplicate*>(request.what);
  Comm& made = *duplicate->made;
  const Ids ids = duplicate->ids;
  int code = MPI_SUCCESS;
  if (ids.team == 0 || (made.inter && (ids.first == 0 || ids.second == 0))) {
    drop(made);
    code = raise(request.comm, MPI_ERR_OTHER, "its first rank has made too many communicators; free some");
  } else {
    code = give_comm(*request.comm, with_teams(made, *duplicate), duplicate->newcomm);
  }
  duplicate->all.drop();
  delete duplicate;
  request.what = nullptr;
  return code;
}

int raise_no_memory(Comm& comm) noexcept {
  return raise(&comm, MPI_ERR_NO_MEM, "there is no memory for a communicator");
}

// Its message is received into the duplicate, which has what it needs.
int await(Comm& comm, Duplicate* duplicate, MPI_Request* handle) noexcept {
  Request* const request = new_request(&comm, Request::Does::kReceive);
  if (request == nullptr) {
    return raise_no_memory(comm);
  }
  msg::start_receive(request->message, {comm.internal_context(), comm.team->members.pe(0), 0, kTag},
                     {&duplicate->ids, sizeof duplicate->ids});
  request->active = true;
  request->finish = finish;
  request->what = duplicate;
  return give_request(request, handle);
}

}  // namespace

int comm_idup_with_info(Comm& comm, const Info* info, MPI_Comm* newcomm, MPI_Request* request) noexcept {
  Comm* const made = copy_of(comm);
  if (made == nullptr) {
    return raise_no_memory(comm);
  }
  auto* const duplicate = new (std::nothrow) Duplicate{made, comm.team->members, {}, newcomm};
  if (duplicate == nullptr) {
    drop(*made);
    return raise_no_memory(comm);
  }
  // As they are now, whatever the program does until it is complete.
  if (const int code = comm.attributes.copy_to(comm.number, made->attributes); code != MPI_SUCCESS) {
    (void)made->attributes.remove_all(comm.number);
    delete duplicate;
    drop(*made);
    return raise(&comm, code, "the copy function of an attribute returned %d", code);
  }
  (void)comm_set_info(*made, info);
  duplicate->all.keep();
  if (comm.team->me == 0 && !tell(comm)) {
    return raise_no_memory(comm);
  }
  return await(comm, duplicate, request);
}

int comm_idup(Comm& comm, MPI_Comm* newcomm, MPI_Request* request) noexcept {
  return comm_idup_with_info(comm, nullptr, newcomm, request);
}

}  // namespace weft::mpi

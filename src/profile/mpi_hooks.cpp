#include "profile/mpi_hooks.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "profile/beginning.hpp"
#include "profile/mpi_real.hpp"
#include "profile/session.hpp"

namespace weft::profile {
namespace {

constinit std::atomic<bool> g_is_weft = false;

struct Book {
  std::mutex mutex;
  std::map<MPI_Comm, Members> members;
};
Book& book() noexcept {
  static Book& made = *new Book;
  return made;
}

bool find_out_whose() noexcept {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  return WEFT_REAL_MPI(MPI_Get_library_version)(text, &length) == MPI_SUCCESS && std::strncmp(text, "Weft ", 5) == 0;
}

Members members_of(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_WORLD) {
    return {0, 1, session_header()->n_pes};
  }
  const std::scoped_lock lock(book().mutex);
  const auto found = book().members.find(comm);
  return found == book().members.end() ? Members{} : found->second;
}

// Of ranks that are not evenly spaced there is no short name, and nobody asks who came last.
Members evenly_spaced(const std::vector<int>& ranks) noexcept {
  const int stride = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
  for (std::size_t k = 1; k < ranks.size(); ++k) {
    if (ranks[k] - ranks[k - 1] != stride) {
      return {};
    }
  }
  return {ranks[0], stride, static_cast<int>(ranks.size())};
}

void open(const char* folder, const interpose::MpiInvocation& call, const Moment& moment) noexcept {
  int rank = 0;
  int size = 0;
  (void)WEFT_REAL_MPI(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  (void)WEFT_REAL_MPI(MPI_Comm_size)(MPI_COMM_WORLD, &size);
  const auto opened = open_session(mpi_beginning(folder, rank, size, moment));
  if (!opened) {
    (void)std::fprintf(stderr, "weft: rank %d: %s: WEFT_PROFILE: %s; this rank goes on without a profile\n", rank,
                       api::mpi::call_name(call.call), opened.error().text());
  }
}

}  // namespace

bool is_weft() noexcept { return g_is_weft.load(std::memory_order_relaxed); }

std::uint64_t bytes_of(long long count, MPI_Datatype datatype) noexcept {
  MPI_Count size = 0;
  if (count <= 0 || datatype == nullptr || datatype == MPI_DATATYPE_NULL ||
      WEFT_REAL_MPI(MPI_Type_size_c)(datatype, &size) != MPI_SUCCESS || size <= 0) {
    return 0;
  }
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

MpiCall::MpiCall(const interpose::MpiInvocation& call, Kind kind, bool meets, WindowUse use) noexcept
    : call_(call),
      kind_(kind),
      meets_(meets),
      use_(use),
      before_(passed()),
      probe_(is_weft() ? begin(static_cast<std::uint32_t>(call.call), kind, call.site) : Probe{Probe::kOff, 0}) {
  if (meets_ && probe_.site != Probe::kOff) {
    const bool of_all = call.op == api::mpi::Op::finalize;
    ticket_ = session_meetings().come(members_of(of_all ? MPI_COMM_WORLD : call.comm), probe_.begin);
  }
}

MpiCall::~MpiCall() {
  if (probe_.site == Probe::kOff) {
    return;
  }
  if (use_.kind != WindowUse::Kind::kNone) {
    end_in_window();
    return;
  }
  if (kind_ == Kind::kCollective || kind_ == Kind::kBarrier) {
    end_meeting(probe_, kind_, bytes_of(call_.count, call_.datatype), ticket_);
    return;
  }
  const Passed after = passed();
  Returned returned{.begin = probe_.begin, .end = session_clock().now()};
  returned.bytes = after.sent_bytes - before_.sent_bytes;
  if (kind_ == Kind::kSend && after.sent - before_.sent == 1) {
    if (ThreadRecorder* thread = recorder(); thread != nullptr) {
      thread->add_time_of_send(returned.bytes, returned.end > returned.begin ? returned.end - returned.begin : 0);
    }
  }
  if (kind_ == Kind::kWait) {
    if (const Awaited awaited = latest_awaited(); awaited.pe >= 0 && awaited.ticks > returned.begin) {
      returned.last = awaited.pe;
      returned.late = awaited.ticks - returned.begin;
      returned.by_message = true;
    }
  }
  count(probe_, kind_, returned);
}

void MpiCall::end_in_window() noexcept {
  Returned returned{.begin = probe_.begin, .end = session_clock().now()};
  const KnownWindow* const window = windows().find(reinterpret_cast<std::uintptr_t>(call_.win));
  if (use_.kind == WindowUse::Kind::kMoves) {
    returned.bytes = bytes_at_target(call_);
    returned.peer = window == nullptr ? -1 : window->pe(call_.rank);
  }
  count(probe_, kind_, returned);
  if (window == nullptr) {
    return;
  }
  if (use_.kind == WindowUse::Kind::kMoves) {
    window->count_moved(call_.rank, use_.moves, returned.bytes);
  } else {
    window->count_waited(call_.rank, use_.waits, returned.end > returned.begin ? returned.end - returned.begin : 0);
  }
}

MpiStarting::MpiStarting(const interpose::MpiInvocation& call) noexcept : call_(call) {
  if (session_header() == nullptr) {
    choose_clock();
  }
  moment_ = session_clock().moment();
}

MpiStarting::~MpiStarting() {
  const char* folder = ::secure_getenv("WEFT_PROFILE");
  int started = 0;
  if (folder == nullptr || *folder == '\0' || !find_out_whose() ||
      WEFT_REAL_MPI(MPI_Initialized)(&started) != MPI_SUCCESS || started == 0) {
    return;
  }
  g_is_weft.store(true, std::memory_order_relaxed);
  if (session_header() == nullptr) {
    open(folder, call_, moment_);
  }
  count_messages();
  Probe probe = begin(static_cast<std::uint32_t>(call_.call), Kind::kSetup, call_.site);
  probe.begin = moment_.ticks;
  end(probe, Kind::kSetup, 0, -1);
}

void learn_members(const MPI_Comm* made) noexcept {
  if (!is_weft() || session_header() == nullptr || made == nullptr || *made == MPI_COMM_NULL) {
    return;
  }
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group here = MPI_GROUP_NULL;
  int size = 0;
  (void)WEFT_REAL_MPI(MPI_Comm_group)(MPI_COMM_WORLD, &all);
  (void)WEFT_REAL_MPI(MPI_Comm_group)(*made, &here);
  (void)WEFT_REAL_MPI(MPI_Comm_size)(*made, &size);
  int is_inter = 0;
  (void)WEFT_REAL_MPI(MPI_Comm_test_inter)(*made, &is_inter);
  if (size > 0 && is_inter == 0) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::vector<int> of_world(ranks.size());
    for (int k = 0; k < size; ++k) {
      ranks[static_cast<std::size_t>(k)] = k;
    }
    (void)WEFT_REAL_MPI(MPI_Group_translate_ranks)(here, size, ranks.data(), all, of_world.data());
    const std::scoped_lock lock(book().mutex);
    book().members[*made] = evenly_spaced(of_world);
  }
  (void)WEFT_REAL_MPI(MPI_Group_free)(&all);
  (void)WEFT_REAL_MPI(MPI_Group_free)(&here);
}

void forget_members(const MPI_Comm* freed) noexcept {
  if (is_weft() && freed != nullptr) {
    const std::scoped_lock lock(book().mutex);
    book().members.erase(*freed);
  }
}

void note_mpi_end(bool finalised) noexcept {
  if (is_weft()) {
    mark_end(finalised ? State::kFinalised : State::kExited);
  }
}

void control_mpi(int level) noexcept {
  if (is_weft()) {
    control(level);
  }
}

}  // namespace weft::profile

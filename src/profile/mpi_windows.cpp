#include "profile/mpi_windows.hpp"

#include <numeric>

#include "profile/mpi_real.hpp"
#include "profile/program_site.hpp"
#include "profile/session.hpp"

namespace weft::profile {
namespace {

std::uintptr_t number_of(MPI_Win win) noexcept { return reinterpret_cast<std::uintptr_t>(win); }

// The members in the numbers of MPI_COMM_WORLD.
std::vector<int> members_of(MPI_Win win) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group here = MPI_GROUP_NULL;
  int size = 0;
  if (WEFT_REAL_MPI(MPI_Win_get_group)(win, &here) != MPI_SUCCESS) {
    return {};
  }
  (void)WEFT_REAL_MPI(MPI_Comm_group)(MPI_COMM_WORLD, &all);
  (void)WEFT_REAL_MPI(MPI_Group_size)(here, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> of_world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  (void)WEFT_REAL_MPI(MPI_Group_translate_ranks)(here, size, ranks.data(), all, of_world.data());
  (void)WEFT_REAL_MPI(MPI_Group_free)(&all);
  (void)WEFT_REAL_MPI(MPI_Group_free)(&here);
  return of_world;
}

std::uint64_t bytes_of(MPI_Win win) noexcept {
  void* attribute = nullptr;
  int is_set = 0;
  if (WEFT_REAL_MPI(MPI_Win_get_attr)(win, MPI_WIN_SIZE, static_cast<void*>(&attribute), &is_set) != MPI_SUCCESS ||
      is_set == 0 || attribute == nullptr) {
    return 0;
  }
  return static_cast<std::uint64_t>(*static_cast<MPI_Aint*>(attribute));
}

}  // namespace

WindowBook& windows() noexcept {
  static WindowBook& made = *new WindowBook;
  return made;
}

void learn_window(const interpose::MpiInvocation& call) noexcept {
  if (!is_weft() || session_header() == nullptr || call.made == nullptr || *call.made == MPI_WIN_NULL) {
    return;
  }
  const Header& header = *session_header();
  windows().use(session_folder(), header.pe, header.n_pes);
  const auto address = reinterpret_cast<std::uintptr_t>(place_in_program(call.site));
  windows().add(number_of(*call.made), {.call = static_cast<std::uint32_t>(call.call),
                                        .place = session_place(address),
                                        .bytes = bytes_of(*call.made),
                                        .pes = members_of(*call.made)});
}

void forget_window(const MPI_Win* freed) noexcept {
  if (is_weft() && freed != nullptr) {
    windows().forget(number_of(*freed));
  }
}

void name_window(MPI_Win win, const char* name) noexcept {
  if (is_weft() && name != nullptr) {
    windows().name(number_of(win), name);
  }
}

std::uint64_t bytes_at_target(const interpose::MpiInvocation& call) noexcept {
  using enum api::mpi::Op;
  const bool is_one = call.op == fetch_and_op || call.op == compare_and_swap;
  return bytes_of(is_one ? 1 : call.count, call.datatype);
}

}  // namespace weft::profile

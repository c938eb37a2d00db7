// Windows: the program's handles over those of the room `win`, their making and end, and what is asked of them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "mpi/attributes.hpp"
#include "mpi/communicators.hpp"
#include "mpi/errors.hpp"
#include "mpi/groups.hpp"
#include "mpi/info.hpp"
#include "win/window.hpp"

namespace weft::mpi {

struct Win : Watched {
  using Handle = MPI_Win;
  static constexpr HandleKind kKind = HandleKind::kWin;
  Win() noexcept { kind = kKind; }
  Win(const Win&) = delete;
  Win& operator=(const Win&) = delete;
  ~Win();

  win::Window window;
  // This process's part, which attributes point to.
  void* base = nullptr;
  MPI_Aint bytes = 0;
  int unit = 1;
  int flavor = MPI_WIN_FLAVOR_CREATE;
  bool is_taken = false;  // of the own area: what the window gave
  bool is_held = false;   // the program's, which goes back as it was
  bool has_locks = true;
  // By hints: what of one rank's accumulates to one element comes in order, and how much of a row is changed under one
  // lock, 0: as is best.
  bool reads_behind_changes = true;
  bool changes_behind_changes = true;
  std::uint32_t granularity = 0;
  /// Its members, for what they do together (need_team()); and by which team's id they find each other for that.
  group::Members members;
  group::Team* team = nullptr;
  std::uint64_t parent = 0;
  std::unique_ptr<std::string> name;
  std::unique_ptr<Info> hints;
  Attributes attributes;
};

/// Has the window's team made, nobody else's than the members', when they need it first: of thousands of windows most
/// never do. MPI_SUCCESS, or the call's result.
int need_team(Win& win) noexcept;

/// A rank of the window, or MPI_PROC_NULL; MPI_SUCCESS, or the call's result.
int check_win_rank(Win& win, int rank, const char* argument) noexcept;
int raise_mistake(Win& win, win::Mistake mistake, int rank = -1) noexcept;
/// An access outside an epoch.
int raise_not_open(Win& win, int rank) noexcept;

int win_allocate(MPI_Aint size, MPI_Aint disp_unit, const Info* info, Comm& comm, void* baseptr, MPI_Win* win) noexcept;
int win_allocate_shared(MPI_Aint size, MPI_Aint disp_unit, const Info* info, Comm& comm, void* baseptr,
                        MPI_Win* win) noexcept;
int win_create(void* base, MPI_Aint size, MPI_Aint disp_unit, const Info* info, Comm& comm, MPI_Win* win) noexcept;
int win_create_dynamic(const Info* info, Comm& comm, MPI_Win* win) noexcept;
int win_free(MPI_Win* win) noexcept;

int win_attach(Win& win, void* base, MPI_Aint size) noexcept;
int win_detach(Win& win, const void* base) noexcept;

int win_call_errhandler(Win& win, int errorcode) noexcept;
int win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler) noexcept;
int win_get_errhandler(Win& win, MPI_Errhandler* errhandler) noexcept;
int win_set_errhandler(Win& win, Errhandler& errhandler) noexcept;
int win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove, int* keyval,
                      void* extra_state) noexcept;
int win_delete_attr(Win& win, int keyval) noexcept;
int win_free_keyval(int* keyval) noexcept;
int win_get_attr(Win& win, int keyval, void* attribute_val, int* flag) noexcept;
int win_set_attr(Win& win, int keyval, void* attribute_val) noexcept;
int win_get_group(const Win& win, MPI_Group* group) noexcept;
int win_get_info(const Win& win, MPI_Info* info_used) noexcept;
int win_set_info(Win& win, const Info* info) noexcept;
/// Of what a window that is made already has some stay as they are.
void take_hints(Win& win, const Info* info, bool is_made) noexcept;
void set_hint(Win& win, const char* key, const char* value) noexcept;
int win_get_name(const Win* win, char* win_name, int* resultlen) noexcept;
int win_set_name(Win& win, const char* win_name) noexcept;
int win_shared_query(Win& win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) noexcept;
int win_shared_query(Win& win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr) noexcept;

int win_complete(Win& win) noexcept;
int win_fence(int assertion, Win& win) noexcept;
int win_flush(int rank, Win& win) noexcept;
int win_flush_all(Win& win) noexcept;
int win_flush_local(int rank, Win& win) noexcept;
int win_flush_local_all(Win& win) noexcept;
int win_lock(int lock_type, int rank, int assertion, Win& win) noexcept;
int win_lock_all(int assertion, Win& win) noexcept;
int win_post(const Group& group, int assertion, Win& win) noexcept;
int win_start(const Group& group, int assertion, Win& win) noexcept;
int win_sync(Win& win) noexcept;
int win_test(Win& win, int* flag) noexcept;
int win_unlock(int rank, Win& win) noexcept;
int win_unlock_all(Win& win) noexcept;
int win_wait(Win& win) noexcept;

}  // namespace weft::mpi

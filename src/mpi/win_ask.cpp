// Windows: names, groups, hints, attributes, error handlers, and where the memory of others is.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "mpi/windows.hpp"

namespace weft::mpi {
namespace {

// The hints that windows have, and what they are where the program has not said.
struct Hint {
  const char* key;
  const char* initial;
  bool is_flag;
};
constexpr Hint kHints[] = {
    {"no_locks", "false", true},
    {"accumulate_ordering", "rar,raw,war,waw", false},
    {"accumulate_ops", "same_op_no_op", false},
    {"same_size", "false", true},
    {"same_disp_unit", "false", true},
    {"mpi_accumulate_granularity", "0", false},
    {"alloc_shared_noncontig", "false", true},
    {"mpi_minimum_memory_alignment", "64", false},
    {"weft_lock", "near", false},
};

bool has(const Win& win, const Hint& hint) noexcept {
  const std::string_view key = hint.key;
  return key == "alloc_shared_noncontig"         ? win.flavor == MPI_WIN_FLAVOR_SHARED
         : key == "mpi_minimum_memory_alignment" ? win.is_taken
                                                 : true;
}

bool is_number(const std::string& value) noexcept {
  return !value.empty() && value.size() < 19 && value.find_first_not_of("0123456789") == std::string::npos;
}

// A list of some of these, each once at most, or "none".
bool is_ordering(std::string_view value) noexcept {
  if (value == "none") {
    return true;
  }
  while (!value.empty()) {
    const std::string_view one = value.substr(0, value.find(','));
    if (one != "rar" && one != "raw" && one != "war" && one != "waw") {
      return false;
    }
    value.remove_prefix(std::min(value.size(), one.size() + 1));
  }
  return true;
}

bool is_good(const Hint& hint, const std::string& value) noexcept {
  const std::string_view key = hint.key;
  return hint.is_flag                            ? value == "true" || value == "false"
         : key == "accumulate_ordering"          ? is_ordering(value)
         : key == "weft_lock"                    ? false  // it is told, and chosen when the window is made
         : key == "accumulate_ops"               ? value == "same_op" || value == "same_op_no_op"
         : key == "mpi_minimum_memory_alignment" ? alignment_in(&value) != 0
                                                 : is_number(value);
}

const std::string* hint_of(const Win& win, const char* key) noexcept {
  return win.hints == nullptr ? nullptr : win.hints->get(key);
}

// What a hint is, as far as something goes by it.
void heed(Win& win) noexcept {
  if (const std::string* const order = hint_of(win, "accumulate_ordering"); order != nullptr) {
    win.reads_behind_changes = order->find("raw") != std::string::npos;
    win.changes_behind_changes = order->find("waw") != std::string::npos;
  }
  if (const std::string* const bytes = hint_of(win, "mpi_accumulate_granularity"); bytes != nullptr) {
    win.granularity = static_cast<std::uint32_t>(std::min(std::strtoull(bytes->c_str(), nullptr, 10), 0xffff'ffffULL));
  }
}

// Hints that say of all parts what is not so are none.
bool is_so(Win& win, std::string_view key) noexcept {
  const win::Member& first = win.window.member(0);
  for (int k = 1; k < win.window.size(); ++k) {
    const win::Member& each = win.window.member(k);
    if ((key == "same_size" && each.bytes != first.bytes) || (key == "same_disp_unit" && each.unit != first.unit)) {
      return false;
    }
  }
  return true;
}

template <class Unit>
int shared_query(Win& win, int rank, MPI_Aint* size, Unit* disp_unit, void* baseptr) noexcept {
  if (baseptr == nullptr) {
    return raise(&win, MPI_ERR_ARG, "baseptr: is null");
  }
  if (const int code = check_win_rank(win, rank, "rank"); code != MPI_SUCCESS) {
    return code;
  }
  if (win.flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    return raise(&win, MPI_ERR_RMA_FLAVOR, "win: is a dynamic one, which has no memory of its own");
  }
  *size = 0;
  *disp_unit = 1;
  *static_cast<void**>(baseptr) = nullptr;
  // Without a rank: the first that has some.
  for (int k = rank == MPI_PROC_NULL ? 0 : rank; k < win.window.size(); ++k) {
    const win::Member& member = win.window.member(k);
    if (member.way == win::Way::kMapped && member.bytes > 0) {
      *size = static_cast<MPI_Aint>(member.bytes);
      *disp_unit = static_cast<Unit>(member.unit);
      *static_cast<void**>(baseptr) = member.base;
      if (k != win.window.me()) {
        win.window.expect_loads();
      }
    }
    if (rank != MPI_PROC_NULL || member.bytes > 0) {
      break;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

int win_get_group(const Win& win, MPI_Group* group) noexcept {
  win.members.keep();
  return give_group(win.members, group);
}

int win_get_info(const Win& win, MPI_Info* info_used) noexcept {
  auto* const made = new (std::nothrow) Info;
  if (made != nullptr) {
    for (const Hint& hint : kHints) {
      if (has(win, hint)) {
        const std::string* const set = hint_of(win, hint.key);
        made->set(hint.key, set == nullptr ? hint.initial : set->c_str());
      }
    }
  }
  return give_info(made, info_used);
}

int win_set_info(Win& win, const Info* info) noexcept {
  take_hints(win, info, true);
  return MPI_SUCCESS;
}

void set_hint(Win& win, const char* key, const char* value) noexcept {
  if (win.hints == nullptr) {
    win.hints = std::make_unique<Info>();
  }
  win.hints->set(key, value);
}

void take_hints(Win& win, const Info* info, bool is_made) noexcept {
  for (const Hint& hint : kHints) {
    const std::string* const value = info == nullptr ? nullptr : info->get(hint.key);
    // Values without sense are passed over, as hints may be.
    if (value != nullptr && has(win, hint) && is_good(hint, *value) && (*value != "true" || is_so(win, hint.key))) {
      // What a window was made with stays.
      const std::string_view key = hint.key;
      const bool is_fixed =
          key == "no_locks" || key == "alloc_shared_noncontig" || key == "mpi_minimum_memory_alignment";
      if (!is_fixed || !is_made) {
        set_hint(win, hint.key, value->c_str());
      }
    }
  }
  heed(win);
}

int win_get_name(const Win* win, char* win_name, int* resultlen) noexcept {
  const std::string_view name = win == nullptr         ? "MPI_WIN_NULL"
                                : win->name == nullptr ? ""
                                                       : std::string_view(*win->name);
  std::memcpy(win_name, name.data(), name.size());
  win_name[name.size()] = '\0';
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

int win_set_name(Win& win, const char* win_name) noexcept {
  win.name = std::make_unique<std::string>(std::string_view(win_name).substr(0, MPI_MAX_OBJECT_NAME - 1));
  win.window.set_label(win.name->c_str());
  return MPI_SUCCESS;
}

int win_shared_query(Win& win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) noexcept {
  return shared_query(win, rank, size, disp_unit, baseptr);
}

int win_shared_query(Win& win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr) noexcept {
  return shared_query(win, rank, size, disp_unit, baseptr);
}

int win_call_errhandler(Win& win, int errorcode) noexcept { return comm_call_errhandler(win, errorcode); }

int win_get_errhandler(Win& win, MPI_Errhandler* errhandler) noexcept { return comm_get_errhandler(win, errhandler); }

int win_set_errhandler(Win& win, Errhandler& errhandler) noexcept { return comm_set_errhandler(win, errhandler); }

}  // namespace weft::mpi

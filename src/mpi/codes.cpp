#include "mpi/codes.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/mpi/errors.hpp"

namespace weft::mpi {
namespace {

constexpr std::size_t kMostAdded = 1 << 20;
// A number that was removed is used again late: programs that kept it would get another one's text.
constexpr std::size_t kRemovedKept = 1024;

constexpr int kNone = -1;  // no class: MPI_SUCCESS, 0, is one

struct Added {
  int of_class = kNone;  // itself for a class, kNone for one that was removed
  int codes = 0;         // of a class
  std::optional<std::string> text;
};

struct Book {
  std::mutex mutex;
  std::vector<Added> added;  // from MPI_ERR_LASTCODE + 1 on
  std::deque<int> removed;   // the longest gone first
};

// Never destroyed: programs may ask for strings while they exit.
Book& book() noexcept {
  static Book& made = *new Book;
  return made;
}

constinit int g_last_used = MPI_ERR_LASTCODE;

const api::mpi::ErrorClass* standard(int code) noexcept {
  for (const api::mpi::ErrorClass& each : api::mpi::kErrorClasses) {
    if (each.value == code) {
      return &each;
    }
  }
  return nullptr;
}

// Under the lock.
Added* find_added(Book& in, int code) noexcept {
  if (code <= MPI_ERR_LASTCODE || static_cast<std::size_t>(code - MPI_ERR_LASTCODE) > in.added.size()) {
    return nullptr;
  }
  Added& found = in.added[static_cast<std::size_t>(code - MPI_ERR_LASTCODE - 1)];
  return found.of_class == kNone ? nullptr : &found;
}

bool is_added_class(Book& in, int code) noexcept {
  const Added* found = find_added(in, code);
  return found != nullptr && found->of_class == code;
}

// 0: there are too many.
int new_number(Book& in) noexcept {
  if (in.removed.size() > kRemovedKept) {
    const int code = in.removed.front();
    in.removed.pop_front();
    return code;
  }
  if (in.added.size() == kMostAdded) {
    return 0;
  }
  in.added.emplace_back();
  return MPI_ERR_LASTCODE + static_cast<int>(in.added.size());
}

// kNone as the class: itself.
int add(Book& in, int of_class) noexcept {
  const int code = new_number(in);
  if (code == 0) {
    return 0;
  }
  in.added[static_cast<std::size_t>(code - MPI_ERR_LASTCODE - 1)] = {of_class == kNone ? code : of_class, 0,
                                                                     std::nullopt};
  // Classes of the standard have no count: nobody removes them.
  if (Added* const its_class = of_class == kNone ? nullptr : find_added(in, of_class); its_class != nullptr) {
    ++its_class->codes;
  }
  g_last_used = std::max(g_last_used, code);
  return code;
}

void remove(Book& in, Added& found, int code) noexcept {
  if (Added* const its_class = found.of_class == code ? nullptr : find_added(in, found.of_class);
      its_class != nullptr) {
    --its_class->codes;
  }
  found = {};
  in.removed.push_back(code);
}

}  // namespace

bool is_code(int code) noexcept {
  if (standard(code) != nullptr) {
    return true;
  }
  const std::scoped_lock lock(book().mutex);
  return find_added(book(), code) != nullptr;
}

int class_of(int code) noexcept {
  if (standard(code) != nullptr) {
    return code;
  }
  const std::scoped_lock lock(book().mutex);
  const Added* found = find_added(book(), code);
  return found == nullptr ? MPI_ERR_UNKNOWN : found->of_class;
}

const char* name_of_code(int code) noexcept {
  const api::mpi::ErrorClass* found = standard(code);
  return found == nullptr ? nullptr : found->name;
}

bool string_of(int code, char* text) noexcept {
  if (const api::mpi::ErrorClass* found = standard(code); found != nullptr) {
    (void)std::snprintf(text, MPI_MAX_ERROR_STRING, "%s: %s", found->name, found->says);
    return true;
  }
  const std::scoped_lock lock(book().mutex);
  const Added* found = find_added(book(), code);
  if (found != nullptr) {
    (void)std::snprintf(text, MPI_MAX_ERROR_STRING, "%s", found->text ? found->text->c_str() : "");
  }
  return found != nullptr;
}

int add_class() noexcept {
  const std::scoped_lock lock(book().mutex);
  return add(book(), kNone);
}

int add_code(int of_class) noexcept {
  const std::scoped_lock lock(book().mutex);
  return add(book(), of_class);
}

bool set_string(int code, const char* text) noexcept {
  const std::scoped_lock lock(book().mutex);
  Added* found = find_added(book(), code);
  if (found != nullptr) {
    found->text = text;
  }
  return found != nullptr;
}

Removed remove_class(int code) noexcept {
  const std::scoped_lock lock(book().mutex);
  if (!is_added_class(book(), code)) {
    return Removed::kNotAdded;
  }
  Added& found = *find_added(book(), code);
  if (found.codes > 0) {
    return Removed::kInUse;
  }
  if (found.text) {
    return Removed::kHasText;
  }
  remove(book(), found, code);
  return Removed::kYes;
}

Removed remove_code(int code) noexcept {
  const std::scoped_lock lock(book().mutex);
  Added* found = find_added(book(), code);
  if (found == nullptr || found->of_class == code) {
    return Removed::kNotAdded;
  }
  if (found->text) {
    return Removed::kHasText;
  }
  remove(book(), *found, code);
  return Removed::kYes;
}

Removed remove_string(int code) noexcept {
  const std::scoped_lock lock(book().mutex);
  Added* found = find_added(book(), code);
  if (found == nullptr || !found->text) {
    return Removed::kNotAdded;
  }
  found->text.reset();
  return Removed::kYes;
}

int* last_used_code() noexcept { return &g_last_used; }

}  // namespace weft::mpi

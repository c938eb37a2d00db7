#include "mpi/codes.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "api/mpi/errors.hpp"

namespace weft::mpi {
namespace {

// Where a number is used again that was removed, programs that kept it would get another one's text; there are enough.
constexpr std::size_t kMostAdded = 1 << 20;

struct Added {
  int of_class = 0;  // itself for a class, 0 for one that was removed
  std::string text;
};

struct Book {
  std::mutex mutex;
  std::vector<Added> added;  // from MPI_ERR_LASTCODE + 1 on
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
  const int index = code - MPI_ERR_LASTCODE - 1;
  if (index < 0 || static_cast<std::size_t>(index) >= in.added.size()) {
    return nullptr;
  }
  Added& found = in.added[static_cast<std::size_t>(index)];
  return found.of_class == 0 ? nullptr : &found;
}

bool is_added_class(Book& in, int code) noexcept {
  const Added* found = find_added(in, code);
  return found != nullptr && found->of_class == code;
}

// 0 as the class: itself.
int add(Book& in, int of_class) noexcept {
  if (in.added.size() == kMostAdded) {
    return 0;
  }
  const int code = MPI_ERR_LASTCODE + 1 + static_cast<int>(in.added.size());
  in.added.push_back({of_class == 0 ? code : of_class, {}});
  g_last_used = code;
  return code;
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
    (void)std::snprintf(text, MPI_MAX_ERROR_STRING, "%s", found->text.c_str());
  }
  return found != nullptr;
}

int add_class() noexcept {
  const std::scoped_lock lock(book().mutex);
  return add(book(), 0);
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
  const bool used = std::any_of(book().added.begin(), book().added.end(), [&](const Added& each) {
    return each.of_class == code && &each != find_added(book(), code);
  });
  if (used) {
    return Removed::kInUse;
  }
  *find_added(book(), code) = {};
  return Removed::kYes;
}

Removed remove_code(int code) noexcept {
  const std::scoped_lock lock(book().mutex);
  Added* found = find_added(book(), code);
  if (found == nullptr || found->of_class == code) {
    return Removed::kNotAdded;
  }
  *found = {};
  return Removed::kYes;
}

Removed remove_string(int code) noexcept {
  const std::scoped_lock lock(book().mutex);
  Added* found = find_added(book(), code);
  if (found == nullptr || found->text.empty()) {
    return Removed::kNotAdded;
  }
  found->text.clear();
  return Removed::kYes;
}

int* last_used_code() noexcept { return &g_last_used; }

}  // namespace weft::mpi

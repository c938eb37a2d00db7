// Names of files in shared memory, and what is told of files there.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "dsm/libc/real.hpp"
#include "dsm/libc/touch.hpp"

namespace weft::dsm::libc {
namespace {

// Found by looking for its end, which touches it.
Span text(const char* name) noexcept {
  const Span first{name, 1, Use::kFrom};
  return is_paged(first) ? Span{name, std::strlen(name) + 1, Use::kFrom} : first;
}

template <class What>
Span into(What* what) noexcept {
  return {what, sizeof *what, Use::kInto};
}

bool makes_files(int flags) noexcept { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace
}  // namespace weft::dsm::libc

using weft::dsm::libc::into;
using weft::dsm::libc::makes_files;
using weft::dsm::libc::text;
using weft::dsm::libc::Use;
using weft::dsm::libc::with;

// The mode that follows the flags, where files are made.
#define MODE_AFTER(flags)        \
  mode_t mode = 0;               \
  if (makes_files(flags)) {      \
    va_list more;                \
    va_start(more, flags);       \
    mode = va_arg(more, mode_t); \
    va_end(more);                \
  }

#pragma GCC visibility push(default)
extern "C" {

// NOLINTBEGIN(cert-dcl50-cpp): as the C library declares them.
int open(const char* name, int flags, ...) {
  MODE_AFTER(flags)
  return with(text(name), [=] { return WEFT_REAL(open)(name, flags, mode); });
}
int open64(const char* name, int flags, ...) {
  MODE_AFTER(flags)
  return with(text(name), [=] { return WEFT_REAL(open64)(name, flags, mode); });
}
int openat(int folder, const char* name, int flags, ...) {
  MODE_AFTER(flags)
  return with(text(name), [=] { return WEFT_REAL(openat)(folder, name, flags, mode); });
}
int openat64(int folder, const char* name, int flags, ...) {
  MODE_AFTER(flags)
  return with(text(name), [=] { return WEFT_REAL(openat64)(folder, name, flags, mode); });
}
// NOLINTEND(cert-dcl50-cpp)
int creat(const char* name, mode_t mode) {
  return with(text(name), [=] { return WEFT_REAL(creat)(name, mode); });
}
int creat64(const char* name, mode_t mode) {
  return with(text(name), [=] { return WEFT_REAL(creat64)(name, mode); });
}
// Weak, as who knows more of a program has its own (omp/program).
[[gnu::weak]] FILE* fopen(const char* name, const char* mode) {
  return with(text(name), [=] { return WEFT_REAL(fopen)(name, mode); });
}
[[gnu::weak]] FILE* fopen64(const char* name, const char* mode) {
  return with(text(name), [=] { return WEFT_REAL(fopen64)(name, mode); });
}
DIR* opendir(const char* name) {
  return with(text(name), [=] { return WEFT_REAL(opendir)(name); });
}
int access(const char* name, int mode) noexcept {
  return with(text(name), [=] { return WEFT_REAL(access)(name, mode); });
}
int stat(const char* name, struct stat* what) noexcept {
  return with(text(name), into(what), [=] { return WEFT_REAL(stat)(name, what); });
}
int stat64(const char* name, struct stat64* what) noexcept {
  return with(text(name), into(what), [=] { return WEFT_REAL(stat64)(name, what); });
}
int lstat(const char* name, struct stat* what) noexcept {
  return with(text(name), into(what), [=] { return WEFT_REAL(lstat)(name, what); });
}
int lstat64(const char* name, struct stat64* what) noexcept {
  return with(text(name), into(what), [=] { return WEFT_REAL(lstat64)(name, what); });
}
int fstat(int fd, struct stat* what) noexcept {
  return with(into(what), [=] { return WEFT_REAL(fstat)(fd, what); });
}
int fstat64(int fd, struct stat64* what) noexcept {
  return with(into(what), [=] { return WEFT_REAL(fstat64)(fd, what); });
}
int fstatat(int folder, const char* name, struct stat* what, int flags) noexcept {
  return with(text(name), into(what), [=] { return WEFT_REAL(fstatat)(folder, name, what, flags); });
}
int fstatat64(int folder, const char* name, struct stat64* what, int flags) noexcept {
  return with(text(name), into(what), [=] { return WEFT_REAL(fstatat64)(folder, name, what, flags); });
}
int unlink(const char* name) noexcept {
  return with(text(name), [=] { return WEFT_REAL(unlink)(name); });
}
int remove(const char* name) noexcept {
  return with(text(name), [=] { return WEFT_REAL(remove)(name); });
}
int rename(const char* from, const char* to) noexcept {
  return with(text(from), text(to), [=] { return WEFT_REAL(rename)(from, to); });
}
int mkdir(const char* name, mode_t mode) noexcept {
  return with(text(name), [=] { return WEFT_REAL(mkdir)(name, mode); });
}
int rmdir(const char* name) noexcept {
  return with(text(name), [=] { return WEFT_REAL(rmdir)(name); });
}
// Weak: a front end may have one that does more.
[[gnu::weak]] int chdir(const char* name) noexcept {
  return with(text(name), [=] { return WEFT_REAL(chdir)(name); });
}
ssize_t readlink(const char* name, char* buf, size_t n) noexcept {
  return with(text(name), {buf, n, Use::kInto}, [=] { return WEFT_REAL(readlink)(name, buf, n); });
}
char* getcwd(char* buf, size_t n) noexcept {
  return with({buf, n, Use::kInto}, [=] { return WEFT_REAL(getcwd)(buf, n); });
}

}  // extern "C"
#pragma GCC visibility pop

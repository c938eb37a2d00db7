// Functions that carry data between memory and what is outside of the program.
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "dsm/libc/real.hpp"
#include "dsm/libc/touch.hpp"

namespace weft::dsm::libc {
namespace {

// What is read from anything but a file comes as it comes, mostly less than there is room for: beyond this nothing is
// fetched for it, and the call returns with so much at a time.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 20;

// It has places: the rest of what was begun there follows.
bool is_file(int fd) noexcept {
  const int before = errno;
  const bool has_places = ::lseek(fd, 0, SEEK_CUR) >= 0;
  errno = before;
  return has_places;
}
bool is_stream(int fd) noexcept {
  int type = 0;
  socklen_t bytes = sizeof type;
  const int before = errno;
  const bool is = ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM;
  errno = before;
  return is;
}

// Moves bytes by move(how many are done). A call that ends early as a page went away under it, which is where one
// begins, is gone on with where it would have moved all: that is so of files, and where `whole` says so. One that ends
// early for another reason, as a signal, ends.
template <class Move>
ssize_t moved(int fd, const Span& span, bool whole, Move&& move) noexcept {
  if (!is_paged(span)) {
    return move(std::size_t{0});
  }
  bool is_whole = whole;
  for (std::size_t done = 0;;) {
    Span left{static_cast<const std::byte*>(span.at) + done, span.bytes - done, span.use};
    if (left.bytes > kMostAtOnce) {
      is_whole = is_whole || is_file(fd);
      left.bytes = is_whole ? left.bytes : kMostAtOnce;
    }
    const ssize_t now = again([&] { touch(left); }, [&] { return move(done); });
    if (now <= 0) {
      return done > 0 ? static_cast<ssize_t>(done) : now;
    }
    done += static_cast<std::size_t>(now);
    const bool at_a_page = (reinterpret_cast<std::uintptr_t>(span.at) + done) % kPageBytes == 0;
    if (done >= span.bytes || !((is_whole && at_a_page) || is_file(fd))) {
      return static_cast<ssize_t>(done);
    }
  }
}

// The rest of a buffer of which so much is done.
std::byte* rest(void* buf, std::size_t done) noexcept { return static_cast<std::byte*>(buf) + done; }
const std::byte* rest(const void* buf, std::size_t done) noexcept { return static_cast<const std::byte*>(buf) + done; }
off64_t behind(off64_t at, std::size_t done) noexcept { return at + static_cast<off64_t>(done); }

template <class Look>
void each_piece(const iovec* vector, int count, Use use, Look&& look) noexcept {
  for (int k = 0; vector != nullptr && k < count; ++k) {
    look(Span{vector[k].iov_base, vector[k].iov_len, use});
  }
}

template <class Call>
ssize_t with_vector(const iovec* vector, int count, Use use, Call&& call) noexcept {
  const Span own{vector, static_cast<std::size_t>(std::max(count, 0)) * sizeof(iovec), Use::kFrom};
  bool paged = is_paged(own);
  each_piece(vector, count, use, [&](const Span& span) { paged = paged || is_paged(span); });
  if (!paged) {
    return call();
  }
  return again(
      [&] {
        touch(own);
        each_piece(vector, count, use, touch);
      },
      call);
}

// Of files the pieces are moved one by one, so that none ends early: move(memory, bytes, how many are done).
template <class Call, class Move>
ssize_t moved_vector(int fd, const iovec* vector, int count, Use use, Call&& call, Move&& move) noexcept {
  bool paged = false;
  each_piece(vector, count, use, [&](const Span& span) { paged = paged || is_paged(span); });
  if (!paged || !is_file(fd)) {
    return with_vector(vector, count, use, call);
  }
  std::size_t done = 0;
  for (int k = 0; k < count; ++k) {
    const ssize_t now = move(vector[k].iov_base, vector[k].iov_len, done);
    if (now < 0 && done == 0) {
      return now;
    }
    done += static_cast<std::size_t>(std::max<ssize_t>(now, 0));
    if (now < 0 || static_cast<std::size_t>(now) < vector[k].iov_len) {
      break;
    }
  }
  return static_cast<ssize_t>(done);
}

template <class Call>
ssize_t with_message(const msghdr* message, Use use, Call&& call) noexcept {
  if (message == nullptr) {
    return call();
  }
  const Span head{message, sizeof *message, use};
  const Span name{message->msg_name, message->msg_namelen, use};
  const Span control{message->msg_control, message->msg_controllen, use};
  const auto vector = [&] {
    return with_vector(message->msg_iov, static_cast<int>(std::min<std::size_t>(message->msg_iovlen, IOV_MAX)), use,
                       call);
  };
  if (!is_paged(head) && !is_paged(name) && !is_paged(control)) {
    return vector();
  }
  return again(
      [&] {
        touch(head);
        touch(name);
        touch(control);
      },
      vector);
}

// Elements of a file, in memory whose pages may go away again while the C library makes one system call after the
// other: they go by way of other memory. As if it were one call, the file stays locked.
constexpr std::size_t kOnTheWay = 16384;

template <class Piece>
std::size_t by_pieces(std::size_t size, std::size_t count, Piece&& piece) noexcept {
  const std::size_t bytes = size * count;
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t wanted = std::min(bytes - done, kOnTheWay);
    const std::size_t moved = piece(done, wanted);
    done += moved;
    if (moved < wanted) {
      break;
    }
  }
  return done / size;
}

bool elements_are_paged(const void* at, std::size_t size, std::size_t count) noexcept {
  std::size_t bytes = 0;
  return !__builtin_mul_overflow(size, count, &bytes) && is_paged({at, bytes, Use::kFrom});
}

std::size_t read_elements(void* at, std::size_t size, std::size_t count, FILE* file) noexcept {
  std::byte way[kOnTheWay];
  return by_pieces(size, count, [&](std::size_t done, std::size_t bytes) {
    const std::size_t got = WEFT_REAL(fread_unlocked)(way, 1, bytes, file);
    std::memcpy(static_cast<std::byte*>(at) + done, way, got);
    return got;
  });
}

std::size_t write_elements(const void* at, std::size_t size, std::size_t count, FILE* file) noexcept {
  std::byte way[kOnTheWay];
  return by_pieces(size, count, [&](std::size_t done, std::size_t bytes) {
    std::memcpy(way, static_cast<const std::byte*>(at) + done, bytes);
    return WEFT_REAL(fwrite_unlocked)(way, 1, bytes, file);
  });
}

class Locked {
 public:
  explicit Locked(FILE* file) noexcept : file_(file) { ::flockfile(file_); }
  ~Locked() { ::funlockfile(file_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  FILE* file_;
};

Span length_of(socklen_t* length) noexcept { return {length, length == nullptr ? 0 : sizeof *length, Use::kInto}; }

}  // namespace
}  // namespace weft::dsm::libc

using weft::dsm::libc::behind;
using weft::dsm::libc::elements_are_paged;
using weft::dsm::libc::is_stream;
using weft::dsm::libc::length_of;
using weft::dsm::libc::Locked;
using weft::dsm::libc::moved;
using weft::dsm::libc::moved_vector;
using weft::dsm::libc::read_elements;
using weft::dsm::libc::rest;
using weft::dsm::libc::Span;
using weft::dsm::libc::Use;
using weft::dsm::libc::with;
using weft::dsm::libc::with_message;
using weft::dsm::libc::write_elements;

#pragma GCC visibility push(default)
extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the C library's names.

// What a program that is compiled with -D_FORTIFY_SOURCE calls, with the size of what it knows to be there.
ssize_t __read_chk(int fd, void* buf, size_t n, size_t size);
ssize_t __pread_chk(int fd, void* buf, size_t n, off_t at, size_t size);
ssize_t __pread64_chk(int fd, void* buf, size_t n, off64_t at, size_t size);
ssize_t __recv_chk(int fd, void* buf, size_t n, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void* buf, size_t n, size_t size, int flags, sockaddr* from, socklen_t* length);
size_t __fread_chk(void* buf, size_t room, size_t size, size_t count, FILE* file);
size_t __fread_unlocked_chk(void* buf, size_t room, size_t size, size_t count, FILE* file);

ssize_t read(int fd, void* buf, size_t n) {
  return moved(fd, {buf, n, Use::kInto}, false,
               [=](size_t done) { return WEFT_REAL(read)(fd, rest(buf, done), n - done); });
}
ssize_t __read_chk(int fd, void* buf, size_t n, size_t size) {
  return n > size ? WEFT_REAL(__read_chk)(fd, buf, n, size) : read(fd, buf, n);
}
ssize_t pread64(int fd, void* buf, size_t n, off64_t at) {
  return moved(fd, {buf, n, Use::kInto}, false,
               [=](size_t done) { return WEFT_REAL(pread64)(fd, rest(buf, done), n - done, behind(at, done)); });
}
ssize_t pread(int fd, void* buf, size_t n, off_t at) { return pread64(fd, buf, n, at); }
ssize_t __pread64_chk(int fd, void* buf, size_t n, off64_t at, size_t size) {
  return n > size ? WEFT_REAL(__pread64_chk)(fd, buf, n, at, size) : pread64(fd, buf, n, at);
}
ssize_t __pread_chk(int fd, void* buf, size_t n, off_t at, size_t size) { return __pread64_chk(fd, buf, n, at, size); }
ssize_t readv(int fd, const iovec* vector, int count) {
  return moved_vector(
      fd, vector, count, Use::kInto, [=] { return WEFT_REAL(readv)(fd, vector, count); },
      [=](void* at, size_t n, size_t /*done*/) { return read(fd, at, n); });
}
ssize_t preadv64(int fd, const iovec* vector, int count, off64_t at) {
  return moved_vector(
      fd, vector, count, Use::kInto, [=] { return WEFT_REAL(preadv64)(fd, vector, count, at); },
      [=](void* to, size_t n, size_t done) { return pread64(fd, to, n, behind(at, done)); });
}
ssize_t preadv(int fd, const iovec* vector, int count, off_t at) { return preadv64(fd, vector, count, at); }

ssize_t write(int fd, const void* buf, size_t n) {
  return moved(fd, {buf, n, Use::kFrom}, true,
               [=](size_t done) { return WEFT_REAL(write)(fd, rest(buf, done), n - done); });
}
ssize_t pwrite64(int fd, const void* buf, size_t n, off64_t at) {
  return moved(fd, {buf, n, Use::kFrom}, true,
               [=](size_t done) { return WEFT_REAL(pwrite64)(fd, rest(buf, done), n - done, behind(at, done)); });
}
ssize_t pwrite(int fd, const void* buf, size_t n, off_t at) { return pwrite64(fd, buf, n, at); }
ssize_t writev(int fd, const iovec* vector, int count) {
  return moved_vector(
      fd, vector, count, Use::kFrom, [=] { return WEFT_REAL(writev)(fd, vector, count); },
      [=](const void* at, size_t n, size_t /*done*/) { return write(fd, at, n); });
}
ssize_t pwritev64(int fd, const iovec* vector, int count, off64_t at) {
  return moved_vector(
      fd, vector, count, Use::kFrom, [=] { return WEFT_REAL(pwritev64)(fd, vector, count, at); },
      [=](const void* from, size_t n, size_t done) { return pwrite64(fd, from, n, behind(at, done)); });
}
ssize_t pwritev(int fd, const iovec* vector, int count, off_t at) { return pwritev64(fd, vector, count, at); }

ssize_t recv(int fd, void* buf, size_t n, int flags) {
  const bool waits_for_all = (flags & (MSG_WAITALL | MSG_PEEK | MSG_TRUNC)) == MSG_WAITALL && is_stream(fd);
  return moved(fd, {buf, n, Use::kInto}, waits_for_all,
               [=](size_t done) { return WEFT_REAL(recv)(fd, rest(buf, done), n - done, flags); });
}
ssize_t __recv_chk(int fd, void* buf, size_t n, size_t size, int flags) {
  return n > size ? WEFT_REAL(__recv_chk)(fd, buf, n, size, flags) : recv(fd, buf, n, flags);
}
ssize_t recvfrom(int fd, void* buf, size_t n, int flags, sockaddr* from, socklen_t* length) {
  const Span name{from, from == nullptr || length == nullptr ? 0 : *length, Use::kInto};
  return with(name, length_of(length), [&] {
    return moved(fd, {buf, n, Use::kInto}, false,
                 [&](size_t done) { return WEFT_REAL(recvfrom)(fd, rest(buf, done), n - done, flags, from, length); });
  });
}
ssize_t __recvfrom_chk(int fd, void* buf, size_t n, size_t size, int flags, sockaddr* from, socklen_t* length) {
  return n > size ? WEFT_REAL(__recvfrom_chk)(fd, buf, n, size, flags, from, length)
                  : recvfrom(fd, buf, n, flags, from, length);
}
ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return with_message(message, Use::kInto, [=] { return WEFT_REAL(recvmsg)(fd, message, flags); });
}
ssize_t send(int fd, const void* buf, size_t n, int flags) {
  return moved(fd, {buf, n, Use::kFrom}, true,
               [=](size_t done) { return WEFT_REAL(send)(fd, rest(buf, done), n - done, flags); });
}
ssize_t sendto(int fd, const void* buf, size_t n, int flags, const sockaddr* to, socklen_t length) {
  return with({buf, n, Use::kFrom}, {to, length, Use::kFrom},
              [=] { return WEFT_REAL(sendto)(fd, buf, n, flags, to, length); });
}
ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  return with_message(message, Use::kFrom, [=] { return WEFT_REAL(sendmsg)(fd, message, flags); });
}
ssize_t getrandom(void* buf, size_t n, unsigned flags) {
  return with({buf, n, Use::kInto}, [=] { return WEFT_REAL(getrandom)(buf, n, flags); });
}

size_t fread_unlocked(void* buf, size_t size, size_t count, FILE* file) {
  return elements_are_paged(buf, size, count) ? read_elements(buf, size, count, file)
                                              : WEFT_REAL(fread_unlocked)(buf, size, count, file);
}
size_t fread(void* buf, size_t size, size_t count, FILE* file) {
  if (!elements_are_paged(buf, size, count)) {
    return WEFT_REAL(fread)(buf, size, count, file);
  }
  const Locked locked(file);
  return read_elements(buf, size, count, file);
}
// The C library's own one ends the program where there is not so much room.
size_t __fread_chk(void* buf, size_t room, size_t size, size_t count, FILE* file) {
  return elements_are_paged(buf, size, count) && size * count <= room
             ? fread(buf, size, count, file)
             : WEFT_REAL(__fread_chk)(buf, room, size, count, file);
}
size_t __fread_unlocked_chk(void* buf, size_t room, size_t size, size_t count, FILE* file) {
  return elements_are_paged(buf, size, count) && size * count <= room
             ? fread_unlocked(buf, size, count, file)
             : WEFT_REAL(__fread_unlocked_chk)(buf, room, size, count, file);
}
size_t fwrite_unlocked(const void* buf, size_t size, size_t count, FILE* file) {
  return elements_are_paged(buf, size, count) ? write_elements(buf, size, count, file)
                                              : WEFT_REAL(fwrite_unlocked)(buf, size, count, file);
}
size_t fwrite(const void* buf, size_t size, size_t count, FILE* file) {
  if (!elements_are_paged(buf, size, count)) {
    return WEFT_REAL(fwrite)(buf, size, count, file);
  }
  const Locked locked(file);
  return write_elements(buf, size, count, file);
}

// NOLINTEND(readability-identifier-naming)

}  // extern "C"
#pragma GCC visibility pop

#include "profile/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace weft::profile {
namespace {

using base::Error;
using base::Result;

struct Path {
  char text[PATH_MAX];
};

Path path_in(const char* folder, const char* file) noexcept {
  Path path;
  (void)std::snprintf(path.text, sizeof path.text, "%s/%s", folder, file);
  return path;
}

Path path_of_pe(const char* folder, int pe) noexcept {
  char name[32];
  (void)std::snprintf(name, sizeof name, kPeFile, pe);
  return path_in(folder, name);
}

Result<void*> map_part(const Path& path, int flags, std::uint64_t offset, std::uint64_t bytes) noexcept {
  const int file = ::open(path.text, flags | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) {
    return Error::make("cannot open %s: %s", path.text, std::strerror(errno));
  }
  if (const int problem = ::posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
      problem != 0) {
    ::close(file);
    return Error::make("no room for %llu KiB in %s: %s", static_cast<unsigned long long>(bytes >> 10), path.text,
                       std::strerror(problem));
  }
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  const int problem = errno;
  ::close(file);
  if (at == MAP_FAILED) {
    return Error::make("cannot map %s: %s", path.text, std::strerror(problem));
  }
  return at;
}

}  // namespace

Result<void> make_folder(const char* folder) noexcept {
  if (::mkdir(folder, 0777) == 0 || errno == EEXIST) {
    return {};
  }
  return Error::make("cannot make the folder %s: %s", folder, std::strerror(errno));
}

Result<Header*> make_recording(const char* folder, int pe, int n_pes, std::uint32_t trace_room) noexcept {
  const auto mapped = map_part(path_of_pe(folder, pe), O_CREAT | O_TRUNC, 0, kHeaderBytes);
  if (!mapped) {
    return mapped.error();
  }
  auto* header = static_cast<Header*>(*mapped);
  header->layout = kLayout;
  header->pe = pe;
  header->n_pes = n_pes;
  header->pid = ::getpid();
  header->state = State::kRunning;
  header->trace_room = trace_room;
  header->part_bytes = part_bytes(n_pes, trace_room);
  header->magic = kMagic;
  return header;
}

ThreadPart* add_part(const char* folder, Header* header) noexcept {
  const std::uint32_t number = header->parts.load(std::memory_order_relaxed);
  if (number == kMaxThreads) {
    return nullptr;
  }
  const auto mapped =
      map_part(path_of_pe(folder, header->pe), 0, kHeaderBytes + number * header->part_bytes, header->part_bytes);
  if (!mapped) {
    return nullptr;
  }
  auto* part = static_cast<ThreadPart*>(*mapped);
  part->inside_site = kNotInside;
  part->line.shift = TimeLine::kFirstShift;
  part->line.origin = header->first.ticks;
  header->parts.store(number + 1, std::memory_order_release);
  return part;
}

void forget_meetings(const char* folder) noexcept { (void)::unlink(path_in(folder, kJobFile).text); }

Result<Meetings*> open_meetings(const char* folder) noexcept {
  const auto mapped = map_part(path_in(folder, kJobFile), O_CREAT, 0, sizeof(Meetings));
  if (!mapped) {
    return mapped.error();
  }
  return static_cast<Meetings*>(*mapped);
}

}  // namespace weft::profile

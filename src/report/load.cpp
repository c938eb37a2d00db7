#include "report/load.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "os/clock.hpp"
#include "profile/routines.hpp"

namespace weft::report {
namespace {

using base::Error;
using base::Result;

struct Mapped {
  const std::byte* bytes = nullptr;
  std::size_t size = 0;
};

std::string pe_path(const std::string& folder, int pe) {
  char name[32];
  (void)std::snprintf(name, sizeof name, profile::kPeFile, pe);
  return folder + "/" + name;
}

Result<Mapped> map_file(const std::string& path, std::size_t at_least, bool to_write) {
  const int file = ::open(path.c_str(), (to_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (file < 0) return Error::make("cannot open %.400s: %s", path.c_str(), std::strerror(errno));
  struct stat status {};
  (void)::fstat(file, &status);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < at_least) {
    ::close(file);
    return Error::make("%.400s is too short to be a recording", path.c_str());
  }
  void* at = ::mmap(nullptr, size, to_write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
  const int problem = errno;
  ::close(file);
  if (at == MAP_FAILED) return Error::make("cannot map %.400s: %s", path.c_str(), std::strerror(problem));
  return Mapped{static_cast<const std::byte*>(at), size};
}

Result<RawPe> load_pe(const std::string& path) {
  const auto mapped = map_file(path, profile::kHeaderBytes, false);
  if (!mapped) return mapped.error();
  RawPe pe;
  pe.header = reinterpret_cast<const profile::Header*>(mapped->bytes);
  if (pe.header->magic != profile::kMagic) return Error::make("%.400s is not a recording of Weft", path.c_str());
  if (pe.header->layout != profile::kLayout || pe.header->calls_hash != profile::hash_of_routines()) {
    return Error::make("%.300s was written by another version of Weft; use the weft-profile that came with it",
                       path.c_str());
  }
  const std::size_t each = pe.header->part_bytes;
  const std::size_t there = each == 0 ? 0 : (mapped->size - profile::kHeaderBytes) / each;
  const std::size_t parts = pe.header->parts.load(std::memory_order_acquire);
  for (std::size_t k = 0; k < parts && k < there; ++k) {
    pe.parts.push_back(reinterpret_cast<const profile::ThreadPart*>(mapped->bytes + profile::kHeaderBytes + k * each));
  }
  return pe;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Result<Raw> load(const std::string& folder) {
  if (!exists(folder)) return Error::make("there is no folder %.400s", folder.c_str());
  Raw raw;
  int n_pes = 1;
  int found = 0;
  for (int pe = 0; pe < n_pes; ++pe) {
    const std::string path = pe_path(folder, pe);
    raw.pes.emplace_back();
    if (!exists(path)) {
      // Any PE's file tells how many there are.
      if (found == 0 && n_pes < (1 << profile::Meetings::kPeBits)) n_pes = pe + 2;
      continue;
    }
    const auto loaded = load_pe(path);
    if (!loaded) return loaded.error();
    raw.pes.back() = *loaded;
    n_pes = loaded->header->n_pes;
    ++found;
  }
  if (found == 0) {
    return Error::make("%.300s has no recording (%s); did its program call shmem_init?", folder.c_str(), "pe.0.weft");
  }
  const std::string meetings = folder + "/" + profile::kJobFile;
  if (const auto mapped = map_file(meetings, sizeof(profile::Meetings), false); mapped) {
    raw.ended_ns = reinterpret_cast<const profile::Meetings*>(mapped->bytes)->ended_ns;
  }
  return raw;
}

Result<void> note_end(const std::string& folder) {
  const auto mapped = map_file(folder + "/" + profile::kJobFile, sizeof(profile::Meetings), true);
  if (!mapped) return mapped.error();
  auto* meetings = reinterpret_cast<profile::Meetings*>(const_cast<std::byte*>(mapped->bytes));
  if (meetings->ended_ns == 0) meetings->ended_ns = os::now_ns();
  return {};
}

}  // namespace weft::report

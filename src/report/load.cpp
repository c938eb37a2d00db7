#include "report/load.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "calls/calls.hpp"
#include "os/clock.hpp"

namespace weft::report {
namespace {

using base::Error;
using base::Result;

constexpr int kMostPes = 1 << profile::Meetings::kPeBits;
constexpr std::uint32_t kMostPageBytes = 1U << 30;

std::string path_of(const std::string& folder, const char* format, int pe) {
  char name[32];
  (void)std::snprintf(name, sizeof name, format, pe);
  return folder + "/" + name;
}

Result<Bytes> map_file(const std::string& path, std::size_t at_least, bool to_write) {
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
  return Bytes{static_cast<const std::byte*>(at), size, path};
}

base::Error damaged(const Bytes& file, const char* what) {
  return Error::make("%.400s is damaged: %s", file.name.c_str(), what);
}

template <std::size_t size>
bool ends(const char (&text)[size]) {
  return std::memchr(text, '\0', size) != nullptr;
}

// What is wrong with the header, beyond what tells a recording from other files; null: nothing.
const char* fault_of(const profile::Header& header) {
  if (header.n_pes < 1 || header.n_pes > kMostPes) return "there are no jobs with that many PEs";
  if (header.pe < 0 || header.pe >= header.n_pes) return "its PE is none of the job";
  if (header.part_bytes != profile::part_bytes(header.n_pes, header.trace_room)) return "its parts have a wrong size";
  if (header.parts.load(std::memory_order_relaxed) > profile::kMaxThreads) return "it has too many threads";
  if (header.n_modules > profile::kModules) return "it has too many modules";
  bool named = ends(header.host) && ends(header.program);
  for (const profile::Module& module : header.modules) named = named && ends(module.path);
  return named ? nullptr : "a name in it has no end";
}

// The names of all interfaces whose calls may be in it.
bool has_our_names(const profile::Header& header) {
  for (std::uint32_t number = 0; number < profile::kInterfaces; ++number) {
    if (header.hashes[number] != 0 && header.hashes[number] != calls::hash_of(number)) return false;
  }
  return header.calls_hash == calls::hash_of(header.interface);
}

bool is_pe(std::int32_t pe, const profile::Header& header) { return pe >= -1 && pe < header.n_pes; }

// A free entry is of no interface.
bool is_of(std::uint32_t call, const profile::Header& header) {
  const std::uint32_t number = calls::interface_of(call);
  return call == 0 || number == header.interface || (number < profile::kInterfaces && header.hashes[number] != 0);
}

// The same for what one thread has counted.
const char* fault_of(const profile::ThreadPart& part, const profile::Header& header) {
  for (const profile::Site& site : part.sites) {
    // A recording of another build was refused by its names, so a number is of the table or of nothing.
    if (!calls::possible(site.call) || !is_of(site.call, header) || site.kind >= profile::kKinds) {
      return "a call in it is of no routine";
    }
  }
  // All bins together fit the 64 bits of the clock.
  constexpr std::uint32_t kMostShift = 64 - std::bit_width(static_cast<unsigned>(profile::TimeLine::kBins));
  if (part.line.shift > kMostShift) return "its time line is too long";
  if (part.inside_site != profile::kNotInside && part.inside_site >= profile::kSites) return "it ends in no call";
  if (part.waits.count > profile::Waits::kRoom) return "it has too many waits";
  for (std::uint32_t k = 0; k < part.waits.count; ++k) {
    const profile::Wait& wait = part.waits.list[k];
    if (wait.site >= profile::kSites || !is_pe(wait.last, header)) return "a wait in it is in no call or for no PE";
  }
  const profile::Event* events = profile::events_of(&part, header.n_pes);
  for (std::uint64_t k = 0; k < std::min<std::uint64_t>(part.traced, header.trace_room); ++k) {
    if (events[k].site >= profile::kSites || !is_pe(events[k].peer, header)) return "an event in it is no call";
  }
  return nullptr;
}

// The same for what a PE has recorded of its pages.
const char* fault_of(const dsm::Record& record) {
  if (record.n_pes < 1 || record.n_pes > kMostPes) return "there are no jobs with that many PEs";
  if (record.pe < 0 || record.pe >= record.n_pes) return "its PE is none of the job";
  if (record.n_cells > dsm::kMostCells || record.pages_of_cell == 0) return "its range is too large";
  if (!std::has_single_bit(record.page_bytes) || record.page_bytes > kMostPageBytes) return "its pages have no size";
  if (record.n_windows.load(std::memory_order_acquire) > dsm::kMostRecordedWindows) return "it has too many windows";
  if (record.n_blocks > dsm::kMostRecordedBlocks) return "it has too many blocks";
  return ends(record.host) && ends(record.program) ? nullptr : "a name in it has no end";
}

// The same for what a PE has recorded of a window.
const char* fault_of(const profile::WindowPart& part, const profile::Header& header) {
  if (part.pe != header.pe || part.n_pes != header.n_pes) return "it is of another PE than the recording of calls";
  if (part.n_members < 1 || part.n_members > static_cast<std::uint32_t>(kMostPes))
    return "a window has no such members";
  if (part.call != 0 && (!calls::possible(part.call) || !is_of(part.call, header))) return "no call made a window";
  return ends(part.name) ? nullptr : "a name in it has no end";
}

bool has_good_members(const profile::WindowPart& part, const profile::Header& header) {
  const profile::WindowPeer* const peers = profile::peers_of(&part);
  return std::all_of(peers, peers + part.n_members,
                     [&](const profile::WindowPeer& peer) { return peer.pe >= 0 && peer.pe < header.n_pes; });
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Result<RawPe> read_pe(const Bytes& file) {
  const char* path = file.name.c_str();
  if (file.size < profile::kHeaderBytes) return Error::make("%.400s is too short to be a recording", path);
  RawPe pe;
  pe.header = reinterpret_cast<const profile::Header*>(file.at);
  if (pe.header->magic != profile::kMagic) return Error::make("%.400s is not a recording of Weft", path);
  const bool same_layout = pe.header->layout == profile::kLayout;
  if (same_layout && calls::count_of(pe.header->interface) == 0) {
    return Error::make(
        "%.300s is of routines that this weft-profile does not know (interface %u); use the one that came with it",
        path, pe.header->interface);
  }
  if (!same_layout || !has_our_names(*pe.header)) {
    return Error::make("%.300s was written by another version of Weft; use the weft-profile that came with it", path);
  }
  if (const char* fault = fault_of(*pe.header); fault != nullptr) return damaged(file, fault);
  const std::size_t each = pe.header->part_bytes;
  // Acquire: a part is there when it is counted, also in the file of a PE that runs still.
  const std::size_t parts = pe.header->parts.load(std::memory_order_acquire);
  if (parts > (file.size - profile::kHeaderBytes) / each) return damaged(file, "its end is missing");
  for (std::size_t k = 0; k < parts; ++k) {
    const auto* part = reinterpret_cast<const profile::ThreadPart*>(file.at + profile::kHeaderBytes + k * each);
    if (const char* fault = fault_of(*part, *pe.header); fault != nullptr) return damaged(file, fault);
    pe.parts.push_back(part);
  }
  return pe;
}

Result<const dsm::Record*> read_pages(const Bytes& file) {
  const char* path = file.name.c_str();
  if (file.size < sizeof(dsm::Record)) return Error::make("%.400s is too short to be a recording", path);
  const auto* record = reinterpret_cast<const dsm::Record*>(file.at);
  if (record->magic != dsm::Record::kMagic) return Error::make("%.400s is not a recording of Weft's pages", path);
  if (record->layout != dsm::Record::kLayout || record->n_counts != dsm::kCounts) {
    return Error::make("%.300s was written by another version of Weft; use the weft-profile that came with it", path);
  }
  if (const char* fault = fault_of(*record); fault != nullptr) return damaged(file, fault);
  if (file.size < dsm::record_bytes(record->n_pes, record->n_cells)) return damaged(file, "its end is missing");
  return record;
}

Result<std::vector<const profile::WindowPart*>> read_windows(const Bytes& file, const profile::Header& header) {
  const char* path = file.name.c_str();
  std::vector<const profile::WindowPart*> parts;
  for (std::size_t at = 0; at < file.size;) {
    if (file.size - at < sizeof(profile::WindowPart)) return damaged(file, "its end is missing");
    const auto* part = reinterpret_cast<const profile::WindowPart*>(file.at + at);
    // The PE was ended before the window was its program's.
    if (part->magic == 0 && !parts.empty()) break;
    if (part->magic != profile::WindowPart::kMagic) {
      return Error::make("%.400s is not a recording of windows of Weft", path);
    }
    if (part->layout != profile::WindowPart::kLayout) {
      return Error::make("%.300s was written by another version of Weft; use the weft-profile that came with it", path);
    }
    if (const char* fault = fault_of(*part, header); fault != nullptr) return damaged(file, fault);
    const std::size_t bytes = profile::window_bytes(part->n_members);
    if (bytes > file.size - at) return damaged(file, "its end is missing");
    if (!has_good_members(*part, header)) return damaged(file, "a member of a window is no PE of the job");
    parts.push_back(part);
    at += bytes;
  }
  return parts;
}

Result<Raw> read_job(const std::vector<Bytes>& files) {
  Raw raw;
  for (std::size_t number = 0; number < files.size(); ++number) {
    const Bytes& file = files[number];
    if (file.at == nullptr) continue;
    const auto pe = read_pe(file);
    if (!pe) return pe.error();
    const auto n_pes = static_cast<std::size_t>(pe->header->n_pes);
    if (raw.pes.empty()) raw.pes.resize(n_pes);
    if (static_cast<std::size_t>(pe->header->pe) != number || n_pes != raw.pes.size()) {
      return Error::make("%.300s is of PE %d of %d and lies among those of a job of %zu; record into an empty folder",
                         file.name.c_str(), pe->header->pe, pe->header->n_pes, raw.pes.size());
    }
    raw.pes[number] = *pe;
  }
  return raw;
}

Result<void> read_pages_of_job(const std::vector<Bytes>& files, Raw* raw) {
  for (std::size_t number = 0; number < files.size(); ++number) {
    const Bytes& file = files[number];
    if (file.at == nullptr) continue;
    const auto record = read_pages(file);
    if (!record) return record.error();
    const auto n_pes = static_cast<std::size_t>((*record)->n_pes);
    if (raw->pes.empty()) raw->pes.resize(n_pes);
    if (static_cast<std::size_t>((*record)->pe) != number || n_pes != raw->pes.size()) {
      return Error::make("%.300s is of PE %d of %d and lies among those of a job of %zu; record into an empty folder",
                         file.name.c_str(), (*record)->pe, (*record)->n_pes, raw->pes.size());
    }
    raw->pages.resize(n_pes);
    raw->pages[number] = *record;
  }
  return {};
}

Result<void> read_windows_of_job(const std::vector<Bytes>& files, Raw* raw) {
  raw->windows.resize(raw->pes.size());
  for (std::size_t number = 0; number < std::min(files.size(), raw->pes.size()); ++number) {
    // Its times are those of the recording of calls.
    if (files[number].at == nullptr || raw->pes[number].header == nullptr) continue;
    const auto parts = read_windows(files[number], *raw->pes[number].header);
    if (!parts) return parts.error();
    raw->windows[number] = *parts;
  }
  return {};
}

namespace {

// Of each PE, as far as there are any. How many there may be: 0 is not known, and any PE's file tells it.
Result<std::vector<Bytes>> map_files(const std::string& folder, const char* name, std::size_t at_least, int n_pes,
                                     Result<int> (*n_pes_of)(const Bytes& file)) {
  std::vector<Bytes> files;
  for (int pe = 0; pe < (n_pes == 0 ? kMostPes : n_pes); ++pe) {
    const std::string path = path_of(folder, name, pe);
    files.emplace_back();
    if (!exists(path)) continue;
    const auto mapped = map_file(path, at_least, false);
    if (!mapped) return mapped.error();
    files.back() = *mapped;
    if (n_pes != 0 || n_pes_of == nullptr) continue;
    const auto first = n_pes_of(*mapped);
    if (!first) return first.error();
    n_pes = *first;
  }
  return files;
}

}  // namespace

namespace {

// "shmem_init, MPI_Init or weft_shared_init"
std::string every_init() {
  std::string all;
  for (std::uint32_t k = 0; k < calls::interfaces(); ++k) {
    all += k == 0 ? "" : k + 1 < calls::interfaces() ? ", " : " or ";
    all += calls::words_of(calls::none_of(k)).init;
  }
  return all;
}

}  // namespace

Result<Raw> load(const std::string& folder) {
  if (!exists(folder)) return Error::make("there is no folder %.400s", folder.c_str());
  const auto files =
      map_files(folder, profile::kPeFile, profile::kHeaderBytes, 0, [](const Bytes& file) -> Result<int> {
        const auto pe = read_pe(file);
        if (!pe) return pe.error();
        return pe->header->n_pes;
      });
  if (!files) return files.error();
  auto raw = read_job(*files);
  if (!raw) return raw.error();
  const auto pages = map_files(folder, dsm::Record::kFile, sizeof(dsm::Record), static_cast<int>(raw->pes.size()),
                               [](const Bytes& file) -> Result<int> {
                                 const auto record = read_pages(file);
                                 if (!record) return record.error();
                                 return (*record)->n_pes;
                               });
  if (!pages) return pages.error();
  if (const auto read = read_pages_of_job(*pages, &*raw); !read) return read.error();
  if (raw->pes.empty()) {
    return Error::make("%.300s has no recording (%s); did its program call %s?", folder.c_str(), "pe.0.weft",
                       every_init().c_str());
  }
  const auto windows = map_files(folder, profile::WindowPart::kFile, sizeof(profile::WindowPart),
                                 static_cast<int>(raw->pes.size()), nullptr);
  if (!windows) return windows.error();
  if (const auto read = read_windows_of_job(*windows, &*raw); !read) return read.error();
  const std::string meetings = folder + "/" + profile::kJobFile;
  if (const auto mapped = map_file(meetings, sizeof(profile::Meetings), false); mapped) {
    raw->ended_ns = reinterpret_cast<const profile::Meetings*>(mapped->at)->ended_ns;
  }
  return raw;
}

Result<void> note_end(const std::string& folder) {
  const auto mapped = map_file(folder + "/" + profile::kJobFile, sizeof(profile::Meetings), true);
  if (!mapped) return mapped.error();
  auto* meetings = reinterpret_cast<profile::Meetings*>(const_cast<std::byte*>(mapped->at));
  if (meetings->ended_ns == 0) meetings->ended_ns = os::now_ns();
  return {};
}

}  // namespace weft::report

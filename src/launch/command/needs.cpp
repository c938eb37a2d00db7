#include "launch/command/needs.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace weft::launch::command {
namespace {

// Files are believed in nothing: each number is held to what the file can be, each reading to its end.
constexpr std::size_t kMostHeaders = 256;
constexpr std::size_t kMostEntries = 4096;
constexpr std::size_t kLongestText = 4096;

// Small programs have all of it but the dynamic section here, most have their segments.
constexpr std::size_t kHead = 4096;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}

  bool open() {
    head_size_ = static_cast<std::size_t>(std::max<ssize_t>(::pread(fd_, head_, sizeof head_, 0), 0));
    Elf64_Ehdr header{};
    if (!read_at(0, &header, sizeof header)) return false;
    const bool fits = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                      header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= kMostHeaders;
    if (!fits) return false;
    segments_.resize(header.e_phnum);
    if (!read_at(header.e_phoff, segments_.data(), segments_.size() * sizeof(Elf64_Phdr))) return false;
    const auto dynamic =
        std::find_if(segments_.begin(), segments_.end(), [](const Elf64_Phdr& s) { return s.p_type == PT_DYNAMIC; });
    if (dynamic == segments_.end()) return false;
    entries_.resize(std::min<std::size_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), kMostEntries));
    return read_at(dynamic->p_offset, entries_.data(), entries_.size() * sizeof(Elf64_Dyn)) && find_texts();
  }

  const std::vector<Elf64_Dyn>& entries() const { return entries_; }

  // Empty where it cannot be.
  std::string text(std::uint64_t place) const {
    if (place >= texts_size_) return {};
    const std::uint64_t at = texts_ + place;
    const std::size_t most = std::min<std::size_t>(kLongestText, texts_size_ - place);
    if (at < head_size_) {
      const std::size_t here = std::min<std::size_t>(most, head_size_ - at);
      const std::size_t length = ::strnlen(head_ + at, here);
      if (length < here) return std::string(head_ + at, length);
    }
    char buffer[kLongestText];
    const ssize_t got = ::pread(fd_, buffer, most, static_cast<off_t>(at));
    if (got <= 0) return {};
    const std::size_t length = ::strnlen(buffer, static_cast<std::size_t>(got));
    return length == static_cast<std::size_t>(got) ? std::string() : std::string(buffer, length);
  }

 private:
  bool read_at(std::uint64_t offset, void* to, std::size_t bytes) const {
    if (offset <= head_size_ && bytes <= head_size_ - offset) {
      if (bytes > 0) std::memcpy(to, head_ + offset, bytes);
      return true;
    }
    if (offset > std::uint64_t{1} << 62) return false;
    return ::pread(fd_, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

  bool find_texts() {
    std::uint64_t address = 0;
    for (const Elf64_Dyn& entry : entries_) {
      if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) texts_size_ = entry.d_un.d_val;
    }
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;  // sums of two such numbers fit
    for (const Elf64_Phdr& segment : segments_) {
      const bool holds =
          segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz;
      if (!holds || segment.p_offset > kLargest || address - segment.p_vaddr > kLargest) continue;
      texts_ = segment.p_offset + (address - segment.p_vaddr);
      texts_size_ = std::min(texts_size_, kLargest);
      return true;
    }
    return false;
  }

  int fd_;
  std::size_t head_size_ = 0;
  char head_[kHead] = {};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> entries_;
  std::uint64_t texts_ = 0;
  std::uint64_t texts_size_ = 0;
};

// The folders of a path, those of $ORIGIN for the file that has it.
std::vector<std::string> folders(std::string_view path, const std::string& file) {
  std::vector<std::string> found;
  const std::size_t slash = file.rfind('/');
  const std::string origin = slash == file.npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    std::string folder(path.substr(0, colon));
    path.remove_prefix(colon == path.npos ? path.size() : colon + 1);
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"}) {
      for (std::size_t at = folder.find(name); at != folder.npos; at = folder.find(name, at + origin.size())) {
        folder.replace(at, name.size(), origin);
      }
    }
    if (!folder.empty()) found.push_back(std::move(folder));
  }
  return found;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::string find_in(const std::vector<std::string>& places, const std::string& library) {
  for (const std::string& folder : places) {
    std::string path = folder;
    path.append("/").append(library);
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

std::vector<std::string> system_folders() {
  return {
#if defined(__x86_64__)
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
#elif defined(__powerpc64__)
    "/lib/powerpc64le-linux-gnu", "/usr/lib/powerpc64le-linux-gnu",
#endif
        "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib",
  };
}

// Libraries that never need an MPI: of the system and of compilers, and Weft's own.
bool needs_no_mpi(std::string_view library) {
  constexpr std::array<std::string_view, 16> kNames = {"libc",
                                                       "libm",
                                                       "libdl",
                                                       "librt",
                                                       "libpthread",
                                                       "libgcc_s",
                                                       "libstdc++",
                                                       "libgfortran",
                                                       "libquadmath",
                                                       "libweft",
                                                       "libweft_core",
                                                       "libweft_shared",
                                                       "libweft_shared_module",
                                                       "libweft_fortran",
                                                       "libweft_fortran_module",
                                                       "libweft_omp"};
  if (library.starts_with("ld-linux") || library.starts_with("ld64.so.")) return true;
  return std::find(kNames.begin(), kNames.end(), library.substr(0, library.find(".so"))) != kNames.end();
}

// From the program, which has no name, to its libraries. `look` gets each name that a file needs, and the folders that
// an RPATH puts before LD_LIBRARY_PATH.
template <class Look>
std::vector<Library> walk(const std::string& program, const std::optional<Needs>& own, const char* library_path,
                          bool everywhere, Look&& look) {
  constexpr std::size_t kMostFiles = 256;
  std::vector<Library> files = {{{}, program}};
  std::vector<std::string> first;  // the folders that the program's RPATH puts before all others, for all libraries
  for (std::size_t k = 0; k < files.size(); ++k) {
    const Library file = files[k];
    const std::optional<Needs> needs = k == 0 ? own : read_needs(file.path);
    if (!needs) continue;
    std::vector<std::string> places;
    if (needs->runpath.empty()) places = folders(needs->rpath, file.path);
    if (k == 0) {
      first = places;
    } else if (needs->runpath.empty()) {
      append(places, first);
    }
    const std::vector<std::string> before = places;
    append(places, folders(library_path != nullptr ? library_path : "", file.path));
    append(places, folders(needs->runpath, file.path));
    if (everywhere) append(places, system_folders());
    for (const std::string& library : needs->libraries) {
      look(file, library, before);
      if (needs_no_mpi(library)) continue;
      const bool known = std::any_of(files.begin(), files.end(), [&](const Library& l) { return l.name == library; });
      if (known || files.size() >= kMostFiles || library.empty() || library.find('/') != library.npos) continue;
      if (std::string path = find_in(places, library); !path.empty()) {
        files.push_back({library, std::move(path), !find_in(before, library).empty()});
      }
    }
  }
  return files;
}

// Sanitizers have to be the first of all libraries, with a malloc of their own.
bool is_sanitizer(std::string_view library) {
  constexpr std::array<std::string_view, 6> kNames = {"libasan.so", "libtsan.so",  "libmsan.so",
                                                      "liblsan.so", "libubsan.so", "libclang_rt."};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) { return library.starts_with(name); });
}

template <std::size_t size>
bool is_one_of(std::string_view library, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), library) != names.end();
}

}  // namespace

std::optional<Needs> read_needs(int fd) {
  File file(fd);
  if (!file.open()) return std::nullopt;
  Needs needs;
  for (const Elf64_Dyn& entry : file.entries()) {
    switch (entry.d_tag) {
      case DT_NEEDED: needs.libraries.push_back(file.text(entry.d_un.d_val)); break;
      case DT_RPATH: needs.rpath = file.text(entry.d_un.d_val); break;
      case DT_RUNPATH: needs.runpath = file.text(entry.d_un.d_val); break;
      default: break;
    }
    if (entry.d_tag == DT_NULL) break;
  }
  return needs;
}

std::optional<Needs> read_needs(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::optional<Needs> needs = read_needs(fd);
  (void)::close(fd);
  return needs;
}

bool is_older_mpi(std::string_view library) {
  constexpr std::string_view kSuffix = ".so.";
  // Not all that begins so: libmpiP.so and libmpitrace.so are tools.
  constexpr std::array<std::string_view, 15> kNames = {
      "libmpi",      "libmpich",     "libmpi_mt",      "libmpi_cxx",       "libmpicxx",
      "libmpichcxx", "libmpi_mpifh", "libmpi_usempi",  "libmpi_usempif08", "libmpi_usempi_ignore_tkr",
      "libmpifort",  "libmpichfort", "libmpi_gnu_123", "libmpi_ibm",       "libmpi_cray"};
  const std::size_t end = library.find(kSuffix);
  if (end == library.npos) return false;
  return std::find(kNames.begin(), kNames.end(), library.substr(0, end)) != kNames.end();
}

MpiNeeds find_mpi(const std::string& program, const std::optional<Needs>& own, const char* library_path,
                  bool everywhere) {
  MpiNeeds found;
  (void)walk(program, own, library_path, everywhere,
             [&](const Library& file, const std::string& library, const std::vector<std::string>& before) {
               if (library == kMpiLibrary) {
                 found.standard = true;
                 if (found.elsewhere.empty()) found.elsewhere = find_in(before, library);
               } else if (is_older_mpi(library) && found.older.empty()) {
                 found.older = library;
                 found.through = file.name;
               }
             });
  return found;
}

std::vector<Library> find_libraries(const std::string& program, const std::optional<Needs>& own,
                                    const char* library_path) {
  std::vector<Library> files = walk(program, own, library_path, true, [](const auto&...) {});
  files.erase(files.begin());
  return files;
}

OpenMpNeeds find_openmp(const Needs& needs) {
  constexpr std::array<std::string_view, 3> kOpenMp = {"libgomp.so.1", "libomp.so.5", "libweft_omp.so.0"};
  // With these a process of the job is a program, and its regions are its own threads'.
  constexpr std::array<std::string_view, 3> kOthers = {kMpiLibrary, "libweft.so.0", "libweft_shared.so.0"};
  OpenMpNeeds found;
  for (const std::string& library : needs.libraries) {
    if (found.runtime.empty() && is_one_of(library, kOpenMp)) found.runtime = library;
    const bool apart = is_one_of(library, kOthers) || is_sanitizer(library) || is_older_mpi(library);
    if (found.apart.empty() && apart) found.apart = library;
  }
  return found;
}

}  // namespace weft::launch::command

#include "omp/sites/functions.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "omp/sites/file.hpp"

namespace weft::omp::sites {
namespace {

// A place in the tables for unwinding, as they are loaded.
class Reader {
 public:
  Reader(const File& file, std::uint64_t address) noexcept : address_(address) {
    std::uint64_t offset = 0;
    std::uint64_t left = 0;
    if (file.place(address, offset, left)) {
      bytes_ = file.bytes.subspan(offset, left);
    }
  }
  std::uint64_t address() const noexcept { return address_ + at_; }
  std::uint64_t at() const noexcept { return at_; }
  bool is_good() const noexcept { return good_; }
  // From here on no more than so many bytes are there.
  void limit(std::uint64_t bytes) noexcept {
    good_ = good_ && bytes <= bytes_.size() - at_;
    if (good_) {
      bytes_ = bytes_.first(at_ + bytes);
    }
  }
  void skip(std::uint64_t bytes) noexcept {
    good_ = good_ && bytes <= bytes_.size() - at_;
    at_ += good_ ? bytes : 0;
  }
  template <class T>
  T get() noexcept {
    T value{};
    good_ = good_ && read(bytes_, at_, value);
    at_ += good_ ? sizeof(T) : 0;
    return value;
  }
  std::uint64_t uleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; good_ && shift < 63; shift += 7) {
      const auto byte = get<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) {
        return value;
      }
    }
    good_ = false;
    return 0;
  }
  // A number as the encodings of DW_EH_PE_... have it; `from`: what those count from that count from the table.
  std::uint64_t encoded(std::uint8_t how, std::uint64_t from = 0) noexcept {
    const std::uint64_t here = address();
    std::uint64_t value = 0;
    switch (how & 0x0f) {
      case 0x0:
      case 0x4:
      case 0xc: value = get<std::uint64_t>(); break;
      case 0x2: value = get<std::uint16_t>(); break;
      case 0x3: value = get<std::uint32_t>(); break;
      case 0xa: value = static_cast<std::uint64_t>(std::int64_t{get<std::int16_t>()}); break;
      case 0xb: value = static_cast<std::uint64_t>(std::int64_t{get<std::int32_t>()}); break;
      default: good_ = false;
    }
    switch (how & 0x70) {
      case 0x00: return value;
      case 0x10: return value + here;
      case 0x30: return value + from;
      default: good_ = false; return 0;
    }
  }

 private:
  Bytes bytes_;
  std::uint64_t address_;
  std::uint64_t at_ = 0;
  bool good_ = true;
};

constexpr std::uint8_t kNone = 0xff;

struct Common {
  std::uint8_t pointers = 0;      // how they are written
  std::uint8_t landings = kNone;  // and where the table of landing places is said
  bool has_data = false;
};

std::optional<Common> read_common(const File& file, std::uint64_t address) noexcept {
  Reader in(file, address);
  in.limit(in.get<std::uint32_t>());
  const auto id = in.get<std::uint32_t>();
  const auto version = in.get<std::uint8_t>();
  char text[8] = {};
  for (char& c : text) {
    c = in.get<char>();
    if (c == '\0') {
      break;
    }
  }
  const std::string_view augmentation(text, ::strnlen(text, sizeof text));
  (void)in.uleb();  // how code and data are counted
  (void)in.uleb();
  (void)(version == 1 ? in.get<std::uint8_t>() : in.uleb());
  if (!in.is_good() || id != 0 || augmentation.size() == sizeof text) {
    return std::nullopt;
  }
  Common common;
  if (augmentation.empty()) {
    return common;
  }
  if (augmentation[0] != 'z') {
    return std::nullopt;
  }
  common.has_data = true;
  (void)in.uleb();
  for (const char c : augmentation.substr(1)) {
    switch (c) {
      case 'R': common.pointers = in.get<std::uint8_t>(); break;
      case 'L': common.landings = in.get<std::uint8_t>(); break;
      case 'P': (void)in.encoded(in.get<std::uint8_t>() & 0x7f); break;
      case 'S':
      case 'B': break;
      default: return std::nullopt;
    }
  }
  return in.is_good() ? std::optional(common) : std::nullopt;
}

std::optional<Function> read_description(const File& file, std::uint64_t address) noexcept {
  Reader in(file, address);
  in.limit(in.get<std::uint32_t>());
  const std::uint64_t here = in.address();
  const std::uint64_t back = in.get<std::uint32_t>();
  if (!in.is_good() || back == 0) {
    return std::nullopt;
  }
  const auto common = read_common(file, here - back);
  if (!common) {
    return std::nullopt;
  }
  Function found{};
  found.from = in.encoded(common->pointers);
  found.to = found.from + in.encoded(common->pointers & 0x0f);
  if (common->has_data) {
    (void)in.uleb();
    if (common->landings != kNone) {
      found.has_landings = in.encoded(common->landings & 0x0f) != 0;
    }
  }
  return in.is_good() ? std::optional(found) : std::nullopt;
}

// All of it is code that is loaded.
bool is_code(const File& file, const Function& is) noexcept {
  std::uint64_t offset = 0;
  std::uint64_t left = 0;
  return is.from < is.to && file.place(is.from, offset, left, true) && is.to - is.from <= left;
}

// By the table that finds descriptions fast; the linker makes it wherever there are some.
void add_described(const File& file, std::vector<Function>& into) noexcept {
  Elf64_Phdr each{};
  for (unsigned k = 0; file.segment(k, each); ++k) {
    if (each.p_type != PT_GNU_EH_FRAME) {
      continue;
    }
    Reader in(file, each.p_vaddr);
    const auto version = in.get<std::uint8_t>();
    const auto frames = in.get<std::uint8_t>();
    const auto counts = in.get<std::uint8_t>();
    const auto table = in.get<std::uint8_t>();
    (void)in.encoded(frames);
    const std::uint64_t count = in.encoded(counts);
    constexpr std::uint8_t kSorted = 0x3b;
    for (std::uint64_t n = 0; in.is_good() && version == 1 && table == kSorted && n < count; ++n) {
      (void)in.encoded(table, each.p_vaddr);
      const std::uint64_t description = in.encoded(table, each.p_vaddr);
      if (!in.is_good()) {
        break;
      }
      if (const auto found = read_description(file, description); found && is_code(file, *found)) {
        into.push_back(*found);
      }
    }
  }
}

void add_symbols(const File& file, std::vector<Function>& ranges, std::vector<std::uint64_t>& entries) noexcept {
  Elf64_Shdr each{};
  for (unsigned k = 0; k < file.header.e_shnum && file.section(k, each); ++k) {
    if (each.sh_type != SHT_SYMTAB && each.sh_type != SHT_DYNSYM) {
      continue;
    }
    Elf64_Sym symbol{};
    for (std::uint64_t n = 0; n < each.sh_size / sizeof symbol; ++n) {
      if (!read(file.bytes, each.sh_offset + n * sizeof symbol, symbol)) {
        break;
      }
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)) {
        continue;
      }
      Function is{symbol.st_value, symbol.st_value + symbol.st_size, false};
      if (type != STT_NOTYPE && is_code(file, is)) {
        ranges.push_back(is);
      }
      std::uint64_t offset = 0;
      std::uint64_t left = 0;
      if (file.place(is.from, offset, left, true)) {
        entries.push_back(is.from);
      }
    }
  }
}

bool begins_before(const Function& a, const Function& b) noexcept { return a.from < b.from; }

// Of symbols those that lie beside all that is described.
void merge(std::vector<Function>& described, std::vector<Function>& symbols, std::vector<Function>& into) noexcept {
  const auto keep_apart = [](std::vector<Function>& all) noexcept {
    std::stable_sort(all.begin(), all.end(), begins_before);
    std::size_t kept = 0;
    for (const Function& each : all) {
      if (kept == 0 || each.from >= all[kept - 1].to) {
        all[kept++] = each;
      } else if (each.from == all[kept - 1].from) {
        all[kept - 1].has_landings = all[kept - 1].has_landings || each.has_landings;
      }
    }
    all.resize(kept);
  };
  keep_apart(described);
  keep_apart(symbols);
  for (const Function& each : symbols) {
    auto next = std::lower_bound(described.begin(), described.end(), each, begins_before);
    const bool meets = (next != described.end() && next->from < each.to) ||
                       (next != described.begin() && std::prev(next)->to > each.from);
    if (!meets) {
      into.push_back(each);
    }
  }
  into.insert(into.end(), described.begin(), described.end());
  std::sort(into.begin(), into.end(), begins_before);
}

}  // namespace

base::Result<Functions> find_functions(std::span<const std::byte> bytes) noexcept {
  File file{bytes};
  if (!file.open() || file.header.e_machine != EM_X86_64) {
    return base::Error::make("no executable or library for x86-64");
  }
  Functions found;
  std::vector<Function> described;
  std::vector<Function> symbols;
  add_described(file, described);
  add_symbols(file, symbols, found.entries);
  merge(described, symbols, found.ranges);
  for (const Function& each : described) {
    found.entries.push_back(each.from);
  }
  std::sort(found.entries.begin(), found.entries.end());
  found.entries.erase(std::unique(found.entries.begin(), found.entries.end()), found.entries.end());
  return found;
}

std::span<const std::byte> loaded_at(std::span<const std::byte> bytes, std::uint64_t address) noexcept {
  File file{bytes};
  std::uint64_t offset = 0;
  std::uint64_t left = 0;
  return file.open() && file.place(address, offset, left) ? bytes.subspan(offset, left) : std::span<const std::byte>();
}

}  // namespace weft::omp::sites

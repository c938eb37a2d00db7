#include "base/options.hpp"

#include <cstring>
#include <string_view>

namespace weft::base {
namespace {

// The default of an algorithm is "auto" unless the build names another: WEFT_DEFAULT_coll_broadcast and so on.
constexpr const char* fallback_of(std::string_view identifier, const char* fallback) {
  struct Built {
    std::string_view identifier;
    const char* fallback;
  };
  constexpr Built kBuilt[] = {WEFT_BUILT_DEFAULTS};
  for (const Built& built : kBuilt) {
    if (built.identifier == identifier) return built.fallback;
  }
  return fallback;
}

constexpr OptionText kTexts[] = {
#define WEFT_OPTION(identifier, kind, name, older, fallback, text) \
  {#identifier, #kind, name, older, fallback_of(#identifier, fallback), text},
#include "../../api/options.def"
#undef WEFT_OPTION
};

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kSmallestHeap = 16 * kMiB;

// The choices of each option of kind word or algorithm, in the order of its enum.
#define WEFT_NAME_(name, text) #name,
constexpr const char* kHugePages[] = {"off", "thp", "hugetlb", nullptr};
constexpr const char* kNuma[] = {"owner", "bind", "interleave", nullptr};
constexpr const char* kAdopt[] = {"auto", "always", "never", nullptr};
constexpr const char* kAmo[] = {"auto", "cpu", "network", nullptr};
constexpr const char* kNet[] = {"auto", "tcp", "ofi", nullptr};
constexpr const char* kSingleCopy[] = {"auto", "xpmem", "cma", "knem", "none", nullptr};
constexpr const char* kCopy[] = {"auto",
#define WEFT_COPY WEFT_NAME_
#include "../../api/algorithms.def"
                                 nullptr};
constexpr const char* kBarrier[] = {"auto",
#define WEFT_BARRIER WEFT_NAME_
#include "../../api/algorithms.def"
                                    nullptr};
constexpr const char* kBroadcast[] = {"auto",
#define WEFT_BROADCAST WEFT_NAME_
#include "../../api/algorithms.def"
                                      nullptr};
constexpr const char* kCollect[] = {"auto",
#define WEFT_COLLECT WEFT_NAME_
#include "../../api/algorithms.def"
                                    nullptr};
constexpr const char* kAlltoall[] = {"auto",
#define WEFT_ALLTOALL WEFT_NAME_
#include "../../api/algorithms.def"
                                     nullptr};
constexpr const char* kReduce[] = {"auto",
#define WEFT_REDUCE WEFT_NAME_
#include "../../api/algorithms.def"
                                   nullptr};
constexpr const char* kScan[] = {"auto",
#define WEFT_SCAN WEFT_NAME_
#include "../../api/algorithms.def"
                                 nullptr};
constexpr const char* kReduceTo[] = {"auto",
#define WEFT_REDUCE_TO WEFT_NAME_
#include "../../api/algorithms.def"
                                     nullptr};
constexpr const char* kPull[] = {"auto",
#define WEFT_PULL WEFT_NAME_
#include "../../api/algorithms.def"
                                 nullptr};
#undef WEFT_NAME_

constexpr OptionChoices kChoices[] = {
    {"adopt", kAdopt},
    {"amo", kAmo},
    {"copy", kCopy},
    {"huge_pages", kHugePages},
    {"net", kNet},
    {"numa", kNuma},
    {"single_copy", kSingleCopy},
    {"coll_barrier", kBarrier},
    {"coll_broadcast", kBroadcast},
    {"coll_collect", kCollect},
    {"coll_fcollect", kCollect},
    {"coll_alltoall", kAlltoall},
    {"coll_alltoalls", kAlltoall},
    {"coll_reduce", kReduce},
    {"coll_reduce_to", kReduceTo},
    {"coll_pull", kPull},
    {"coll_scan", kScan},
};

constexpr OptionTable kTable{"OpenSHMEM", kTexts, kChoices};

// Prints `text` in lines of at most `width` characters, each after `indent` blanks.
void print_wrapped(std::FILE* out, const char* text, std::size_t indent, std::size_t width) noexcept {
  while (*text != '\0') {
    std::size_t length = std::strlen(text);
    if (length > width) {
      length = width;
      while (length > 0 && text[length] != ' ') --length;
      if (length == 0) length = width;
    }
    (void)std::fprintf(out, "%*s%.*s\n", static_cast<int>(indent), "", static_cast<int>(length), text);
    text += length;
    while (*text == ' ') ++text;
  }
}

}  // namespace

const OptionText& option_text(int index) noexcept { return kTexts[index]; }

const char* const* option_choices(const char* identifier) noexcept { return kTable.choices_of(identifier); }

const OptionTable& own_options() noexcept { return kTable; }

Result<Options> read_options(Lookup lookup) noexcept {
  Options options;
  std::size_t index = 0;
#define WEFT_OPTION(identifier, kind, name, older, fallback, text)                          \
  if (Result<void> done = read_option(kTable, index, lookup, &options.identifier); !done) { \
    return done.error();                                                                    \
  }                                                                                         \
  ++index;
#include "../../api/options.def"
#undef WEFT_OPTION
  return options;
}

Result<Options> read_options() noexcept { return read_options(in_environment); }

Result<Options> read_options_with(std::span<const OptionTable* const> others, Lookup lookup) noexcept {
  Result<Options> options = read_options(lookup);
  for (const OptionTable* table : others) {
    if (const Result<void> checked = check_options(*table, lookup); options && !checked) {
      return checked.error();
    }
  }
  return options;
}

namespace {

Result<std::uint64_t> bytes_for_program(const Options& options, int n_pes, const MemoryBound& memory) noexcept {
  const std::uint64_t n = static_cast<std::uint64_t>(n_pes);
  const std::uint64_t asked = (options.symmetric_size.value + memory.page - 1) / memory.page * memory.page;
  if (memory.bytes == 0 || options.overcommit.on) return asked;

  char each[kByteTextSize];
  char all[kByteTextSize];
  char limit[kByteTextSize];
  (void)byte_text(memory.bytes, limit);
  const char* whose = memory.is_container ? "this container may use" : "this machine has";
  if (options.symmetric_size.given) {
    if (asked <= memory.bytes / n) return asked;
    return Error::make(
        "a symmetric heap of %s for each of %d PE%s needs %s and %s %s; lower SHMEM_SYMMETRIC_SIZE or the number of "
        "PEs, or set WEFT_OVERCOMMIT=1 to start all the same",
        byte_text(asked, each), n_pes, n_pes == 1 ? "" : "s", byte_text(asked * n, all), whose, limit);
  }
  const std::uint64_t share = memory.bytes / 4 * 3 / n;
  if (asked <= share) return asked;
  const std::uint64_t lowered = share / (2 * kMiB) * (2 * kMiB);
  if (lowered >= kSmallestHeap) return lowered;
  return Error::make(
      "%d PEs are too many: %s %s, too little for %s of symmetric heap for each; start fewer PEs, set a smaller "
      "SHMEM_SYMMETRIC_SIZE, or set WEFT_OVERCOMMIT=1",
      n_pes, whose, limit, byte_text(kSmallestHeap, each));
}

}  // namespace

namespace {

// Room for what safe mode puts between blocks, so that a program that fits its heap does so there too. Only memory
// that is touched is taken; reserved huge pages are another matter.
bool has_room_for_checks(const Options& options) noexcept {
  return options.debug.check && options.pages() != HugePages::kHugetlb;
}

}  // namespace

Result<std::uint64_t> heap_bytes_per_pe(const Options& options, int n_pes, const MemoryBound& memory) noexcept {
  const auto bytes = bytes_for_program(options, n_pes, memory);
  if (bytes && has_room_for_checks(options)) return 2 * *bytes + 2 * kMiB;
  return bytes;
}

std::uint64_t heap_bytes_of_program(const Options& options, std::uint64_t bytes) noexcept {
  return has_room_for_checks(options) && bytes > 2 * kMiB ? (bytes - 2 * kMiB) / 2 : bytes;
}

void print_version(std::FILE* out) noexcept { (void)std::fprintf(out, "Weft %s (OpenSHMEM 1.6)\n", WEFT_VERSION); }

void print_info(std::FILE* out) noexcept {
  (void)std::fprintf(out, "Environment variables of Weft %s:\n", WEFT_VERSION);
  for (const OptionText& option : kTexts) {
    (void)std::fprintf(out, "  %s", option.name);
    if (option.older[0] != '\0') (void)std::fprintf(out, " (or %s)", option.older);
    if (std::strcmp(option.kind, "flag") == 0 || std::strcmp(option.kind, "debug") == 0) {
      (void)std::fprintf(out, ", on when set to anything\n");
    } else if (std::strcmp(option.kind, "text") == 0) {
      (void)std::fprintf(out, ", not set by default\n");
    } else {
      (void)std::fprintf(out, ", default %s\n", option.fallback);
    }
    print_wrapped(out, option.text, 6, 96);
  }
}

const char* byte_text(std::uint64_t bytes, char* text) noexcept {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < sizeof kUnits / sizeof kUnits[0]) {
    value /= 1024;
    ++unit;
  }
  const int decimals = unit == 0 || value == static_cast<double>(static_cast<std::uint64_t>(value)) ? 0 : 1;
  (void)std::snprintf(text, kByteTextSize, "%.*f %s", decimals, value, kUnits[unit]);
  return text;
}

}  // namespace weft::base

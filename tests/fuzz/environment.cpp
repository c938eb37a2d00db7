// The environment: a NAME=VALUE a line.
#include <map>
#include <string>

#include "base/options.hpp"
#include "boot/job.hpp"
#include "fuzz.hpp"
#include "pmi/environment.hpp"

namespace {

using namespace weft;
using fuzz::must;
using fuzz::must_be_a_line;

// A lookup has no place to carry it.
std::map<std::string, std::string, std::less<>> g_variables;

const char* look_up(const char* name) noexcept {
  const auto found = g_variables.find(std::string_view(name));
  return found == g_variables.end() ? nullptr : found->second.c_str();
}

void choice_is_listed(const char* identifier, int choice) {
  const char* const* words = base::option_choices(identifier);
  int count = 0;
  while (words[count] != nullptr) ++count;
  must(choice < count, "a choice is one of those listed");
}

template <class Kind>
void look_at(const char* identifier, const Kind& value) {
  using namespace base::option_kind;
  if constexpr (std::is_same_v<Kind, Word>) choice_is_listed(identifier, value.choice);
  if constexpr (std::is_same_v<Kind, Count>) must(value.value >= 0 || value.value == base::kAuto, "a count counts");
  if constexpr (std::is_same_v<Kind, Size>) must(value.value > 0 && value.value <= 1ULL << 48, "a size has bounds");
  if constexpr (std::is_same_v<Kind, Text>) must(value.value == nullptr || *value.value != '\0', "a text is not empty");
}

void size_heaps(const base::Options& options) {
  constexpr std::uint64_t kGiB = 1ULL << 30;
  for (const int n_pes : {1, 7, boot::kMaxPes}) {
    for (const std::uint64_t memory : {std::uint64_t{0}, kGiB, 1024 * kGiB}) {
      const auto bytes = base::heap_bytes_per_pe(options, n_pes, {memory, memory == kGiB, 4096});
      if (!bytes) {
        must_be_a_line(bytes.error().text());
        continue;
      }
      must(*bytes > 0 && *bytes % 4096 == 0, "a heap is whole pages");
      if (memory == 0 || options.overcommit.on || options.debug.check) continue;
      must(*bytes <= memory / static_cast<std::uint64_t>(n_pes), "heaps fit into memory");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  g_variables.clear();
  while (!bytes.rest().empty()) {
    const std::string_view line = bytes.line();
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) g_variables.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  const auto options = base::read_options(&look_up);
  if (options) {
#define WEFT_OPTION(identifier, kind, name, older, fallback, text) look_at(#identifier, options->identifier);
#include "api/options.def"
#undef WEFT_OPTION
    size_heaps(*options);
  } else {
    must_be_a_line(options.error().text());
  }
  const pmi::Environment launcher = pmi::read_environment(&look_up);
  must(launcher.most_pes() >= 0 && launcher.most_pes() <= boot::kMaxPes, "a launcher's job has bounds");
  must(launcher.first_here >= 0, "there is no PE below 0");
  return 0;
}

#include "launch/hosts/errand.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>

#include "boot/job.hpp"

namespace weft::launch::hosts {
namespace {

void put_texts(Packer& to, const std::vector<std::string>& texts) {
  to.put(static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> get_texts(Unpacker& from) {
  std::vector<std::string> texts;
  const auto count = from.get<std::uint32_t>();
  for (std::uint32_t k = 0; k < count && from.fine(); ++k) texts.push_back(from.text());
  return texts;
}

// What is true of every errand that oshrun sends: PEs, as many of them on hosts as of parts, and programs for them.
bool has_sense(const Errand& errand) {
  std::int64_t placed = 0;
  for (const Share& share : errand.shares) {
    if (share.first != placed || share.n_pes < 1) return false;
    placed += share.n_pes;
  }
  std::int64_t of_parts = 0;
  for (const ErrandPart& part : errand.parts) {
    if (part.n_pes < 1 || part.words.empty()) return false;
    of_parts += part.n_pes;
  }
  return placed > 0 && placed <= INT_MAX && of_parts == placed && errand.fanout > 0 &&
         errand.input <= command::InputTo::kNobody;
}

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

}  // namespace

int Errand::node_of(int pe) const {
  const auto after =
      std::upper_bound(shares.begin(), shares.end(), pe, [](int p, const Share& share) { return p < share.first; });
  return static_cast<int>(after - shares.begin()) - 1;
}

std::string pack(const Errand& errand) {
  Packer to;
  put_texts(to, errand.ssh);
  to.text(errand.agent).put(errand.fanout).put(errand.silence).put(errand.token).put(errand.key);
  to.put(static_cast<std::uint32_t>(errand.shares.size()));
  for (const Share& share : errand.shares) to.text(share.host).put(share.first).put(share.n_pes);
  to.put(static_cast<std::uint32_t>(errand.parts.size()));
  for (const ErrandPart& part : errand.parts) {
    to.put(part.n_pes);
    put_texts(to, part.words);
  }
  put_texts(to, errand.environment);
  to.text(errand.directory).text(errand.work_dir).text(errand.output_dir);
  to.put(errand.input).text(errand.bind_to).text(errand.map_by).put(errand.report_bindings);
  return to.bytes();
}

bool unpack(std::string_view bytes, Errand& errand) {
  Unpacker from(bytes);
  errand.ssh = get_texts(from);
  errand.agent = from.text();
  errand.fanout = from.get<int>();
  errand.silence = from.get<std::uint64_t>();
  errand.token = from.get<std::uint64_t>();
  errand.key = from.get<std::array<std::uint64_t, 2>>();
  const auto nodes = from.get<std::uint32_t>();
  for (std::uint32_t k = 0; k < nodes && from.fine(); ++k) {
    Share share{from.text(), from.get<int>(), 0};
    share.n_pes = from.get<int>();
    errand.shares.push_back(std::move(share));
  }
  const auto parts = from.get<std::uint32_t>();
  for (std::uint32_t k = 0; k < parts && from.fine(); ++k) {
    ErrandPart part{from.get<int>(), {}};
    part.words = get_texts(from);
    errand.parts.push_back(std::move(part));
  }
  errand.environment = get_texts(from);
  errand.directory = from.text();
  errand.work_dir = from.text();
  errand.output_dir = from.text();
  errand.input = from.get<command::InputTo>();
  errand.bind_to = from.text();
  errand.map_by = from.text();
  const auto report_bindings = from.get<std::uint8_t>();
  errand.report_bindings = report_bindings == 1;
  return from.fine() && from.rest().empty() && report_bindings <= 1 && has_sense(errand);
}

std::vector<std::string> environment_to_pass() {
  std::vector<std::string> passed;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    // These are oshrun's own, of a job that we are a part of ourselves.
    if (name == boot::kJobVariable || name == boot::kPeVariable || name == boot::kNPesVariable) continue;
    const bool wanted = begins(name, "WEFT_") || begins(name, "SHMEM_") || begins(name, "SMA_") ||
                        begins(name, "FI_") || name == "PATH" || name == "LD_LIBRARY_PATH";
    if (wanted) passed.emplace_back(text);
  }
  return passed;
}

std::vector<std::string> split_words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(kBlanks, at);
    words.emplace_back(text.substr(at, end - at));
    at = end == std::string_view::npos ? end : text.find_first_not_of(kBlanks, end);
  }
  return words;
}

}  // namespace weft::launch::hosts

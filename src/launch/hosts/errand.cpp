#include "launch/hosts/errand.hpp"

#include <unistd.h>

#include "boot/enter.hpp"
#include "boot/job.hpp"
#include "boot/runs.hpp"

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

void put_numbers(Packer& to, const std::vector<int>& numbers) {
  std::vector<boot::Run> runs(numbers.size());
  runs.resize(static_cast<std::size_t>(boot::make_runs(numbers.data(), static_cast<int>(numbers.size()), runs.data())));
  to.put(static_cast<std::uint32_t>(runs.size()));
  for (const boot::Run& run : runs) to.put(run);
}

// At most so many, whatever the runs say; none where there would be more.
std::vector<int> get_numbers(Unpacker& from, std::size_t most) {
  std::vector<int> numbers;
  const auto count = from.get<std::uint32_t>();
  for (std::uint32_t k = 0; k < count && from.fine(); ++k) {
    const auto run = from.get<boot::Run>();
    if (!run.is_within(boot::kMostJobPes) || numbers.size() + static_cast<std::size_t>(run.count) > most) return {};
    for (std::int32_t n = 0; n < run.count; ++n) numbers.push_back(run.first + n * run.step);
  }
  return numbers;
}

// Each PE is on one host, those of a host in rising order, and PE 0 on the first, to which standard input goes.
bool are_all_placed(const std::vector<Share>& shares) {
  std::size_t n_pes = 0;
  for (const Share& share : shares) n_pes += share.pes.size();
  if (n_pes == 0 || n_pes > boot::kMostJobPes) return false;
  std::vector<bool> placed(n_pes, false);
  for (const Share& share : shares) {
    if (share.pes.empty() || share.pes.size() > boot::kMaxPes) return false;
    int before = -1;
    for (const int pe : share.pes) {
      if (pe <= before || static_cast<std::size_t>(pe) >= n_pes || placed[static_cast<std::size_t>(pe)]) return false;
      placed[static_cast<std::size_t>(pe)] = true;
      before = pe;
    }
  }
  return shares[0].pes[0] == 0;
}

// What is true of every errand that oshrun sends: PEs, as many of them on hosts as of parts, and programs for them.
bool has_sense(const Errand& errand) {
  std::int64_t of_parts = 0;
  for (const ErrandPart& part : errand.parts) {
    if (part.n_pes < 1 || part.words.empty()) return false;
    of_parts += part.n_pes;
  }
  return are_all_placed(errand.shares) && of_parts == errand.n_pes() && errand.fanout > 0 &&
         errand.input <= command::InputTo::kNobody;
}

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

}  // namespace

int Errand::n_pes() const {
  int all = 0;
  for (const Share& share : shares) all += share.n_pes();
  return all;
}

std::string pack(const Errand& errand) {
  Packer to;
  put_texts(to, errand.ssh);
  to.text(errand.agent).put(errand.fanout).put(errand.silence).put(errand.token).put(errand.key);
  to.put(static_cast<std::uint32_t>(errand.shares.size()));
  for (const Share& share : errand.shares) put_numbers(to.text(share.host), share.pes);
  to.put(static_cast<std::uint32_t>(errand.parts.size()));
  for (const ErrandPart& part : errand.parts) {
    to.put(part.n_pes);
    put_texts(to, part.words);
    to.text(part.work_dir).text(part.path);
    put_texts(to, part.environment);
  }
  put_texts(to, errand.environment);
  to.text(errand.directory).text(errand.work_dir).text(errand.output_dir);
  to.put(errand.input).text(errand.bind_to).text(errand.map_by).put(errand.report_bindings).put(errand.by_mpiexec);
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
  std::size_t room = boot::kMostJobPes;
  for (std::uint32_t k = 0; k < nodes && from.fine(); ++k) {
    std::string host = from.text();
    errand.shares.push_back({std::move(host), get_numbers(from, room)});
    room -= errand.shares.back().pes.size();
  }
  const auto parts = from.get<std::uint32_t>();
  for (std::uint32_t k = 0; k < parts && from.fine(); ++k) {
    ErrandPart part;
    part.n_pes = from.get<int>();
    part.words = get_texts(from);
    part.work_dir = from.text();
    part.path = from.text();
    part.environment = get_texts(from);
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
  const auto by_mpiexec = from.get<std::uint8_t>();
  errand.by_mpiexec = by_mpiexec == 1;
  return from.fine() && from.rest().empty() && report_bindings <= 1 && by_mpiexec <= 1 && has_sense(errand);
}

std::string errand_for(const tree::Branch& nodes, std::string_view packed) {
  return Packer().put(nodes.first).put(nodes.end).raw(packed).bytes();
}

bool unpack_for(std::string_view bytes, tree::Branch& nodes, Errand& errand) {
  Unpacker from(bytes);
  nodes.first = from.get<int>();
  nodes.end = from.get<int>();
  return from.fine() && unpack(from.rest(), errand) && nodes.first >= 0 && nodes.end <= errand.n_nodes() &&
         nodes.first < nodes.end;
}

std::vector<std::string> environment_to_pass() {
  std::vector<std::string> passed;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    // These are oshrun's own, of a job that we are a part of ourselves.
    if (name == boot::kJobVariable || name == boot::kPeVariable || name == boot::kNPesVariable) continue;
    const bool wanted = begins(name, "WEFT_") || begins(name, "SHMEM_") || begins(name, "SMA_") ||
                        begins(name, "FI_") || begins(name, "OMP_") || begins(name, "GOMP_") || begins(name, "KMP_") ||
                        name == "PATH" || name == "LD_LIBRARY_PATH";
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

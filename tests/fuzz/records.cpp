// The records of a job's PEs, in which a PE of a broken program, or another user, may have written anything. The first
// byte says how many PEs there are, the second which of them live; their records follow, twice.
#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "doctor/diagnosis.hpp"
#include "doctor/state.hpp"
#include "doctor/text.hpp"
#include "fuzz.hpp"

namespace {

using namespace weft;
using fuzz::must;

constexpr int kMostPes = 8;

class NoNames : public doctor::Names {
 public:
  std::string site(int pe, std::uint64_t site) const override {
    must(pe >= 0 && pe < kMostPes, "names are asked for PEs of the job");
    return site == 0 ? "" : "a.c:1";
  }
  std::string object(int pe, const doctor::Wait&) const override {
    must(pe >= 0 && pe < kMostPes, "names are asked for PEs of the job");
    return "v";
  }
  std::optional<std::uint64_t> value(int pe, boot::Place, int bytes) const override {
    must(pe >= 0 && pe < kMostPes, "values are those of PEs of the job");
    if (bytes < 1 || bytes > 8) return std::nullopt;  // as Places has it
    return 1;
  }
};

struct Control {
  alignas(128) std::byte bytes[boot::records_bytes(kMostPes)];
};

void tell(const std::vector<doctor::Pe>& pes) {
  constexpr std::size_t kMostText = 1 << 16;
  const NoNames names;
  std::size_t told = 0;
  for (const std::string& line : doctor::doings(pes, names, 99)) {
    fuzz::must_be_a_line(line);
    told += line.size();
  }
  for (const doctor::Finding& finding : doctor::diagnose(pes)) {
    must(finding.waits.size() == finding.pes.size(), "a finding is about PEs, each with its wait");
    must(!finding.pes.empty() || finding.kind == doctor::Finding::Kind::kNobodyRuns, "a finding is about PEs");
    for (const int pe : finding.pes) {
      must(pe >= 0 && pe < static_cast<int>(pes.size()), "a finding is about PEs of the job");
    }
    const std::string line = doctor::sentence(finding, pes, names);
    fuzz::must_be_a_line(line);
    told += line.size();
  }
  must(told < kMostText, "what is told of a few PEs has bounds");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto control = std::make_unique<Control>();
  *control = {};
  fuzz::Bytes bytes(data, size);
  auto* job = new (control.get()) boot::JobHeader{};
  job->n_pes = static_cast<std::uint32_t>(1 + bytes.below(kMostPes));
  job->slot_bytes = job->heap_slot_bytes = 1 << 20;
  job->heap_bytes = job->static_offset = 1 << 16;
  const doctor::Shape shape(*job);
  const auto living_bits = bytes.take<std::uint8_t>();
  std::vector<bool> living;
  for (std::uint32_t pe = 0; pe < job->n_pes; ++pe) living.push_back((living_bits >> pe & 1) == 0);
  // What follows the records of the first look are those of the second one; nothing: they stand still.
  const std::size_t room = job->n_pes * sizeof(boot::PeRecord);
  const auto look = [&](std::string_view records) {
    if (!records.empty()) {
      std::memcpy(static_cast<void*>(boot::pe_record(job, 0)), records.data(), std::min(records.size(), room));
    }
    return doctor::look_at(job, shape, living, 1'000'000'000);
  };
  const std::string_view records = bytes.rest();
  const std::vector<doctor::Pe> before = look(records);
  std::vector<doctor::Pe> after = look(records.substr(std::min(records.size(), room)));
  (void)doctor::is_settled(before, after);
  doctor::keep_still(before, after);
  tell(after);
  return 0;
}

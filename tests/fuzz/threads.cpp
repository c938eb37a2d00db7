// What OpenMP threads of a job's PEs tell of themselves, where a PE of a broken program may have written anything. The
// first byte says how many PEs there are; of each follow what its process tells, how many threads, and their records.
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "doctor/openmp_text.hpp"
#include "fuzz.hpp"

namespace {

using namespace weft;
using fuzz::must;

constexpr int kMostPes = 4;

class NoNames : public doctor::Names {
 public:
  std::string site(int pe, std::uint64_t site) const override {
    must(pe >= 0 && pe < kMostPes, "names are asked for PEs of the job");
    return site == 0 ? "" : "a.c:1";
  }
  std::string object(int, const doctor::Wait&) const override { return "v"; }
  std::string variable(int pe, std::uint64_t address) const override {
    must(pe >= 0 && pe < kMostPes, "names are asked for PEs of the job");
    return address % 2 == 0 ? "lock" : ".gomp_critical_user_";
  }
  std::optional<std::uint64_t> value(int, boot::Place, int) const override { return std::nullopt; }
};

struct Control {
  alignas(128) std::byte bytes[boot::records_bytes(kMostPes)];
};

template <std::size_t size>
void fill(fuzz::Bytes& bytes, void* to) {
  const auto given = bytes.take<std::array<std::byte, size>>();
  std::memcpy(to, given.data(), size);
}

void read(fuzz::Bytes& bytes, boot::PeThreads& into) {
  constexpr int kMostThreads = 16;
  fill<offsetof(boot::PeThreads, threads)>(bytes, &into);
  const int threads = bytes.below(kMostThreads);
  for (int k = 0; k < threads; ++k) fill<sizeof(boot::ThreadRecord)>(bytes, &into.threads[k]);
}

void tell(const std::vector<doctor::Pe>& pes) {
  constexpr std::size_t kMostText = 1 << 18;
  const NoNames names;
  const doctor::OpenMpView view(pes);
  std::size_t told = 0;
  const auto add = [&](const std::string& line) {
    fuzz::must_be_a_line(line);
    told += line.size();
  };
  for (const std::string& line : doctor::doings(view, pes, names, {}, 99)) add(line);
  for (const doctor::ThreadFinding& finding : view.diagnose()) {
    must(!finding.threads.empty(), "a finding is about threads");
    add(doctor::sentence(finding, view, pes, names));
  }
  must(told < kMostText, "what is told of a few threads has bounds");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto control = std::make_unique<Control>();
  *control = {};
  fuzz::Bytes bytes(data, size);
  auto* job = new (control.get()) boot::JobHeader{};
  job->n_pes = static_cast<std::uint32_t>(1 + bytes.below(kMostPes));
  const doctor::Shape shape(*job);
  for (std::uint32_t pe = 0; pe < job->n_pes; ++pe) read(bytes, *boot::pe_threads(job, static_cast<int>(pe)));
  const std::vector<bool> living(job->n_pes, true);
  const std::vector<doctor::Pe> before = doctor::look_at(job, shape, living, 1'000'000'000);
  tell(before);
  // Each has looked twice since.
  for (std::uint32_t pe = 0; pe < job->n_pes; ++pe) {
    for (boot::ThreadRecord& each : boot::pe_threads(job, static_cast<int>(pe))->threads) each.looks += 2;
  }
  std::vector<doctor::Pe> after = doctor::look_at(job, shape, living, 1'000'000'000);
  (void)doctor::is_settled(before, after);
  doctor::keep_still(before, after);
  tell(after);
  return 0;
}

#include "doctor/places.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "calls/calls.hpp"
#include "doctor/process.hpp"
#include "helper/helper.hpp"

namespace weft::doctor {
namespace {

constexpr int kPatienceMs = 5000;  // a report with addresses now is better than one with lines never

std::string hexadecimal(std::uint64_t number) {
  char text[24];
  (void)std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

// "solver.c:88 in solve": the place first, as it follows the name of the routine that was called there.
std::string place_first(const std::string& text) {
  const std::size_t at = text.rfind(" at ");
  return at == std::string::npos ? text : text.substr(at + 4) + " in " + text.substr(0, at);
}

// `given` is an address in shared memory, if it is not 0.
bool has_address(const Wait& wait) {
  return wait.why == boot::Waiting::kPages || (wait.why == boot::Waiting::kLock && wait.in_shared());
}

// The answers of weft-where, a line each; all empty when it gave none.
std::vector<std::string> ask_tool(const std::string& tool, std::vector<std::string> words,
                                  const std::vector<std::uint64_t>& addresses) {
  std::vector<std::string> lines(addresses.size());
  words.insert(words.begin(), "weft-where");
  for (const std::uint64_t address : addresses) words.push_back(hexadecimal(address));
  const base::Result<helper::Answer> answer = helper::ask(tool, words, kPatienceMs, helper::Errors::kQuiet);
  if (!answer || answer->status != 0) return lines;
  std::string_view rest = answer->text;
  for (std::string& line : lines) {
    const std::size_t end = rest.find('\n');
    line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

}  // namespace

int Job::process_of(int pe) const {
  if (elsewhere()) return 0;
  int pid = boot::pe_record(header, pe)->pid.load(std::memory_order_relaxed);
  // Of a program of OpenMP alone only its threads have told.
  if (pid == 0) pid = boot::pe_threads(header, pe)->pid.load(std::memory_order_relaxed);
  return pid > 0 && descends_from(pid, launcher) ? pid : 0;
}

Places::Places(const Job& job, const std::vector<Pe>& pes, const std::string& tool) : job_(job) {
  for (std::size_t k = 0; k < pes.size(); ++k) {
    const int pe = static_cast<int>(k);
    processes_.push_back(pes[k].alive ? job.process_of(pe) : 0);
    if (!pes[k].alive) continue;
    for (const Wait& wait : pes[k].waits) {
      ask(pe, wait.site);
      ask(pe, wait.block == 0 ? 0 : wait.block_site);
      if ((wait.object & boot::kInStatics) != 0) ask(pe, address_of(pe, wait.object));
      if (has_address(wait)) ask(pe, wait.given);
    }
    if (!pes[k].program_waits()) ask(pe, pes[k].site);
    ask_for_threads(pe, pes[k].openmp);
  }
  if (!job.elsewhere()) look_up(tool);
}

bool Places::in_program(int pe, std::uint64_t address) const {
  const std::uint64_t base = record(pe).program_base.load(std::memory_order_relaxed);
  return address >= base && address < record(pe).program_end.load(std::memory_order_relaxed);
}

Places::ByProgram Places::linked(int pe, std::uint64_t address) const {
  return {record(pe).program.load(std::memory_order_relaxed),
          address - record(pe).program_base.load(std::memory_order_relaxed)};
}

std::uint64_t Places::address_of(int pe, boot::Place place) const {
  return record(pe).static_begin.load(std::memory_order_relaxed) + boot::offset_of(place);
}

void Places::ask(int pe, std::uint64_t address) {
  if (address == 0) return;
  if (in_program(pe, address)) {
    const ByProgram place = linked(pe, address);
    in_programs_[place];
    shown_by_.try_emplace(place.first, pe);
  } else {
    elsewhere_[{pe, address}];
  }
}

// A task by the address behind the first byte of its function, as what a call returns to is behind the call.
void Places::ask_for_threads(int pe, const OpenMp& openmp) {
  for (const Thread& thread : openmp.threads) {
    if (thread.waits()) ask(pe, thread.site);
    if (thread.waits_for_lock()) ask(pe, thread.object);
    if (thread.task != 0) ask(pe, thread.task + 1);
  }
}

void Places::look_up(const std::string& tool) {
  for (const auto& [program, pe] : shown_by_) {
    const auto first = in_programs_.lower_bound({program, 0});
    std::vector<std::uint64_t> addresses;
    for (auto it = first; it != in_programs_.end() && it->first.first == program; ++it) {
      addresses.push_back(it->first.second);
    }
    const std::string file = "/proc/" + std::to_string(processes_[static_cast<std::size_t>(pe)]) + "/exe";
    const std::vector<std::string> lines = ask_tool(tool, {"-e", file}, addresses);
    auto it = first;
    for (const std::string& line : lines) (it++)->second = line;
  }
  // Of each PE together.
  for (auto first = elsewhere_.begin(); first != elsewhere_.end();) {
    const int pe = first->first.first;
    const auto end = elsewhere_.upper_bound({pe, UINT64_MAX});
    std::vector<std::uint64_t> addresses;
    for (auto it = first; it != end; ++it) addresses.push_back(it->first.second);
    const std::string pid = std::to_string(processes_[static_cast<std::size_t>(pe)]);
    for (const std::string& line : ask_tool(tool, {pid}, addresses)) (first++)->second = line;
  }
}

std::string Places::site(int pe, std::uint64_t site) const {
  if (site == 0) return {};
  if (!in_program(pe, site)) {
    const auto found = elsewhere_.find({pe, site});
    return found == elsewhere_.end() || found->second.empty() ? hexadecimal(site) : place_first(found->second);
  }
  const ByProgram place = linked(pe, site);
  const auto found = in_programs_.find(place);
  return found == in_programs_.end() || found->second.empty() ? "program+" + hexadecimal(place.second)
                                                              : place_first(found->second);
}

// "byte 64 of the block of 400 bytes that shmem_malloc gave at solver.c:20 in main".
std::string Places::in_block(int pe, const Wait& wait) const {
  const std::uint64_t from_begin = wait.object - wait.block;
  const std::string giver = wait.block_call == 0 ? "Weft" : calls::name_of(wait.block_call);
  const std::string where = site(pe, wait.block_site);
  return (from_begin == 0 ? "" : "byte " + std::to_string(from_begin) + " of ") + std::string("the block of ") +
         std::to_string(wait.block_bytes) + " bytes that " + giver + " gave" + (where.empty() ? "" : " at " + where);
}

// Shared pages lie at the same address on all PEs. They may be where the program has a variable of its own.
std::string Places::in_shared(int pe, std::uint64_t address) const {
  if (address == 0) return {};
  const auto found = in_program(pe, address) ? in_programs_.find(linked(pe, address)) : in_programs_.end();
  const bool known = found != in_programs_.end() && !found->second.empty();
  return (known ? found->second + ", at " : "at ") + hexadecimal(address) + " in shared memory";
}

std::string Places::variable(int pe, std::uint64_t address) const {
  if (in_program(pe, address)) {
    const auto found = in_programs_.find(linked(pe, address));
    if (found != in_programs_.end() && !found->second.empty()) return found->second;
  }
  const auto found = elsewhere_.find({pe, address});
  const bool known = found != elsewhere_.end() && !found->second.empty() && found->second != "?";
  return known ? found->second : "at " + hexadecimal(address);
}

std::string Places::object(int pe, const Wait& wait) const {
  const boot::Place place = wait.object;
  if (has_address(wait)) return in_shared(pe, wait.given);
  if (place == 0) return "a private variable";
  if (wait.block != 0) return in_block(pe, wait);
  if ((place & boot::kInStatics) == 0) return "heap+" + hexadecimal(boot::offset_of(place));
  const auto found = in_programs_.find(linked(pe, address_of(pe, place)));
  return found == in_programs_.end() || found->second.empty() ? "static data+" + hexadecimal(boot::offset_of(place))
                                                              : found->second;
}

std::optional<std::uint64_t> Places::value(int pe, boot::Place place, int bytes) const {
  if (place == 0 || (place & boot::kInShared) != 0 || bytes < 1 || bytes > 8 || job_.elsewhere()) return std::nullopt;
  const bool in_statics = (place & boot::kInStatics) != 0;
  std::uint64_t bits = 0;
  ssize_t got = 0;
  if (in_statics && job_.shape.n_pes == 1) {
    // Alone its static data stays where it is.
    const iovec here{&bits, static_cast<std::size_t>(bytes)};
    const iovec there{reinterpret_cast<void*>(address_of(pe, place)), here.iov_len};
    const int process = processes_[static_cast<std::size_t>(pe)];
    got = process == 0 ? 0 : ::process_vm_readv(process, &here, 1, &there, 1, 0);
  } else {
    const std::uint64_t slot = in_statics ? job_.shape.slot_bytes : job_.shape.heap_slot_bytes;
    const std::uint64_t offset =
        static_cast<std::uint64_t>(pe) * slot + (in_statics ? job_.shape.static_offset : 0) + boot::offset_of(place);
    got = ::pread(in_statics ? job_.data_fd : job_.heap_fd, &bits, static_cast<std::size_t>(bytes),
                  static_cast<off_t>(offset));
  }
  if (got != bytes) return std::nullopt;
  return bits;
}

}  // namespace weft::doctor

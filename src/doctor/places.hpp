// Names by the processes of a job: their memory maps, their debug information (libexec/weft/weft-where) and the job's
// files.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "boot/job.hpp"
#include "doctor/text.hpp"

namespace weft::doctor {

/// A job that can be looked into.
struct Job {
  boot::JobHeader* header = nullptr;  // and the records behind it
  int data_fd = -1;
  int heap_fd = -1;
  Shape shape;
  int launcher = 0;  // its process

  /// Its PEs run on other hosts: there are their records, but no process and no memory of theirs to look into.
  bool elsewhere() const { return data_fd < 0; }
  /// Of the PE's process; 0 where none is known. What a record says is believed only of the launcher's own descendants.
  int process_of(int pe) const;
};

class Places : public Names {
 public:
  /// Looks up all that there is to be told of these PEs. `tool` is the path of weft-where; without it addresses are
  /// told. This takes a while where programs are large.
  Places(const Job& job, const std::vector<Pe>& pes, const std::string& tool);

  std::string site(int pe, std::uint64_t site) const override;
  std::string object(int pe, const Wait& wait) const override;
  std::string variable(int pe, std::uint64_t address) const override;
  std::optional<std::uint64_t> value(int pe, boot::Place place, int bytes) const override;

 private:
  // A file, by the PE whose /proc entry shows it, and addresses as it was linked for; or a process and its addresses.
  struct Questions {
    std::vector<std::string> words;
    std::vector<std::uint64_t> addresses;
  };
  using ByProgram = std::pair<std::uint64_t, std::uint64_t>;  // program, address it was linked for

  const boot::PeRecord& record(int pe) const { return *boot::pe_record(job_.header, pe); }
  std::string in_shared(int pe, std::uint64_t address) const;
  std::string in_block(int pe, const Wait& wait) const;
  bool in_program(int pe, std::uint64_t address) const;
  ByProgram linked(int pe, std::uint64_t address) const;
  std::uint64_t address_of(int pe, boot::Place place) const;
  void ask(int pe, std::uint64_t address);
  void ask_for_threads(int pe, const OpenMp& openmp);
  void look_up(const std::string& tool);

  Job job_;
  std::vector<int> processes_;
  std::map<ByProgram, std::string> in_programs_;
  std::map<std::uint64_t, int> shown_by_;  // a PE that runs the program
  std::map<std::pair<int, std::uint64_t>, std::string> elsewhere_;
};

}  // namespace weft::doctor

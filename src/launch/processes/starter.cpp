#include "launch/processes/starter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "launch/processes/guard.hpp"
#include "os/process.hpp"

namespace weft::launch::processes {
namespace {

bool sets(const char* assignment, std::string_view name) {
  const std::string_view text(assignment);
  return text.size() > name.size() && text.substr(0, name.size()) == name && text[name.size()] == '=';
}

// What execvp does for a script without a first line that names its interpreter.
bool is_plain_script(const std::string& path) {
  char head[128];
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t read = ::read(fd, head, sizeof head);
  (void)::close(fd);
  return read > 0 && std::memchr(head, '\0', static_cast<std::size_t>(read)) == nullptr;
}

// What a PE is told of its number: Weft's own variable, and those by which scripts and programs of MPI's world ask for
// a rank before there is an MPI, such as for choosing a GPU. None of them is one that a library of Hydra's or Open
// MPI's takes for the word of its own launcher (PMI_, PMIX_, OMPI_MCA_): to such a library we are none.
constexpr const char* kOfEachPe[] = {boot::kPeVariable,
                                     "MPI_LOCALRANKID",
                                     "MPI_LOCALNRANKS",
                                     "OMPI_COMM_WORLD_RANK",
                                     "OMPI_COMM_WORLD_SIZE",
                                     "OMPI_COMM_WORLD_LOCAL_RANK",
                                     "OMPI_COMM_WORLD_LOCAL_SIZE",
                                     "OMPI_COMM_WORLD_NODE_RANK"};

}  // namespace

Starter::Starter(const Job& job, const std::vector<ProgramPart>& programs, const streams::OutputFiles& files,
                 const sigset_t& reset_signals)
    : n_pes_(static_cast<int>(job.header->n_pes)),
      job_pes_(static_cast<int>(job.header->job_pes)),
      files_(files),
      job_(job_variable(job)),
      pes_(std::string(boot::kNPesVariable) + "=" + std::to_string(job_pes_)),
      reset_(reset_signals),
      mark_(mark_of(*job.header)) {
  int end = 0;
  for (const ProgramPart& part : programs) {
    Program program{end += part.n_pes, part.path, {}, {}, part.directory, part.environment, {}, part.same_addresses};
    for (char** word = part.words; *word != nullptr; ++word) program.words.push_back(*word);
    program.words.push_back(nullptr);
    programs_.push_back(std::move(program));
  }
  for (Program& program : programs_) make_environment(program);
  // Now, as a PE that runs could write to the cards.
  for (int pe = 0; job.header->n_nodes > 1 && pe < job_pes_; ++pe) {
    if (boot::peer_card(job.header, pe)->node == job.header->node) here_.push_back(pe);
  }
}

void Starter::make_environment(Program& program) {
  const auto is_ours = [](const char* variable) {
    const auto names = [&](std::string_view name) { return sets(variable, name); };
    return names(boot::kJobVariable) || names(boot::kNPesVariable) ||
           std::any_of(std::begin(kOfEachPe), std::end(kOfEachPe), names);
  };
  // Ours may be of a job that we are a part of ourselves.
  const auto is_set_anew = [&](const char* variable) {
    return is_ours(variable) || std::any_of(program.own.begin(), program.own.end(), [&](const std::string& own) {
             return sets(variable, std::string_view(own).substr(0, own.find('=')));
           });
  };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_set_anew(*variable)) program.environment.push_back(*variable);
  }
  for (auto own = program.own.begin(); own != program.own.end(); ++own) {
    // Of several of one name the last counts, and is the only one: getenv and shells would each take another.
    const std::string_view name = std::string_view(*own).substr(0, own->find('='));
    const bool again =
        std::any_of(own + 1, program.own.end(), [&](const auto& other) { return sets(other.c_str(), name); });
    if (!again && !is_ours(own->c_str())) program.environment.push_back(own->data());
  }
  program.environment.push_back(job_.data());
  program.environment.push_back(pes_.data());
  program.environment.insert(program.environment.end(), std::size(kOfEachPe) + 1, nullptr);
}

void Starter::fill_environment(int pe, Program& program) {
  const auto place = std::lower_bound(here_.begin(), here_.end(), pe);
  const int local = here_.empty() ? pe : static_cast<int>(place - here_.begin());
  const int values[std::size(kOfEachPe)] = {pe, local, n_pes_, pe, job_pes_, local, n_pes_, local};
  of_pe_.clear();
  for (std::size_t k = 0; k < std::size(kOfEachPe); ++k) {
    of_pe_.push_back(std::string(kOfEachPe[k]) + "=" + std::to_string(values[k]));
  }
  char** slots = program.environment.data() + (program.environment.size() - std::size(kOfEachPe) - 1);
  for (std::size_t k = 0; k < std::size(kOfEachPe); ++k) slots[k] = of_pe_[k].data();
}

Starter::~Starter() {
  if (null_ >= 0) (void)::close(null_);
}

std::optional<NotStarted> Starter::prepare(bool with_inputs) {
  const std::uint64_t for_each = (files_.folder_fd >= 0 ? 0 : 2) + (with_inputs ? 1 : 0);
  const std::uint64_t needed = descriptors_needed(n_pes_, for_each);
  if (!os::raise_descriptor_limit(needed, &limit_before_)) {
    return NotStarted{std::to_string(n_pes_) + " PEs need " + std::to_string(needed) + " open files and the limit is " +
                          std::to_string(limit_before_.rlim_max) + "; raise it (ulimit -Hn) or start fewer PEs",
                      1};
  }
  null_ = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null_ < 0) return NotStarted{std::string("cannot open /dev/null: ") + std::strerror(errno), 1};
  return std::nullopt;
}

std::optional<NotStarted> Starter::start(int pe, const Place& place, std::atomic<pid_t>* note_pid, Started* started) {
  Program& program = program_of(pe);
  fill_environment(pe, program);
  os::Spawn plan;
  plan.path = program.path.c_str();
  plan.arguments = program.words.data();
  plan.environment = program.environment.data();
  plan.directory = program.directory.empty() ? nullptr : program.directory.c_str();
  plan.cpus = place.cpus;
  plan.reset_signals = reset_;
  plan.note_pid = note_pid;
  plan.mark = mark_;
  plan.descriptors = &limit_before_;
  plan.same_addresses = program.same_addresses;
  if (place.gdb != nullptr) return start_in_gdb(pe, *place.gdb, plan, started);

  streams::Outputs outputs;
  if (std::optional<NotStarted> problem = open_outputs(pe, outputs)) return problem;
  plan.in = place.input >= 0 ? place.input : null_;
  plan.out = outputs.write[0];
  plan.err = outputs.write[1];
  os::Spawned made = os::spawn(plan);
  if (made.exec_failed && made.error == ENOEXEC && is_plain_script(program.path)) {
    give_to_shell(program);
    plan.path = program.path.c_str();
    plan.arguments = program.words.data();
    made = os::spawn(plan);
  }
  if (made.exec_failed) {
    const command::Program why = command::explain_refusal(program.path, made.error);
    return NotStarted{why.problem, why.exit_code};
  }
  if (made.pid < 0) return refused(pe, made.error);
  *started = {made.pid, std::exchange(outputs.read[0], -1), std::exchange(outputs.read[1], -1)};
  return std::nullopt;
}

std::optional<NotStarted> Starter::start_in_gdb(int pe, const command::DebugPlan& debug, os::Spawn plan,
                                                Started* started) {
  const command::CommandLine arguments(program_of(pe).words.begin() + 1, program_of(pe).words.end() - 1);
  command::CommandLine line = command::gdb_before(debug, plan.path, arguments);
  std::vector<char*> words;
  words.reserve(line.size() + 1);
  for (std::string& word : line) words.push_back(word.data());
  words.push_back(nullptr);
  plan.path = debug.with.gdb.c_str();
  plan.arguments = words.data();
  plan.foreground = true;
  const os::Spawned made = os::spawn(plan);
  if (made.exec_failed) return NotStarted{debug.with.gdb + ": " + std::strerror(made.error), command::kNotExecutable};
  if (made.pid < 0) return refused(pe, made.error);
  *started = {made.pid, -1, -1};
  return std::nullopt;
}

Starter::Program& Starter::program_of(int pe) {
  return *std::find_if(programs_.begin(), programs_.end(), [&](const Program& program) { return pe < program.end; });
}

void Starter::give_to_shell(Program& program) {
  static char shell[] = "sh";
  program.script = std::exchange(program.path, "/bin/sh");
  program.words[0] = program.script.data();
  program.words.insert(program.words.begin(), shell);
}

std::optional<NotStarted> Starter::open_outputs(int pe, streams::Outputs& outputs) const {
  if (files_.folder_fd < 0) return outputs.make_pipes() ? std::nullopt : refused(pe, errno);
  const base::Result<void> opened = outputs.open_files(files_, pe);
  if (!opened) return NotStarted{opened.error().text(), 1};
  return std::nullopt;
}

std::optional<NotStarted> Starter::refused(int pe, int error) const {
  std::string text = "cannot start PE " + std::to_string(pe) + " of " + std::to_string(job_pes_) + ": ";
  if (error == EAGAIN) {
    rlimit limit{};
    const bool is_limited = ::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    text += "the limit of processes is reached; start fewer PEs or raise it (ulimit -u" +
            (is_limited ? ", which is " + std::to_string(limit.rlim_cur) + "," : std::string()) +
            " or the container's pids limit)";
  } else if (error == ENOMEM) {
    text += "memory has run out; start fewer PEs";
  } else {
    text += std::strerror(error);
  }
  return NotStarted{text, 1};
}

}  // namespace weft::launch::processes

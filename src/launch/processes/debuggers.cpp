#include "launch/processes/debuggers.hpp"

#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "helper/helper.hpp"
#include "launch/processes/guard.hpp"
#include "os/process.hpp"

namespace weft::launch::processes {
namespace {

constexpr int kPatienceMs = 2000;             // for tmux to answer
constexpr std::uint64_t kOften = 20'000'000;  // ns between two looks while some do not wait yet

std::string attach_line(int pe, pid_t pid) {
  return "PE " + std::to_string(pe) + " waits before main for a debugger: gdb -p " + std::to_string(pid);
}

std::string opened_line(int pe, pid_t pid, const std::string& where) {
  return "PE " + std::to_string(pe) + " (pid " + std::to_string(pid) + ") waits before main in gdb, in " + where +
         "; set breakpoints there, then continue";
}

}  // namespace

Debuggers::Debuggers(const command::DebugPlan& plan, boot::JobHeader* job)
    : plan_(plan),
      job_(job),
      mark_(mark_of(*job)),
      own_server_(plan.in == command::DebugIn::kTmux && !plan.with.in_tmux) {}

void Debuggers::hold() {
  if (plan_.in == command::DebugIn::kNowhere || plan_.in == command::DebugIn::kHere) return;
  null_ = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  awaited_ = plan_.pes;
  for (const int pe : awaited_) {
    // Relaxed: the PE does not exist yet.
    boot::pe_record(job_, pe)->hold.store(static_cast<std::uint32_t>(boot::Hold::kAsked), std::memory_order_relaxed);
  }
  look_at_ = 0;
}

std::vector<std::string> Debuggers::look(std::uint64_t now) {
  std::vector<std::string> lines;
  std::erase_if(awaited_, [&](int pe) {
    const boot::PeRecord& record = *boot::pe_record(job_, pe);
    if (record.hold.load(std::memory_order_acquire) < static_cast<std::uint32_t>(boot::Hold::kHeld)) return false;
    lines.push_back(open(pe, record.pid.load(std::memory_order_relaxed)));
    return true;
  });
  look_at_ = awaited_.empty() ? std::nullopt : std::optional(now + kOften);
  if (awaited_.empty() && !socket_.empty() && server_ != 0) {
    lines.push_back("to see the debuggers: " + plan_.with.tmux + " -S " + socket_ +
                    " attach (Ctrl-B n: next PE, Ctrl-B d: leave)");
  }
  return lines;
}

std::string Debuggers::open(int pe, pid_t pid) {
  switch (plan_.in) {
    case command::DebugIn::kTmux: return open_in_tmux(pe, pid);
    case command::DebugIn::kTerminals: return open_terminal(pe, pid);
    case command::DebugIn::kAttach:
    case command::DebugIn::kHere:
    case command::DebugIn::kNowhere: break;
  }
  return attach_line(pe, pid);
}

// Whoever could make the socket, or reach it, would have our terminal and environment: the folder is ours alone, and
// nobody knows its name beforehand.
bool Debuggers::make_folder() {
  if (!folder_.empty()) return true;
  constexpr std::size_t kMost = sizeof sockaddr_un::sun_path - sizeof "/weft-XXXXXX/tmux";
  const char* place = std::getenv("TMPDIR");
  const bool fits = place != nullptr && place[0] == '/' && std::strlen(place) <= kMost;
  std::string made = std::string(fits ? place : "/tmp") + "/weft-XXXXXX";
  if (::mkdtemp(made.data()) == nullptr) return false;
  folder_ = made;
  socket_ = made + "/tmux";
  return true;
}

std::string Debuggers::open_in_tmux(int pe, pid_t pid) {
  if (own_server_ && !make_folder()) {
    return attach_line(pe, pid) + " (cannot make a folder for tmux's socket: " + std::strerror(errno) + ")";
  }
  const base::Result<helper::Answer> answer =
      helper::ask(plan_.with.tmux, command::tmux_window(plan_, socket_, windows_.empty(), pe, pid), kPatienceMs);
  int server = 0;
  std::array<char, 32> window{};
  if (!answer || answer->status != 0 || std::sscanf(answer->text.c_str(), "%d %31s", &server, window.data()) != 2 ||
      server <= 1) {
    return attach_line(pe, pid) + " (tmux could not open a window)";
  }
  if (!socket_.empty()) server_ = server;
  windows_.emplace_back(window.data());
  return opened_line(pe, pid, "the tmux window 'PE " + std::to_string(pe) + "'");
}

// Our child, though no PE: what of it does not go when it is told to is ended with what PEs leave behind.
std::string Debuggers::open_terminal(int pe, pid_t pid) {
  command::CommandLine words = command::terminal_window(plan_, pid);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  os::Spawn spawn;
  spawn.path = plan_.with.emulator.c_str();
  spawn.arguments = arguments.data();
  spawn.environment = environ;
  spawn.in = null_;
  spawn.mark = mark_;
  sigemptyset(&spawn.reset_signals);
  const os::Spawned made = os::spawn(spawn);
  if (made.pid < 0) return attach_line(pe, pid) + " (" + spawn.path + ": " + std::strerror(made.error) + ")";
  terminals_.push_back(made.pid);
  return opened_line(pe, pid, "a terminal of its own");
}

void Debuggers::ended(pid_t pid) {
  if (pid == server_) server_ = 0;
  if (::kill(-pid, 0) != 0) std::erase(terminals_, pid);  // what it has started may live on, in its group
}

void Debuggers::close() {
  awaited_.clear();
  look_at_.reset();
  if (server_ != 0) {
    (void)helper::ask(plan_.with.tmux, {plan_.with.tmux, "-S", socket_, "kill-server"}, kPatienceMs);
    (void)::kill(server_, SIGKILL);
  } else if (!own_server_) {
    for (const std::string& window : windows_) {
      (void)helper::ask(plan_.with.tmux, {plan_.with.tmux, "kill-window", "-t", window}, kPatienceMs);
    }
  }
  for (const pid_t terminal : terminals_) (void)::kill(-terminal, SIGHUP);
  if (!folder_.empty()) {
    (void)::unlink(socket_.c_str());
    (void)::rmdir(folder_.c_str());
    folder_.clear();
  }
  server_ = 0;
  windows_.clear();
  terminals_.clear();
  if (null_ >= 0) (void)::close(std::exchange(null_, -1));
}

}  // namespace weft::launch::processes

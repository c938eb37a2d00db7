#include "launch/hosts/tree.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "launch/command/program.hpp"
#include "os/process.hpp"

namespace weft::launch::hosts {
namespace {

// Between the end of an agent's output and the end of its ssh, which says why.
constexpr std::uint64_t kParting = 500'000'000;  // ns

struct Pipes {
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  ~Pipes() {
    for (const int fd : {in[0], in[1], out[0], out[1], err[0], err[1]}) {
      if (fd >= 0) (void)::close(fd);
    }
  }
  bool make() { return ::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0 && ::pipe2(err, O_CLOEXEC) == 0; }
};

int take(int& fd) { return std::exchange(fd, -1); }

// For the shell at the other end. What needs no quotes gets none, so that commands work that have no shell there.
std::string quoted(const std::string& word) {
  const bool plain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-=@%,:") ==
      std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::vector<std::string> agent_command(const std::vector<std::string>& ssh, const std::string& host,
                                       const std::string& agent) {
  if (is_this_host(host)) return {agent};
  std::vector<std::string> words = ssh;
  words.push_back(host);
  words.push_back(quoted(agent));
  return words;
}

void Tree::start(const Errand& errand, int first, int end, std::uint64_t now) {
  bear_silence(errand.silence);
  const std::string packed = pack(errand);
  for (const tree::Branch& branch : tree::branches(first, end, errand.fanout)) {
    const auto which = static_cast<std::uint32_t>(children_.size());
    children_.push_back(std::make_unique<Child>(poller_, which));
    Child& child = *children_.back();
    add(branch, child.link);
    child.host = errand.shares[static_cast<std::size_t>(branch.first)].host;
    start_child(which, errand, now);
    child.link.send(FrameKind::kErrand, static_cast<std::uint32_t>(branch.first), errand_for(branch, packed));
  }
}

void Tree::start_child(std::uint32_t which, const Errand& errand, std::uint64_t now) {
  Child& child = *children_[which];
  std::vector<std::string> words = agent_command(errand.ssh, child.host, errand.agent);
  child.command = words[0];
  const command::Program program = command::find_program(words[0].c_str(), std::getenv("PATH"));
  if (program.exit_code != 0) return lose(which, "cannot start " + program.problem);
  Pipes pipes;
  if (!pipes.make()) return lose(which, std::string("cannot make a pipe: ") + std::strerror(errno));
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  os::Spawn plan;
  plan.path = program.path.c_str();
  plan.arguments = arguments.data();
  plan.environment = environ;
  plan.in = pipes.in[0];
  plan.out = pipes.out[1];
  plan.err = pipes.err[1];
  plan.reset_signals = reset_;
  const os::Spawned made = os::spawn(plan);
  if (made.pid < 0) return lose(which, "cannot start " + words[0] + ": " + std::strerror(made.error));
  child.pid = made.pid;
  child.err = take(pipes.err[0]);
  (void)::fcntl(child.err, F_SETFL, O_NONBLOCK);
  (void)poller_.add(child.err, EPOLLIN, streams::About::kLinkErr, which);
  child.link.open(take(pipes.out[0]), take(pipes.in[1]), now);
}

void Tree::flush() {
  for (const auto& child : children_) child->link.flush();
}

void Tree::errors_readable(std::uint32_t which) {
  Child& child = *children_[which];
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = child.err < 0 ? 0 : ::read(child.err, buffer.data(), buffer.size());
    if (got > 0) {
      child.said.append(buffer.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (child.err >= 0) {
      poller_.remove(child.err);
      (void)::close(child.err);
      child.err = -1;
    }
    break;
  }
  pass_on_errors(which, child.link.greeted());
}

// All lines but the last, which may be why ssh ends: that goes into one line with the end.
void Tree::pass_on_errors(std::size_t which, bool all) {
  Child& child = *children_[which];
  for (std::size_t end = child.said.find('\n'); end != std::string::npos; end = child.said.find('\n')) {
    if (!all && child.said.find('\n', end + 1) == std::string::npos && end + 1 == child.said.size()) return;
    std::string line = child.said.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    child.said.erase(0, end + 1);
    if (!line.empty()) tell(which, line);
  }
}

void Tree::cut(std::size_t which) {
  Child& child = *children_[which];
  child.link.close();
  if (child.pid > 0 && !child.status) (void)::kill(-child.pid, SIGKILL);
}

bool Tree::child_ended(pid_t pid, int wait_status) {
  for (std::uint32_t which = 0; which < children_.size(); ++which) {
    Child& child = *children_[which];
    if (child.pid != pid) continue;
    child.status = wait_status;
    child.link.drain();
    child.link.close();  // whoever else holds the pipe is none of ours
    errors_readable(which);
    return true;
  }
  return false;
}

std::string Tree::why_gone(std::size_t which) const {
  if (!given_up(which).empty()) return given_up(which);
  const Child& child = *children_[which];
  std::string said = child.said.substr(0, child.said.find('\n'));
  if (!said.empty() && said.back() == '\r') said.pop_back();
  const std::string how =
      child.status ? child.command.substr(child.command.rfind('/') + 1) + " " + ending(*child.status) : "";
  if (child.link.greeted()) {
    return "lost the connection to its weft-agent" + (how.empty() ? how : "; " + how);
  }
  std::string why = "cannot start weft-agent there" + (said.empty() ? "" : ": " + said);
  if (!how.empty()) why += (said.empty() ? ": " : " (") + how + (said.empty() ? "" : ")");
  if (child.status && WIFEXITED(*child.status) && WEXITSTATUS(*child.status) == command::kNotFound) {
    why += "; install Weft in the same place on every host";
  }
  return why;
}

std::optional<std::string> Tree::why_ended(std::size_t which, std::uint64_t now) {
  Child& child = *children_[which];
  if (child.closed_at == 0) child.closed_at = now;
  if (!child.status && now < child.closed_at + kParting) return std::nullopt;
  return why_gone(which);
}

}  // namespace weft::launch::hosts

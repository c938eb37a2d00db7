#include "doctor/process.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace weft::doctor {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Status {
  char state = '\0';  // the letter of proc(5): 'R', 'S', 'T', 'Z' and so on; 0 when there is no such process
  int parent = 0;
};

Status status_of(int pid) {
  Status status;
  const std::string stat = read_all("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');  // the name before it may hold anything
  if (name_end != std::string::npos)
    (void)std::sscanf(stat.c_str() + name_end, ") %c %d", &status.state, &status.parent);
  return status;
}

}  // namespace

bool lives(int pid) {
  const char state = status_of(pid).state;
  return state != '\0' && state != 'Z' && state != 'X';
}

bool descends_from(int pid, int ancestor) {
  constexpr int kDeepest = 64;  // a PE may be started by scripts, not by so many
  for (int steps = 0; pid > 1 && steps < kDeepest; ++steps) {
    if (pid == ancestor) return true;
    pid = status_of(pid).parent;
  }
  return false;
}

int threads_of(int pid) {
  std::error_code error;
  int count = 0;
  for (std::filesystem::directory_iterator task("/proc/" + std::to_string(pid) + "/task", error), end;
       !error && task != end; task.increment(error)) {
    ++count;
  }
  return count;
}

bool has_thread(int pid, int thread) {
  std::error_code error;
  return std::filesystem::exists("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread), error);
}

bool has_loaded(int pid, const char* library) {
  return read_all("/proc/" + std::to_string(pid) + "/maps").find(library) != std::string::npos;
}

}  // namespace weft::doctor

#include "doctor/process.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace weft::doctor {
namespace {

// The letter of proc(5): 'R', 'S', 'T', 'Z' and so on; 0 when there is no such process.
char state_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string stat = text.str();
  const std::size_t name_end = stat.rfind(')');  // the name before it may hold anything
  return name_end == std::string::npos || name_end + 2 >= stat.size() ? '\0' : stat[name_end + 2];
}

}  // namespace

bool lives(int pid) {
  const char state = state_of(pid);
  return state != '\0' && state != 'Z' && state != 'X';
}

bool is_stopped(int pid) {
  const char state = state_of(pid);
  return state == 'T' || state == 't';
}

}  // namespace weft::doctor

#include "launch/processes/variables.hpp"

#include <cstdlib>

namespace weft::launch::processes {

std::string value_of(const ProgramPart& part, std::string_view variable) {
  const std::string name = std::string(variable) + "=";
  const char* ours = std::getenv(std::string(variable).c_str());
  std::string value = ours != nullptr ? ours : "";
  for (const std::string& assignment : part.environment) {
    if (assignment.starts_with(name)) value = assignment.substr(name.size());
  }
  return value;
}

void put_first(ProgramPart& part, std::string_view variable, const std::string& value) {
  const std::string name = std::string(variable) + "=";
  const std::string before = value_of(part, variable);
  std::erase_if(part.environment, [&](const std::string& assignment) { return assignment.starts_with(name); });
  part.environment.push_back(name + value + (before.empty() ? "" : ":" + before));
}

}  // namespace weft::launch::processes

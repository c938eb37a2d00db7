#include "launch/command/called.hpp"

#include <cctype>

namespace weft::launch::command {
namespace {

struct Word {
  std::string_view here;
  std::string_view theirs;  // empty: the name of the launcher
};
constexpr Word kWords[] = {{"oshrun", {}}, {"PEs", "ranks"}, {"PE", "rank"}};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A file's name, a variable's and an option's are none of our words, though one may stand in them.
bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
  constexpr std::string_view kJoins = "/-.=";
  if (at > 0 && (is_letter(text[at - 1]) || kJoins.find(text[at - 1]) != kJoins.npos)) return false;
  const std::string_view rest = text.substr(at + size);
  if (rest.empty()) return true;
  if (is_letter(rest[0]) || rest[0] == '/' || rest[0] == '-' || rest[0] == '=') return false;
  return rest[0] != '.' || rest.size() == 1 || !is_letter(rest[1]);
}

// The manual's page has one name.
bool is_page(std::string_view text, std::size_t at) { return text.substr(0, at).ends_with("man "); }

}  // namespace

Called::Called(std::string_view word) {
  const std::string_view base = word.substr(word.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view name : {"mpiexec", "mpirun"}) {
    if (base != name && !base.starts_with(std::string(name) + ".")) continue;
    name_ = name;
    for_mpi_ = true;
  }
}

std::string Called::line(std::string_view text) const {
  if (!for_mpi_) return std::string(text);
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const Word* found = nullptr;
    for (const Word& word : kWords) {
      const bool fits = found == nullptr && text.substr(at).starts_with(word.here) &&
                        stands_alone(text, at, word.here.size()) && !is_page(text, at);
      if (fits) found = &word;
    }
    made += found == nullptr ? std::string_view(&text[at], 1) : found->theirs.empty() ? name_ : found->theirs;
    at += found == nullptr ? 1 : found->here.size();
  }
  return made;
}

}  // namespace weft::launch::command

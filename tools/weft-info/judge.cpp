#include "judge.hpp"

#include "base/nearest.hpp"
#include "base/options.hpp"

#include "api/option_tables.inc"

namespace weft::info {
namespace {

std::vector<std::string_view> option_names() {
  std::vector<std::string_view> names;
  const auto add = [&names](const base::OptionTable& table) {
    for (const base::OptionText& option : table.options) {
      names.emplace_back(option.name);
      if (option.older[0] != '\0') names.emplace_back(option.older);
    }
  };
  add(base::own_options());
  for (const base::OptionTable* table : api::option_tables()) add(*table);
  return names;
}

// Another library's variable is none of our business: only a slip, and what the specification's prefix promises.
void judge_name(const std::string& name, std::vector<Finding>& findings) {
  const std::vector<std::string_view> names = option_names();
  const std::string meant(base::nearest(name, names));
  if (!meant.empty()) {
    findings.push_back({"variables", Level::kWarn, name + " is set, which Weft does not know",
                        meant + " is much like it, and is what Weft reads", "export " + meant + "=\"$" + name + "\""});
  } else if (name.rfind("WEFT_", 0) != 0) {
    findings.push_back({"variables", Level::kNote, name + " is set, which Weft does not know",
                        "it may be another OpenSHMEM library's; to a job of Weft it makes no difference", ""});
  }
}

}  // namespace

const char* level_text(Level level) {
  switch (level) {
    case Level::kOk: return "ok";
    case Level::kNote: return "note";
    case Level::kWarn: return "warn";
    case Level::kBad: return "bad";
  }
  return "";
}

std::string as_root(const Facts& facts, const std::string& command) { return (facts.root ? "" : "sudo ") + command; }

std::string write_as_root(const Facts& facts, const std::string& text, const std::string& path, bool append) {
  if (facts.root) return "echo " + text + (append ? " >> " : " > ") + path;
  return "echo " + text + " | sudo tee " + (append ? "-a " : "") + path;
}

std::string pes_text(int n_pes) { return std::to_string(n_pes) + (n_pes == 1 ? " PE" : " PEs"); }

std::string bytes_text(std::uint64_t bytes) {
  char text[base::kByteTextSize];
  return base::byte_text(bytes, text);
}

std::vector<Finding> judge_options(const Facts& facts) {
  std::vector<Finding> findings;
  if (facts.options_problem.empty()) {
    findings.push_back({"options", Level::kOk, "all that are set are understood", "weft-info lists them", ""});
  } else {
    const std::string name = facts.options_problem.substr(0, facts.options_problem.find('='));
    findings.push_back(
        {"options", Level::kBad, facts.options_problem, "a job does not start with it", "unset " + name});
  }
  for (const std::string& name : facts.unknown_names) judge_name(name, findings);
  return findings;
}

std::vector<Finding> judge(const Facts& facts) {
  std::vector<Finding> findings;
  for (const auto part : {judge_memory, judge_limits, judge_machine, judge_options}) {
    for (Finding& finding : part(facts)) findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace weft::info

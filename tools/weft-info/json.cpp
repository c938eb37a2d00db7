// For programs. docs/weft-info.schema.json describes it, and a test compares the two.
#include <nlohmann/json.hpp>

#include "print.hpp"

namespace weft::info {
namespace {

using Json = nlohmann::ordered_json;

// Raised when a field changes its meaning or goes; not for one more field.
constexpr int kSchema = 1;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json build(const Build& build) {
  return {{"compiler", build.compiler},
          {"flags", build.flags},
          {"type", build.type},
          {"sanitizers", or_null(build.sanitizers)},
          {"fortran", or_null(build.fortran)},
          {"target", build.target},
          {"numa_placement", build.placement}};
}

Json transport(const Transport& transport) {
  Json needs = Json::array();
  for (const Need& need : transport.needs) {
    needs.push_back({{"name", need.name}, {"required", need.required}, {"usable", need.usable}, {"why", need.why}});
  }
  return {{"name", transport.name},
          {"text", transport.text},
          {"usable", transport.usable},
          {"why", transport.why},
          {"needs", needs}};
}

Json network(const Network& network) {
  Json offers = Json::array();
  for (const Offer& offer : network.offers) {
    offers.push_back({{"name", offer.name},
                      {"address", or_null(offer.address)},
                      {"usable", offer.usable},
                      {"chosen", offer.chosen},
                      {"why", or_null(offer.why)},
                      {"amo_cpu_coherent", offer.amo_cpu_coherent},
                      {"inject_bytes", offer.inject_bytes}});
  }
  const CopySize& copy = network.copy;
  return {{"use", network.use},
          {"library", or_null(network.library)},
          {"problem", or_null(network.problem)},
          {"providers", offers},
          {"copy",
           {{"bytes", copy.bytes}, {"by", copy.by}, {"file", or_null(copy.file)}, {"problem", or_null(copy.problem)}}}};
}

Json option(const Option& option) {
  Json choices = Json::array();
  for (const Choice& choice : option.choices) {
    choices.push_back({{"name", choice.name}, {"text", or_null(choice.text)}, {"usable", choice.usable}});
  }
  return {{"interface", option.interface},
          {"name", option.name},
          {"older_name", or_null(option.older)},
          {"kind", option.kind},
          {"value", option.value},
          {"default", option.fallback},
          {"origin", option.origin},
          {"set_by", or_null(option.set_by)},
          {"text", option.text},
          {"choices", choices}};
}

Json finding(const Finding& finding) {
  return {{"topic", finding.topic},
          {"level", level_text(finding.level)},
          {"found", finding.found},
          {"why", finding.why},
          {"remedy", or_null(finding.remedy)}};
}

Json outcome(const Outcome& outcome) {
  return {
      {"processes_are", outcome_text(outcome.is)}, {"why", or_null(outcome.why)}, {"remedy", or_null(outcome.remedy)}};
}

Json described(const Program& program) {
  Json atomics = nullptr;
  if (const auto& are = program.atomics) {
    atomics = {{"jumps", are->jumps}, {"traps", are->traps}, {"problem", or_null(are->problem)}};
  }
  return {{"path", program.path},
          {"kind", program.kind},
          {"build_id", or_null(program.build_id)},
          {"compilers", program.compilers},
          {"interfaces", program.interfaces},
          {"openmp", or_null(program.openmp)},
          {"atomics", atomics},
          {"libraries_with_regions", program.regions},
          {"one_host", outcome(program.one_host)},
          {"several_hosts", outcome(program.several_hosts)}};
}

template <class Items, class Make>
Json list(const Items& items, Make make) {
  Json all = Json::array();
  for (const auto& item : items) all.push_back(make(item));
  return all;
}

}  // namespace

std::string json_text(const About& about, const Check* check, const Program* program) {
  Json all = {{"schema", kSchema},
              {"version", about.version},
              {"specification", about.specification},
              {"build", build(about.build)},
              {"transports", list(about.transports, transport)},
              {"network", network(about.network)},
              {"launchers",
               {{"seen", or_null(about.launchers.seen)},
                {"pmix_usable", about.launchers.pmix_problem.empty()},
                {"pmix_problem", or_null(about.launchers.pmix_problem)}}},
              {"mpi", {{"folder", or_null(about.mpi.folder)}, {"problem", or_null(about.mpi.problem)}}},
              {"options", list(about.options, option)},
              {"options_problem", or_null(about.options_problem)},
              {"copies", list(about.copies, [](const Tried& tried) {
                 return Json{{"bytes", tried.bytes}, {"routine", tried.routine}};
               })}};
  if (check != nullptr) {
    all["check"] = {{"pes", check->n_pes},
                    {"heap_bytes", check->heap_bytes},
                    {"runs", works(*check)},
                    {"findings", list(check->findings, finding)}};
  }
  if (program != nullptr) all["program"] = described(*program);
  // What an environment variable holds need not be text: what is not is replaced.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::info

#include "report/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "calls/calls.hpp"
#include "report/windows.hpp"
#include "report/words.hpp"

namespace weft::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

// Nanoseconds are as fine as any clock here; more digits would only make the page heavier.
double rounded(double seconds) { return std::round(seconds * 1e9) / 1e9; }

Json of_tally(const Tally& tally) {
  return {{"count", tally.count},
          {"bytes", tally.bytes},
          {"seconds", rounded(tally.seconds)},
          {"shortest", rounded(tally.shortest)},
          {"longest", rounded(tally.longest)}};
}

const char* word_for(End end) {
  return end == End::kFinalised ? "finalized" : end == End::kExited ? "exited" : "killed";
}

Json of_pe(const Profile& profile, std::size_t number) {
  const Pe& pe = profile.pes[number];
  Json kinds = Json::object();
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (pe.seconds[kind] > 0) kinds[kKindNames[kind]] = rounded(pe.seconds[kind]);
  }
  Json json = {{"pe", number},
               {"pid", pe.pid},
               {"end", pe.threads == 0 ? "unknown" : word_for(pe.end)},
               {"threads", pe.threads},
               {"begin", rounded(pe.begin)},
               {"seconds", rounded(pe.life)},
               {"in_weft", rounded(pe.busy)},
               {"waiting", rounded(pe.waiting)},
               {"elsewhere", rounded(pe.elsewhere())},
               {"kinds", std::move(kinds)},
               {"heap_peak", pe.heap_peak},
               {"heap_bytes", pe.heap_bytes},
               {"meetings", profile.meetings[number]},
               {"times_last", profile.times_last[number]}};
  if (pe.inside_site >= 0) json["killed_in"] = {{"site", pe.inside_site}, {"seconds", rounded(pe.inside_seconds)}};
  return json;
}

Json of_routine(const Routine& routine) {
  Json json = {{"name", routine.name}, {"kind", kKindNames[index_of(routine.kind)]}};
  json.update(of_tally(routine.all));
  Json seconds = Json::array();
  for (const double each : routine.seconds) seconds.push_back(rounded(each));
  json["pe_counts"] = routine.counts;
  json["pe_seconds"] = std::move(seconds);
  return json;
}

Json of_place(const Place& place) {
  Json json = {{"where", place.where},
               {"routine", place.routine},
               {"kind", kKindNames[index_of(place.kind)]},
               {"module", place.module},
               {"offset", place.offset}};
  json.update(of_tally(place.all));
  json["pes"] = place.pes;
  json["slowest_pe"] = place.slowest;
  json["slowest_seconds"] = rounded(place.slowest_seconds);
  return json;
}

Json of_sizes(const std::vector<SizeClass>& classes) {
  Json json = Json::array();
  for (const SizeClass& one : classes) {
    if (one.all.count == 0) continue;
    json.push_back({{"from", one.from},
                    {"to", one.to},
                    {"count", one.all.count},
                    {"bytes", one.all.bytes},
                    {"seconds", rounded(one.all.seconds)}});
  }
  return json;
}

Json of_late(const std::vector<Late>& rows) {
  Json json = Json::array();
  for (const Late& late : rows) json.push_back({late.waiting, late.last, late.count, rounded(late.seconds)});
  return json;
}

Json of_time_line(const Profile& profile) {
  Json lanes = Json::array();
  for (const Lane& lane : profile.lanes) {
    Json kinds = Json::object();
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (!lane.shares[kind].empty()) kinds[kKindNames[kind]] = lane.shares[kind];
    }
    lanes.push_back(std::move(kinds));
  }
  return {{"bin_seconds", profile.bin_seconds}, {"pes", std::move(lanes)}};
}

Json of_pages(const PagesOfPe& pe, std::size_t number, std::uint64_t page_bytes) {
  Json json = {{"pe", number},
               {"pid", pe.pid},
               {"end", !pe.known  ? "unknown"
                       : pe.ended ? "finalized"
                                  : "killed"},
               {"way", pe.by_pages ? "pages" : "memory"},
               {"seconds", rounded(pe.seconds)},
               {"came", pe.came},
               {"came_bytes", pe.came * page_bytes}};
  for (std::size_t k = 0; k < dsm::kFirstTime; ++k) json[dsm::kCountNames[k]] = pe.counts[k];
  for (std::size_t k = dsm::kFirstTime; k < dsm::kCounts; ++k) {
    json[dsm::kCountNames[k]] = rounded(pe.times[k - dsm::kFirstTime]);
  }
  return json;
}

Json of_shared(const SharedPages& shared) {
  Json json = {{"page_bytes", shared.page_bytes}, {"pes", Json::array()}};
  for (std::size_t pe = 0; pe < shared.pes.size(); ++pe) {
    json["pes"].push_back(of_pages(shared.pes[pe], pe, shared.page_bytes));
  }
  const auto rows = [](const std::vector<Pair>& pairs) {
    Json made = Json::array();
    for (const Pair& pair : pairs) made.push_back({pair.from, pair.to, pair.count, pair.bytes});
    return made;
  };
  json["fetched"] = rows(shared.fetched);
  json["sent"] = rows(shared.sent);
  json["moved"] = Json::array();
  for (const MovedPages& moved : shared.moved) {
    json["moved"].push_back({{"name", moved.name},
                             {"address", moved.address},
                             {"bytes", moved.bytes},
                             {"fetched", moved.fetched},
                             {"sent", moved.sent},
                             {"most_pe", moved.most},
                             {"most_fetched", moved.most_fetched}});
  }
  return json;
}

Json of_window(const Window& window, const Profile& profile) {
  Json json = {{"number", window.number},
               {"name", window.name},
               {"label", name_of(window)},
               {"made_by", window.made_by},
               {"where", window.place < 0 ? "" : profile.places[static_cast<std::size_t>(window.place)].where},
               {"members", window.members},
               {"bytes", window.bytes},
               {"moved", Json::object()},
               {"waited", Json::object()}};
  for (std::size_t k = 0; k < profile::kWindowMoves; ++k) {
    Json& rows = json["moved"][profile::kWindowMoveNames[k]] = Json::array();
    for (const WindowPair& pair : window.pairs) {
      const Counted& moved = pair.moved[k];
      if (moved.count > 0) rows.push_back({pair.from, pair.to, moved.count, moved.bytes});
    }
  }
  for (std::size_t k = 0; k < profile::kWindowWaits; ++k) {
    Json& rows = json["waited"][profile::kWindowWaitNames[k]] = Json::array();
    const auto add = [&](int pe, int target, const Waited& waited) {
      if (waited.count > 0) rows.push_back({pe, target, waited.count, rounded(waited.seconds)});
    };
    for (const WindowPair& pair : window.pairs) {
      if (k < profile::kPeerWaits) add(pair.from, pair.to, pair.waited[k]);
    }
    for (const WindowWaits& waits : window.of_all) add(waits.pe, -1, waits.waited[k]);
  }
  return json;
}

// Whose routines were recorded; where none were, whose program it is.
const char* interface_of(const Profile& profile) {
  if (profile.has_calls() || !profile.shared.any()) return calls::interface_name(profile.interface);
  return profile.shared.of_openmp ? "OpenMP" : "Shared Pages";
}

}  // namespace

std::string to_json(const Profile& profile, const std::vector<std::string>& hints, const std::string& version) {
  Json json = {{"format", "weft-profile"},
               {"version", kFormat},
               {"weft", version},
               {"program", profile.program},
               {"host", profile.host},
               {"interface", interface_of(profile)},
               {"started_at", profile.started_at},
               {"n_pes", profile.n_pes()},
               {"processors", profile.processors},
               {"clock", profile.uses_tsc ? "tsc" : "monotonic"},
               {"seconds", rounded(profile.seconds)},
               {"lost_threads", profile.lost_threads},
               {"hints", hints}};
  for (std::size_t pe = 0; pe < profile.pes.size(); ++pe) json["pes"].push_back(of_pe(profile, pe));
  json["routines"] = Json::array();
  for (const Routine& routine : profile.routines) json["routines"].push_back(of_routine(routine));
  json["sites"] = Json::array();
  for (const Place& place : profile.places) json["sites"].push_back(of_place(place));
  for (std::size_t kind = 0; kind < profile::kSizedKinds; ++kind) {
    json["sizes"][kKindNames[kind]] = of_sizes(profile.sizes[kind]);
  }
  for (std::size_t kind = 0; kind < profile::kPeerKinds; ++kind) {
    Json& rows = json["pairs"][kKindNames[kind]] = Json::array();
    for (const Pair& pair : profile.pairs[kind]) rows.push_back({pair.from, pair.to, pair.count, pair.bytes});
  }
  json["late"] = of_late(profile.late);
  for (std::size_t way = 0; way < profile::kWays; ++way) json["ways"][kWayNames[way]] = of_sizes(profile.ways[way]);
  json["late_senders"] = of_late(profile.senders);
  json["time_line"] = of_time_line(profile);
  json["waits"] = Json::array();
  for (const Wait& wait : profile.waits) {
    json["waits"].push_back({wait.pe, rounded(wait.begin), rounded(wait.seconds), wait.place, wait.last});
  }
  for (const Window& window : profile.windows) json["windows"].push_back(of_window(window, profile));
  if (profile.shared.any()) json["shared_pages"] = of_shared(profile.shared);
  // A path may hold bytes that are no UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_trace(const Profile& profile) {
  Json events = Json::array();
  for (std::size_t pe = 0; pe < profile.pes.size(); ++pe) {
    events.push_back(
        {{"ph", "M"}, {"name", "process_name"}, {"pid", pe}, {"args", {{"name", "PE " + std::to_string(pe)}}}});
  }
  for (const Event& event : profile.events) {
    if (event.place < 0) continue;
    const Place& place = profile.places[static_cast<std::size_t>(event.place)];
    Json args = {{"at", place.where}};
    if (event.bytes != 0) args["bytes"] = event.bytes;
    if (event.peer >= 0) args["peer"] = event.peer;
    events.push_back({{"ph", "X"},
                      {"name", place.routine},
                      {"cat", kKindNames[index_of(place.kind)]},
                      {"pid", event.pe},
                      {"tid", event.thread},
                      {"ts", std::round(event.begin * 1e9) / 1e3},  // microseconds
                      {"dur", std::round(event.seconds * 1e9) / 1e3},
                      {"args", std::move(args)}});
  }
  const Json json = {{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace weft::report

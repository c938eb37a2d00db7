#include "report/windows.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "calls/calls.hpp"
#include "profile/clock.hpp"

namespace weft::report {
namespace {

using profile::WindowPart;
using profile::WindowPeer;
using profile::WindowTally;

constexpr auto kRelaxed = std::memory_order_relaxed;

Counted counted(const WindowTally& tally) { return {tally.count.load(kRelaxed), tally.sum.load(kRelaxed)}; }

Waited waited(const WindowTally& tally, const profile::Scale& scale) {
  return {tally.count.load(kRelaxed), scale.ns(tally.sum.load(kRelaxed)) / 1e9};
}

// Where the program has made it, if calls from there were counted.
int place_of(const WindowPart& part, const profile::Header& header, const Profile& profile) {
  if (part.call == 0 || part.module >= header.n_modules) return -1;
  const std::string routine = calls::name_of(part.call);
  const std::string module = header.modules[part.module].path;
  const auto found = std::find_if(profile.places.begin(), profile.places.end(), [&](const Place& place) {
    return place.offset == part.offset && place.module == module && place.routine == routine;
  });
  return found == profile.places.end() ? -1 : static_cast<int>(found - profile.places.begin());
}

bool is_nothing(const WindowPair& pair) {
  return std::all_of(pair.moved.begin(), pair.moved.end(), [](const Counted& each) { return each.count == 0; }) &&
         std::all_of(pair.waited.begin(), pair.waited.end(), [](const Waited& each) { return each.count == 0; });
}

void take_peers(const WindowPart& part, const profile::Scale& scale, Window* window) {
  for (std::uint32_t rank = 0; rank < part.n_members; ++rank) {
    const WindowPeer& peer = profile::peers_of(&part)[rank];
    WindowPair pair{.from = part.pe, .to = peer.pe};
    for (std::size_t k = 0; k < profile::kWindowMoves; ++k) pair.moved[k] = counted(peer.moved[k]);
    for (std::size_t k = 0; k < profile::kPeerWaits; ++k) pair.waited[k] = waited(peer.waited[k], scale);
    if (!is_nothing(pair)) window->pairs.push_back(pair);
  }
}

// The same window of all its members. Those that found no room are one.
using Key = std::tuple<bool, std::uint64_t, std::uint32_t>;
Key key_of(const WindowPart& part) { return part.call == 0 ? Key{true, 0, 0} : Key{false, part.members, part.ordinal}; }

}  // namespace

Counted Window::moved(std::size_t what) const {
  Counted sum;
  for (const WindowPair& pair : pairs) {
    sum.count += pair.moved[what].count;
    sum.bytes += pair.moved[what].bytes;
  }
  return sum;
}

Waited Window::waited(std::size_t what) const {
  Waited sum;
  const auto add = [&](const Waited& more) {
    sum.count += more.count;
    sum.seconds += more.seconds;
  };
  for (const WindowPair& pair : pairs) {
    if (what < profile::kPeerWaits) add(pair.waited[what]);
  }
  for (const WindowWaits& waits : of_all) add(waits.waited[what]);
  return sum;
}

std::uint64_t Window::bytes_moved() const {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < profile::kWindowMoves; ++k) sum += moved(k).bytes;
  return sum;
}

double Window::seconds_waited() const {
  double sum = 0;
  for (std::size_t k = 0; k < profile::kWindowWaits; ++k) sum += waited(k).seconds;
  return sum;
}

void merge_windows(const Raw& raw, Profile* profile) {
  std::map<Key, std::size_t> known;
  for (std::size_t pe = 0; pe < raw.windows.size(); ++pe) {
    for (const WindowPart* part : raw.windows[pe]) {
      const auto [at, is_new] = known.try_emplace(key_of(*part), profile->windows.size());
      if (is_new) {
        Window& made = profile->windows.emplace_back();
        made.number = static_cast<int>(profile->windows.size());
        made.members = static_cast<int>(part->n_members);
        made.is_others = part->call == 0;
        made.made_by = made.is_others ? "" : calls::name_of(part->call);
      }
      Window& window = profile->windows[at->second];
      const profile::Header& header = *raw.pes[pe].header;
      const profile::Scale scale{header.first, header.latest};
      if (window.name.empty()) window.name = part->name;
      if (window.place < 0) window.place = place_of(*part, header, *profile);
      window.bytes += part->bytes;
      take_peers(*part, scale, &window);
      WindowWaits waits{.pe = part->pe};
      for (std::size_t k = 0; k < profile::kWindowWaits; ++k) waits.waited[k] = waited(part->waited[k], scale);
      window.of_all.push_back(waits);
    }
  }
  std::stable_sort(profile->windows.begin(), profile->windows.end(), [](const Window& a, const Window& b) {
    return std::make_pair(a.seconds_waited(), a.bytes_moved()) > std::make_pair(b.seconds_waited(), b.bytes_moved());
  });
}

}  // namespace weft::report

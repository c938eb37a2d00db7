// What is told of windows of MPI: a table of the summary, and a hint.
#include <algorithm>
#include <array>

#include "report/windows.hpp"
#include "report/words.hpp"

namespace weft::report {
namespace {

using profile::WindowMoves;

constexpr std::size_t kMostWindows = 4;
// Below this part of the PEs' time nothing is worth a word.
constexpr double kWorthAWord = 0.05;

std::string made_at(const Profile& profile, const Window& window) {
  if (window.place < 0) return "";
  return profile.places[static_cast<std::size_t>(window.place)].where;
}

// For locks of it: to get one, to give it back, and for what was begun under it.
double of_locks(const Window& window) {
  double sum = 0;
  for (std::size_t k = 0; k < profile::kPeerWaits; ++k) sum += window.waited(k).seconds;
  return sum;
}

std::string bytes_or_none(const Window& window, WindowMoves what) {
  const Counted moved = window.moved(static_cast<std::size_t>(what));
  return moved.count == 0 ? "-" : bytes(moved.bytes);
}

std::string time_or_none(double value) { return value > 0 ? seconds(value) : "-"; }

// The member for which most of that was waited.
std::string most_for(const Window& window, double all) {
  std::vector<double> waited;
  for (const WindowPair& pair : window.pairs) {
    const auto to = static_cast<std::size_t>(pair.to);
    waited.resize(std::max(waited.size(), to + 1));
    for (const Waited& each : pair.waited) waited[to] += each.seconds;
  }
  const auto most = std::max_element(waited.begin(), waited.end());
  if (most == waited.end() || *most < all / 2) return "";
  return ", " + seconds(*most) + " of it at PE " + std::to_string(most - waited.begin());
}

}  // namespace

std::string name_of(const Window& window) {
  if (window.is_others) return "further windows";
  return window.name.empty() ? "window " + std::to_string(window.number) : window.name;
}

std::string windows_table(const Profile& profile) {
  if (profile.windows.empty()) return "";
  std::string text = left("\nwindow", 25) + right("put", 9) + right("got", 9) + right("accum.", 9) + right("locks", 9) +
                     right("others", 9) + "  made at\n";
  for (std::size_t k = 0; k < std::min(kMostWindows, profile.windows.size()); ++k) {
    const Window& window = profile.windows[k];
    const double locks = of_locks(window);
    text += left(tail(name_of(window), 23), 24) + right(bytes_or_none(window, WindowMoves::kPut), 9) +
            right(bytes_or_none(window, WindowMoves::kGet), 9) +
            right(bytes_or_none(window, WindowMoves::kAccumulate), 9) + right(time_or_none(locks), 9) +
            right(time_or_none(std::max(0.0, window.seconds_waited() - locks)), 9) + "  " +
            tail(made_at(profile, window), 24) + "\n";
  }
  if (profile.windows.size() > kMostWindows) {
    text += "... and " + count_of(profile.windows.size() - kMostWindows, "other window") + ".\n";
  }
  return text;
}

std::string windows_hint(const Profile& profile) {
  const auto most = std::max_element(profile.windows.begin(), profile.windows.end(),
                                     [](const Window& a, const Window& b) { return of_locks(a) < of_locks(b); });
  if (most == profile.windows.end()) return "";
  const double waited = of_locks(*most);
  if (waited <= kWorthAWord * profile.life()) return "";
  const std::string where = made_at(profile, *most);
  return "PEs waited " + seconds(waited) + " for locks of " + name_of(*most) +
         (where.empty() ? "" : " (made in " + where + ")") + most_for(*most, waited) +
         ". A shared lock, or one for fewer ranks at a time, or one epoch of MPI_Win_lock_all with atomic operations "
         "would let others in.";
}

}  // namespace weft::report

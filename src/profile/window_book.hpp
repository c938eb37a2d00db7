// The windows that a program has, each with its part of the recording (window_record.hpp). Counting takes no lock.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/recording.hpp"
#include "profile/thread_recorder.hpp"
#include "profile/window_record.hpp"

namespace weft::profile {

/// What is known of a window when it has been made.
struct MadeWindow {
  std::uint32_t call = 0;
  Place place{};
  std::uint64_t bytes = 0;
  std::vector<int> pes;  // its members
};

/// A window that has a part, its own or that of all further ones.
struct KnownWindow {
  WindowPart* part = nullptr;
  bool is_own = true;
  std::vector<int> pes{};

  /// The PE at a rank; -1: none.
  int pe(int rank) const noexcept {
    return static_cast<std::size_t>(rank) < pes.size() ? pes[static_cast<std::size_t>(rank)] : -1;
  }
  /// rank: -1 for all.
  void count_moved(int rank, WindowMoves what, std::uint64_t bytes) const noexcept;
  void count_waited(int rank, WindowWaits what, std::uint64_t ticks) const noexcept;
};

class WindowBook {
 public:
  /// Where the recording is. The first windows made before that are not known.
  void use(const char* folder, int pe, int n_pes);

  /// A handle of the program stands for this window from now on.
  void add(std::uintptr_t handle, const MadeWindow& made);
  void name(std::uintptr_t handle, const char* name);
  void forget(std::uintptr_t handle);

  /// Null: it is not known. Until the handle is forgotten.
  const KnownWindow* find(std::uintptr_t handle);

 private:
  WindowPart* map_part(const MadeWindow& made);
  WindowPart* others();

  std::mutex mutex_;
  std::string file_;
  int pe_ = 0;
  int n_pes_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::size_t parts_ = 0;
  WindowPart* others_ = nullptr;
  std::map<std::uint64_t, std::uint32_t> made_;  // windows so far, by their members
  std::unordered_map<std::uintptr_t, KnownWindow> known_;
};

}  // namespace weft::profile

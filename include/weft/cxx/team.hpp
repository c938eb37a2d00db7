/// Teams of C++ programs (9.4). Programs include <weft/shmem.hpp>.
#pragma once

#include <weft/cxx/base.hpp>

#include <utility>

namespace shmem {

class unique_team;

/// PEs that are numbered from 0 and work together. A value that owns nothing: a copy is the same team.
class team {
 public:
  /// No team: what a split gives to PEs that are not in the new team.
  constexpr team() noexcept = default;
  WEFT_CXX team(shmem_team_t handle) noexcept : handle_{handle} {}

  [[nodiscard]] WEFT_CXX static team world() noexcept { return SHMEM_TEAM_WORLD; }
  /// The PEs whose memory this PE can load from and store to, see ptr().
  [[nodiscard]] WEFT_CXX static team shared() noexcept { return SHMEM_TEAM_SHARED; }

  [[nodiscard]] WEFT_CXX shmem_team_t get() const noexcept { return handle_; }
  WEFT_CXX explicit operator bool() const noexcept { return handle_ != SHMEM_TEAM_INVALID; }
  WEFT_CXX friend bool operator==(const team& a, const team& b) noexcept { return a.handle_ == b.handle_; }
  WEFT_CXX friend bool operator!=(const team& a, const team& b) noexcept { return a.handle_ != b.handle_; }

  /// Number of this PE in the team, and how many PEs it has; -1 for no team (9.4.1, 9.4.2).
  [[nodiscard]] WEFT_CXX int my_pe() const { return shmem_team_my_pe(handle_); }
  [[nodiscard]] WEFT_CXX int n_pes() const { return shmem_team_n_pes(handle_); }

  /// The number that PE `pe` of this team has in `other`, or -1 if it is not there (9.4.5).
  [[nodiscard]] WEFT_CXX int translate_pe(int pe, const team& other) const {
    return shmem_team_translate_pe(handle_, pe, other.handle_);
  }

  /// A pointer for loads and stores to the object of PE `pe` of this team that `dest` is here, or null (9.1.10). It is
  /// not a symmetric address.
  template <class T>
  [[nodiscard]] WEFT_CXX T* ptr(T* dest, int pe) const {
    return static_cast<T*>(shmem_team_ptr(handle_, dest, pe));
  }

  /// Waits for all PEs of the team. Stores are visible afterwards; puts are not completed (9.10.3).
  WEFT_CXX int sync() const { return shmem_team_sync(handle_); }

  /// A new team of the PEs `start`, `start + stride`, ... of this one; a negative stride counts down (9.4.6).
  /// Collective over this team, with the same arguments on every PE. `num_contexts` is how many contexts the program
  /// may create for the team. The result is no team on a PE outside, and on every PE when the split failed.
  [[nodiscard]] inline unique_team split_strided(int start, int stride, int size, int num_contexts = 0) const;

  /// Two new teams of a grid with rows of `xrange` PEs: the row of this PE and its column (9.4.7). Collective over this
  /// team. Neither is a team when the split failed.
  [[nodiscard]] inline std::pair<unique_team, unique_team> split_2d(int xrange, int num_contexts = 0) const;

 private:
  shmem_team_t handle_ = SHMEM_TEAM_INVALID;
};

/// A team that a split made, and that is destroyed with this object.
///
/// The destructor, and an assignment to an object that holds a team, are collective over the team (9.4.8): all of its
/// PEs end the object, before the runtime ends.
class unique_team : public team {
 public:
  unique_team() noexcept = default;
  /// Takes over a team that shmem_team_split_* made.
  explicit unique_team(shmem_team_t handle) noexcept : team{handle} {}
  unique_team(unique_team&& other) noexcept : team{other.release()} {}
  unique_team& operator=(unique_team&& other) noexcept {
    unique_team moved{std::move(other)};
    std::swap(static_cast<team&>(*this), static_cast<team&>(moved));
    return *this;
  }
  unique_team(const unique_team&) = delete;
  unique_team& operator=(const unique_team&) = delete;
  ~unique_team() { shmem_team_destroy(get()); }

  /// Gives the team away undestroyed.
  [[nodiscard]] shmem_team_t release() noexcept {
    const shmem_team_t handle = get();
    static_cast<team&>(*this) = team{};
    return handle;
  }
};

inline unique_team team::split_strided(int start, int stride, int size, int num_contexts) const {
  shmem_team_config_t config{};
  config.num_contexts = num_contexts;
  shmem_team_t made = SHMEM_TEAM_INVALID;
  // The status says no more than the handle: on failure that is no team, on every PE.
  (void)shmem_team_split_strided(handle_, start, stride, size, &config, SHMEM_TEAM_NUM_CONTEXTS, &made);
  return unique_team{made};
}

inline std::pair<unique_team, unique_team> team::split_2d(int xrange, int num_contexts) const {
  shmem_team_config_t config{};
  config.num_contexts = num_contexts;
  shmem_team_t row = SHMEM_TEAM_INVALID;
  shmem_team_t column = SHMEM_TEAM_INVALID;
  (void)shmem_team_split_2d(handle_, xrange, &config, SHMEM_TEAM_NUM_CONTEXTS, &row, &config, SHMEM_TEAM_NUM_CONTEXTS,
                            &column);
  return {unique_team{row}, unique_team{column}};
}

}  // namespace shmem

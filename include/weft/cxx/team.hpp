/// Teams of C++ programs (9.4). Programs include <weft/shmem.hpp>.
#pragma once

#include <weft/cxx/base.hpp>

#include <utility>

namespace shmem {

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

  /// A pointer for loads and stores to the object of PE `pe` of this team that `dest` is here, or null (9.1.10). It is
  /// not a symmetric address.
  template <class T>
  [[nodiscard]] WEFT_CXX T* ptr(T* dest, int pe) const {
    return static_cast<T*>(shmem_team_ptr(handle_, dest, pe));
  }

 private:
  shmem_team_t handle_ = SHMEM_TEAM_INVALID;
};

}  // namespace shmem

// PMI-1, the text protocol of MPICH's launcher hydra, which Slurm's pmi2 plugin speaks as well: lines of
// "cmd=... key=value ..." on a descriptor that the launcher leaves open.
#pragma once

#include <cstddef>

#include "pmi/manager.hpp"

namespace weft::pmi {

class Pmi1 final : public Manager {
 public:
  /// Says hello on the descriptor; an error where nobody answers, or not as the protocol wants.
  base::Result<void> open(int fd, int rank, int size) noexcept;

  const char* name() const noexcept override { return "PMI-1"; }
  const char* job_name() const noexcept override { return store_; }
  base::Result<void> put(const char* key, std::span<const std::byte> value) noexcept override;
  base::Result<void> fence() noexcept override;
  bool fence_within(int milliseconds) noexcept override;
  base::Result<void> get(int pe, const char* key, std::span<std::byte> value) noexcept override;
  void abort(int status, const char* message) noexcept override;
  void finalize() noexcept override;

  /// Milliseconds to wait for an answer, other than that to a fence. Tests shorten it.
  void set_limit(int milliseconds) noexcept { limit_ms_ = milliseconds; }

 private:
  static constexpr std::size_t kMostLine = 4096;
  static constexpr int kNoLimit = -1;
  static constexpr int kMostName = 128;

  // Sends a line and reads the answer, which must be the command `wanted` and tell no error.
  [[gnu::format(printf, 4, 5)]] base::Result<void> ask(const char* wanted, int limit_ms, const char* format,
                                                       ...) noexcept;
  base::Result<void> send(const char* line, std::size_t bytes) noexcept;
  base::Result<void> receive(int limit_ms) noexcept;
  // The value of a key in the answer, up to a blank. False: it has none, or one longer than room.
  bool field(const char* key, char* value, std::size_t room) const noexcept;

  int fd_ = -1;
  int limit_ms_ = 60'000;
  std::size_t most_value_ = 0;  // characters
  char store_[kMostName] = "";
  char line_[kMostLine] = "";     // the last answer
  char pending_[kMostLine] = "";  // what has come after it
  std::size_t n_pending_ = 0;
};

}  // namespace weft::pmi

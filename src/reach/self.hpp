// What this process offers to others that are to reach its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/options.hpp"
#include "base/result.hpp"
#include "reach/card.hpp"
#include "reach/cma.hpp"
#include "reach/knem.hpp"
#include "reach/reason.hpp"
#include "reach/systems.hpp"
#include "reach/xpmem.hpp"

namespace weft::reach {

/// One in a process. It stays where it is: others find its probe there.
class Self {
 public:
  Self() = default;
  Self(const Self&) = delete;
  Self& operator=(const Self&) = delete;
  ~Self() { close(); }

  /// `family`: a process that all processes of the job descend from; 0: there is none. Says nothing and fails in
  /// nothing: why a way is not offered is reason().
  void open(base::SingleCopy choice, int family, const Systems& systems = {}) noexcept;
  /// After the last access of others.
  void close() noexcept;

  Reason reason(Way way) const noexcept { return reasons_[static_cast<int>(way)]; }
  /// Into shared memory. Others may look as soon as this returns.
  void show(Card* card) const noexcept;

  /// Memory that others may reach, for as long as it stays there or until take_back().
  Place show(const void* at, std::size_t bytes, bool writable) const noexcept;
  void take_back(const Place& place) const noexcept;
  /// From now on places are shown to knem as well, which pins their pages. Without being told so only where no other
  /// way is offered: for who hears from a peer that the others are refused.
  void show_to_knem() noexcept { to_knem_ = true; }

  const Xpmem& xpmem() const noexcept { return xpmem_; }
  const Cma& cma() const noexcept { return cma_; }
  const Knem& knem() const noexcept { return knem_; }

 private:
  bool offers(Way way) const noexcept { return !reasons_[static_cast<int>(way)]; }

  Probe probe_{};
  Xpmem xpmem_;
  Cma cma_;
  Knem knem_;
  Reason reasons_[kWays] = {{Why::kNotTried}, {Why::kNotTried}, {Why::kNotTried}};
  std::uint64_t probe_cookie_ = 0;
  bool to_knem_ = false;
};

}  // namespace weft::reach

// process_vm_readv and process_vm_writev, "cross memory attach": one system call, no module, nothing to prepare. The
// kernel allows it to whoever may debug the other process.
#pragma once

#include "reach/card.hpp"
#include "reach/link.hpp"
#include "reach/reason.hpp"
#include "reach/systems.hpp"
#include "reach/walk.hpp"

namespace weft::reach {

/// This process's side.
class Cma {
 public:
  /// Lets those reach this process that descend from `family`, where only ancestors may otherwise; 0: anybody of this
  /// user.
  Reason open(const Systems& systems, int family) noexcept;
  void close() noexcept;
  const Systems& systems() const noexcept { return systems_; }

 private:
  Systems systems_;
  bool allowed_ = false;
};

class CmaLink {
 public:
  Reason open(const Cma& own, const Card& card) noexcept;
  Moved move(Walk& walk) noexcept;
  Reason refusal(int error) const noexcept;
  void forget(std::uint64_t, std::uint64_t) noexcept {}
  void close() noexcept {}

 private:
  const Cma* own_ = nullptr;
  const Card* card_ = nullptr;
};
static_assert(LinkTo<CmaLink, Cma>);

}  // namespace weft::reach

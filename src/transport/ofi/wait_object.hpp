// A completion queue, and what a thread sleeps on until the network has something for it.
//
// FI_WAIT_POLLFD where libfabric offers it, FI_WAIT_FD else. The descriptor of the latter is an epoll instance around
// the provider's own one: each arrival runs through both, whether or not somebody sleeps. Measured on tcp;ofi_rxm, that
// makes a round trip a quarter longer.
#pragma once

#include <poll.h>
#include <rdma/fi_eq.h>

#include <memory>

#include "base/result.hpp"
#include "transport/ofi/handles.hpp"

namespace weft::transport::ofi {

class WaitObject {
 public:
  /// Makes the queue too. The attributes say all but what to wait for.
  base::Result<void> open(fid_domain* domain, const fi_cq_attr& attributes, Handle<fid_cq>& completions) noexcept;
  /// There are others than the last time, as of a new connection. libfabric takes those into its list only when it
  /// waits by itself: the caller lets it.
  bool changed() noexcept;
  /// There may be something within so many milliseconds.
  bool ready(int timeout_ms) noexcept;

 private:
  long list() noexcept;

  fid_cq* completions_ = nullptr;
  fi_wait_obj kind_ = FI_WAIT_NONE;
  std::unique_ptr<pollfd[]> fds_;
  std::size_t room_ = 0;
  std::size_t n_ = 0;
  std::uint64_t version_ = 0;  // of the list
  std::uint64_t settled_ = UINT64_MAX;
};

}  // namespace weft::transport::ofi

#include "transport/ofi/wait_object.hpp"

#include <rdma/fi_errno.h>

#include <new>

#include "transport/ofi/endpoint.hpp"

namespace weft::transport::ofi {

base::Result<void> WaitObject::open(fid_domain* domain, const fi_cq_attr& attributes,
                                    Handle<fid_cq>& completions) noexcept {
  long error = 0;
  for (const fi_wait_obj kind : {FI_WAIT_POLLFD, FI_WAIT_FD}) {
    fi_cq_attr wanted = attributes;
    wanted.wait_obj = kind;
    error = fi_cq_open(domain, &wanted, completions.out(), nullptr);
    if (error == 0) {
      kind_ = kind;
      completions_ = completions.get();
      error = list();
    }
    if (error == 0) {
      return {};
    }
  }
  return refused("make a completion queue that can be waited for", error);
}

// What is to be waited for, as it is now.
long WaitObject::list() noexcept {
  for (;;) {
    long error = 0;
    std::size_t n = 1;
    if (kind_ == FI_WAIT_POLLFD) {
      fi_wait_pollfd all{0, room_, fds_.get()};
      error = fi_control(&completions_->fid, FI_GETWAIT, &all);
      n = all.nfds;
      version_ = all.change_index;
    } else if (room_ > 0) {
      fds_[0].events = POLLIN;
      error = fi_control(&completions_->fid, FI_GETWAIT, &fds_[0].fd);
    }
    if (n <= room_) {
      n_ = n;
      return error;
    }
    fds_.reset(new (std::nothrow) pollfd[n]);
    room_ = fds_ == nullptr ? 0 : n;
    if (fds_ == nullptr) {
      return -FI_ENOMEM;
    }
  }
}

bool WaitObject::changed() noexcept {
  if (kind_ != FI_WAIT_POLLFD) {
    return false;
  }
  // Should the list be out of reach for want of memory, the caller's way of waiting is as good.
  if (list() != 0) {
    return true;
  }
  return std::exchange(settled_, version_) != version_;
}

bool WaitObject::ready(int timeout_ms) noexcept { return ::poll(fds_.get(), n_, timeout_ms) != 0; }

}  // namespace weft::transport::ofi

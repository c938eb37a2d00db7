// libfabric's objects, closed when their owner goes.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#include <utility>

namespace weft::transport::ofi {

template <class Fid>
class Handle {
 public:
  Handle() = default;
  Handle(Handle&& other) noexcept : fid_(std::exchange(other.fid_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(fid_, other.fid_);
    return *this;
  }
  ~Handle() { reset(); }

  Fid* get() const noexcept { return fid_; }
  Fid* operator->() const noexcept { return fid_; }
  /// For functions that make one.
  Fid** out() noexcept {
    reset();
    return &fid_;
  }
  void reset() noexcept {
    if (fid_ != nullptr) {
      (void)fi_close(&std::exchange(fid_, nullptr)->fid);
    }
  }

 private:
  Fid* fid_ = nullptr;
};

/// A list of descriptions, or one.
class Info {
 public:
  Info() = default;
  explicit Info(fi_info* info) noexcept : info_(info) {}
  Info(Info&& other) noexcept : info_(std::exchange(other.info_, nullptr)) {}
  Info& operator=(Info&& other) noexcept {
    std::swap(info_, other.info_);
    return *this;
  }
  ~Info() {
    if (info_ != nullptr) {
      fi_freeinfo(info_);
    }
  }
  fi_info* get() const noexcept { return info_; }
  fi_info* operator->() const noexcept { return info_; }

 private:
  fi_info* info_ = nullptr;
};

}  // namespace weft::transport::ofi

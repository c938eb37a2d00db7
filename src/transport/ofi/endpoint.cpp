#include "transport/ofi/endpoint.hpp"

#include <rdma/fi_errno.h>

namespace weft::transport::ofi {
namespace {

// How many completions may wait to be read. The pool of operations (operation.hpp) is what bounds them.
constexpr std::size_t kCompletions = 4096;

}  // namespace

base::Error refused(const char* what, long error) noexcept {
  return base::Error::make("cannot %s: %s", what, fi_strerror(static_cast<int>(error < 0 ? -error : error)));
}

base::Result<Endpoint> open_endpoint(fi_info* info) noexcept {
  Endpoint made;
  made.info = Info(fi_dupinfo(info));
  if (made.info.get() == nullptr) {
    return refused("copy its description", FI_ENOMEM);
  }
  if (const int error = fi_fabric(made.info->fabric_attr, made.fabric.out(), nullptr); error != 0) {
    return refused("open its fabric", error);
  }
  if (const int error = fi_domain(made.fabric.get(), made.info.get(), made.domain.out(), nullptr); error != 0) {
    return refused("open its domain", error);
  }
  fi_av_attr av{};
  av.type = FI_AV_TABLE;
  if (const int error = fi_av_open(made.domain.get(), &av, made.addresses.out(), nullptr); error != 0) {
    return refused("make its table of addresses", error);
  }
  fi_cq_attr cq{};
  cq.size = kCompletions;
  cq.format = FI_CQ_FORMAT_MSG;  // with the length of a message
  if (const auto opened = made.waits.open(made.domain.get(), cq, made.completions); !opened) {
    return opened.error();
  }
  if (const int error = fi_endpoint(made.domain.get(), made.info.get(), made.ep.out(), nullptr); error != 0) {
    return refused("make an endpoint", error);
  }
  if (const int error = fi_ep_bind(made.ep.get(), &made.addresses->fid, 0); error != 0) {
    return refused("give the endpoint its addresses", error);
  }
  if (const int error = fi_ep_bind(made.ep.get(), &made.completions->fid, FI_TRANSMIT | FI_RECV); error != 0) {
    return refused("give the endpoint its completion queue", error);
  }
  if (const int error = fi_enable(made.ep.get()); error != 0) {
    return refused("enable the endpoint", error);
  }
  return made;
}

}  // namespace weft::transport::ofi

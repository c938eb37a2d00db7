// One endpoint with what belongs to it: fabric, domain, addresses, completion queue.
#pragma once

#include <rdma/fi_cm.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include "base/result.hpp"
#include "transport/ofi/handles.hpp"
#include "transport/ofi/wait_object.hpp"

namespace weft::transport::ofi {

struct Endpoint {
  Info info;
  // In this order: what is made of another one goes first.
  Handle<fid_fabric> fabric;
  Handle<fid_domain> domain;
  Handle<fid_av> addresses;
  Handle<fid_cq> completions;
  Handle<fid_ep> ep;
  WaitObject waits;

  bool wants(int mr_mode) const noexcept { return (info->domain_attr->mr_mode & mr_mode) != 0; }
};

/// Opens what `info` describes and takes a copy of it. The endpoint listens from then on.
base::Result<Endpoint> open_endpoint(fi_info* info) noexcept;

/// "cannot open a domain: Connection refused"
base::Error refused(const char* what, long error) noexcept;

}  // namespace weft::transport::ofi

// Which of libfabric's providers is used. libfabric lists them, best first; each is asked whether it can do what Weft
// needs, because some say so and cannot, and passed over with a reason if not.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>

#include <vector>

#include "base/result.hpp"
#include "transport/ofi/endpoint.hpp"
#include "transport/ofi/handles.hpp"
#include "transport/transport.hpp"

namespace weft::transport::ofi {

struct Candidate {
  char name[64];
  char address[64];    // where it listens, for people
  base::Error reason;  // why it is passed over; empty: it can be used
  std::size_t inject_bytes;
  std::size_t most_bytes;  // of one operation
};

/// Opens the first provider that can do everything, or that of the name `wanted`, where not null. `tried`, where not
/// null, receives all that libfabric offers, in order, each provider and address once, and then each is asked, also
/// those after the first that can be used.
base::Result<Endpoint> choose_provider(const char* wanted, int job_pes, std::vector<Candidate>* tried) noexcept;

/// Whether its atomic operations are executed by a processor of the target's node, by instructions that are atomic
/// against the program's own. Known of providers, never guessed: libfabric cannot be asked.
bool amo_cpu_coherent(const char* provider) noexcept;

/// Whether it says that puts and atomic operations with one PE take effect in their order, whatever their size.
bool keeps_order(const fi_info& info) noexcept;

fi_op op_of(Op op) noexcept;
fi_datatype datatype_of(Type type) noexcept;

}  // namespace weft::transport::ofi

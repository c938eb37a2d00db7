#include "transport/ofi/provider.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace weft::transport::ofi {
namespace {

using base::Error;
using base::Result;

constexpr std::uint64_t kCapabilities = FI_RMA | FI_ATOMIC | FI_TAGGED | FI_MSG | FI_DIRECTED_RECV;
// What Weft can do for a provider that wants it. FI_MR_LOCAL only where nothing else is to be had: see find().
constexpr int kMemoryModes = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

// Does it mean what it says? Deprecated or unfinished ones are left to who asks for them by name.
struct Known {
  std::string_view name;
  const char* unfit;  // not taken unless asked for; null: taken
  bool amo_cpu_coherent;
};
// In libfabric 1.17 and 2.5 the operations of these are instructions of the target's processor, with the lock prefix
// (or the compiler's atomic built-ins).
constexpr Known kKnown[] = {
    {"tcp;ofi_rxm", nullptr, true},
    {"verbs;ofi_rxm", nullptr, true},
    {"net;ofi_rxm", nullptr, true},
    {"sockets", "it is deprecated, and slow beside other threads", true},
    {"udp;ofi_rxd", "its targets make no progress while they compute", true},
    {"shm", "it reaches this machine only", true},
};

const Known* find_known(std::string_view name) noexcept {
  for (const Known& known : kKnown) {
    if (known.name == name) {
      return &known;
    }
  }
  return nullptr;
}

bool is_loopback(const fi_info& info) noexcept {
  if (info.src_addr == nullptr) {
    return false;
  }
  if (info.addr_format == FI_SOCKADDR_IN6 && info.src_addrlen >= sizeof(sockaddr_in6)) {
    sockaddr_in6 address{};
    std::memcpy(&address, info.src_addr, sizeof address);
    return IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
  }
  if (info.addr_format != FI_SOCKADDR_IN || info.src_addrlen < sizeof(sockaddr_in)) {
    return false;
  }
  sockaddr_in address{};
  std::memcpy(&address, info.src_addr, sizeof address);
  return ntohl(address.sin_addr.s_addr) >> 24 == 127;
}

void describe(const fi_info& info, Candidate* candidate) noexcept {
  (void)std::snprintf(candidate->name, sizeof candidate->name, "%s", info.fabric_attr->prov_name);
  candidate->inject_bytes = info.tx_attr->inject_size;
  candidate->most_bytes = info.ep_attr->max_msg_size;
  candidate->address[0] = '\0';
  if (info.src_addr == nullptr) {
    return;
  }
  if (info.addr_format == FI_SOCKADDR_IN && info.src_addrlen >= sizeof(sockaddr_in)) {
    sockaddr_in address{};
    std::memcpy(&address, info.src_addr, sizeof address);
    (void)::inet_ntop(AF_INET, &address.sin_addr, candidate->address, sizeof candidate->address);
  } else if (info.addr_format == FI_SOCKADDR_IN6 && info.src_addrlen >= sizeof(sockaddr_in6)) {
    sockaddr_in6 address{};
    std::memcpy(&address, info.src_addr, sizeof address);
    (void)::inet_ntop(AF_INET6, &address.sin6_addr, candidate->address, sizeof candidate->address);
  }
}

// libfabric describes some several times, with other properties, of which the first is the best.
bool is_among(const std::vector<Candidate>& tried, const Candidate& candidate) noexcept {
  return std::any_of(tried.begin(), tried.end(), [&](const Candidate& other) {
    return std::strcmp(other.name, candidate.name) == 0 && std::strcmp(other.address, candidate.address) == 0;
  });
}

constexpr const char* kOpNames[kOps] = {"fetch", "set", "swap", "compare-swap", "add", "and", "or", "xor"};
constexpr const char* kTypeNames[kTypes] = {"8 bits", "16 bits", "32 bits", "64 bits", "float", "double"};

// Those of the interface: bitwise ones have no floating point numbers.
constexpr bool is_needed(Op op, Type type) noexcept {
  return (type != Type::kFloat && type != Type::kDouble) || op < Op::kAnd;
}

int ask_for(fid_ep* ep, Op op, Type type, std::size_t* count) noexcept {
  switch (op) {
    case Op::kFetch:
    case Op::kSwap: return fi_fetch_atomicvalid(ep, datatype_of(type), op_of(op), count);
    case Op::kCompareSwap: return fi_compare_atomicvalid(ep, datatype_of(type), op_of(op), count);
    case Op::kSet: return fi_atomicvalid(ep, datatype_of(type), op_of(op), count);
    default: {
      const int plain = fi_atomicvalid(ep, datatype_of(type), op_of(op), count);
      return plain != 0 ? plain : fi_fetch_atomicvalid(ep, datatype_of(type), op_of(op), count);
    }
  }
}

Result<void> check_atomics(fid_ep* ep) noexcept {
  for (int op = 0; op < kOps; ++op) {
    for (int type = 0; type < kTypes; ++type) {
      std::size_t count = 0;
      if (!is_needed(static_cast<Op>(op), static_cast<Type>(type))) {
        continue;
      }
      const int error = ask_for(ep, static_cast<Op>(op), static_cast<Type>(type), &count);
      if (error != 0 || count < 1) {
        return Error::make("no atomic %s of %s (%s)", kOpNames[op], kTypeNames[type],
                           error == 0 ? "none at a time" : fi_strerror(-error));
      }
    }
  }
  return {};
}

Result<void> check_card(fid_ep* ep) noexcept {
  std::uint8_t name[256];
  std::size_t bytes = sizeof name;
  if (const int error = fi_getname(&ep->fid, name, &bytes); error != 0) {
    return refused("tell its address", error);
  }
  if (bytes > boot::PeerCard::kMostAddress) {
    return Error::make("its addresses have %zu bytes; Weft has room for %zu", bytes, boot::PeerCard::kMostAddress);
  }
  return {};
}

// A page: else a put of a megabyte would be more operations than a pool has.
constexpr std::size_t kLeastMost = 4096;

Result<Endpoint> try_candidate(fi_info* info, bool asked_for) noexcept {
  if (const Known* known = find_known(info->fabric_attr->prov_name);
      known != nullptr && known->unfit != nullptr && !asked_for) {
    return Error::make("%s; WEFT_OFI_PROVIDER='%s' takes it all the same", known->unfit, info->fabric_attr->prov_name);
  }
  if (const std::uint64_t fields = info->ep_attr->mem_tag_format; !carries_tags(fields)) {
    return Error::make("its message tags have %d bits; Weft needs %d", static_cast<int>(std::bit_width(fields)),
                       kTagBits);
  }
  if (const std::size_t most = info->ep_attr->max_msg_size; most < kLeastMost) {
    return Error::make("its operations have at most %zu bytes; Weft needs %zu", most, kLeastMost);
  }
  if (const std::size_t bytes = info->domain_attr->mr_key_size; bytes > sizeof(std::uint64_t)) {
    return Error::make("its keys of memory have %zu bytes; Weft has room for %zu", bytes, sizeof(std::uint64_t));
  }
  Result<Endpoint> opened = open_endpoint(info);
  if (!opened) {
    return opened;
  }
  if (const auto atomics = check_atomics(opened->ep.get()); !atomics) {
    return atomics.error();
  }
  if (const auto card = check_card(opened->ep.get()); !card) {
    return card.error();
  }
  return opened;
}

Info find(std::string_view wanted, int memory_modes, int* error) noexcept {
  const Info hints(fi_allocinfo());
  if (hints.get() == nullptr) {
    *error = -FI_ENOMEM;
    return Info();
  }
  hints->caps = kCapabilities;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = memory_modes;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  if (!wanted.empty()) {
    hints->fabric_attr->prov_name = ::strndup(wanted.data(), wanted.size());  // fi_freeinfo frees it
  }
  fi_info* list = nullptr;
  *error = fi_getinfo(FI_VERSION(1, 14), nullptr, nullptr, 0, hints.get(), &list);
  return Info(*error == 0 ? list : nullptr);
}

}  // namespace

bool amo_cpu_coherent(const char* provider) noexcept {
  const Known* known = find_known(provider);
  return known != nullptr && known->amo_cpu_coherent;
}

// Of both kinds among each other, which the finer flags do not say.
bool keeps_order(const fi_info& info) noexcept {
  return (info.tx_attr->msg_order & FI_ORDER_WAW) != 0 &&
         info.ep_attr->max_order_waw_size >= info.ep_attr->max_msg_size;
}

fi_op op_of(Op op) noexcept {
  switch (op) {
    case Op::kFetch: return FI_ATOMIC_READ;
    case Op::kSet:
    case Op::kSwap: return FI_ATOMIC_WRITE;
    case Op::kCompareSwap: return FI_CSWAP;
    case Op::kAdd: return FI_SUM;
    case Op::kAnd: return FI_BAND;
    case Op::kOr: return FI_BOR;
    case Op::kXor: return FI_BXOR;
  }
  return FI_ATOMIC_OP_LAST;
}

fi_datatype datatype_of(Type type) noexcept {
  constexpr fi_datatype kDatatypes[kTypes] = {FI_UINT8, FI_UINT16, FI_UINT32, FI_UINT64, FI_FLOAT, FI_DOUBLE};
  return kDatatypes[static_cast<int>(type)];
}

Result<Endpoint> choose_provider(const char* wanted, int job_pes, std::vector<Candidate>* tried) noexcept {
  const std::string_view name = wanted == nullptr ? "" : wanted;
  // Some providers take this for the number of peers to prepare for, and some devices refuse the default of 256.
  char universe[16];
  (void)std::snprintf(universe, sizeof universe, "%d", job_pes < 16 ? 16 : job_pes);
  (void)::setenv("FI_UNIVERSE_SIZE", universe, 0);
  int error = 0;
  Info list = find(name, kMemoryModes, &error);
  if (list.get() == nullptr) {
    list = find(name, kMemoryModes | FI_MR_LOCAL, &error);
  }
  if (list.get() == nullptr) {
    return Error::make(
        "libfabric %d.%d offers no provider%s%s with RMA, atomics and tagged messages (%s); `fi_info` lists "
        "what there is, FI_PROVIDER and WEFT_OFI_PROVIDER narrow it",
        FI_MAJOR(fi_version()), FI_MINOR(fi_version()), wanted == nullptr ? "" : " ", name.data(), fi_strerror(-error));
  }
  Result<Endpoint> chosen = Error::make("no provider");
  Error first_refusal{};
  // First those that others can reach: a loopback address serves only where this machine is all there is.
  for (const bool loopback : {false, true}) {
    for (fi_info* info = list.get(); info != nullptr; info = info->next) {
      if (is_loopback(*info) != loopback) {
        continue;
      }
      Candidate candidate{};
      describe(*info, &candidate);
      if (tried != nullptr && is_among(*tried, candidate)) {
        continue;
      }
      Result<Endpoint> opened = try_candidate(info, name == info->fabric_attr->prov_name);
      if (!opened) {
        candidate.reason = opened.error();
        if (first_refusal.text()[0] == '\0') {
          first_refusal = Error::make("%s: %s", candidate.name, candidate.reason.text());
        }
      }
      if (tried != nullptr) {
        tried->push_back(candidate);
      }
      if (opened && !chosen) {
        chosen = std::move(opened);
        if (tried == nullptr) {
          return chosen;
        }
      }
    }
  }
  if (!chosen) {
    return Error::make("libfabric %d.%d has no provider that can do what Weft needs (%s); weft-info lists the others",
                       FI_MAJOR(fi_version()), FI_MINOR(fi_version()), first_refusal.text());
  }
  return chosen;
}

}  // namespace weft::transport::ofi

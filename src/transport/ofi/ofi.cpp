#include "transport/ofi/ofi.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "transport/leaf.hpp"
#include "transport/offers.hpp"
#include "transport/ofi/provider.hpp"

namespace weft::transport::ofi {
namespace {

using base::Error;
using base::Result;

const boot::PeerCard& card_of(const Setup& setup, int pe) noexcept { return *boot::peer_card(setup.job, pe); }

}  // namespace

Ofi::Ofi(const Setup& setup, Endpoint&& endpoint) noexcept
    : LateAnswers(progress_mutex_),
      setup_(setup),
      endpoint_(std::move(endpoint)),
      coherent_(ofi::amo_cpu_coherent(endpoint_.info->fabric_attr->prov_name)),
      keeps_order_(ofi::keeps_order(*endpoint_.info.get())),
      local_keys_(endpoint_.wants(FI_MR_LOCAL)),
      inject_bytes_(endpoint_.info->tx_attr->inject_size),
      most_bytes_(endpoint_.info->ep_attr->max_msg_size) {}

Result<void> Ofi::prepare() noexcept {
  const std::size_t pes = setup_.job->job_pes;
  addresses_.reset(new (std::nothrow) std::atomic<fi_addr_t>[pes]);
  if (!addresses_) {
    return refused("make room for addresses", FI_ENOMEM);
  }
  for (std::size_t pe = 0; pe < pes; ++pe) {
    addresses_[pe].store(FI_ADDR_NOTAVAIL, std::memory_order_relaxed);
  }
  peers_.reset(new (std::nothrow) Peer[pes]);
  if (!peers_) {
    return refused("make room for messages", FI_ENOMEM);
  }
  for (std::size_t pe = 0; pe < pes; ++pe) {
    peers_[pe].may_tell = setup_.most_told;
  }
  if (const auto made = make_letters(); !made) {
    return made;
  }
  return copy_up_to(kCopyBytes);
}

Result<void> Ofi::copy_up_to(std::size_t bytes) noexcept {
  if (!pool_.idle()) {
    return Error::make("the buffers of puts cannot change while operations are under way");
  }
  pool_key_.reset();
  if (!pool_.make(bytes)) {
    return refused("make room for operations", FI_ENOMEM);
  }
  if (local_keys_) {
    const Memory memory = pool_.memory();
    if (const int error = fi_mr_reg(endpoint_.domain.get(), memory.at, memory.bytes,
                                    FI_SEND | FI_RECV | FI_READ | FI_WRITE, 0, 0, 0, pool_key_.out(), nullptr);
        error != 0) {
      return refused("register buffers", error);
    }
  }
  return {};
}

// --- memory that others reach ----------------------------------------------------------------------------------------

Result<void> Ofi::open(boot::PeerCard* own) noexcept {
  std::size_t bytes = boot::PeerCard::kMostAddress;
  if (const int error = fi_getname(&endpoint_.ep->fid, own->address, &bytes); error != 0) {
    return refused("tell its address", error);
  }
  own->address_bytes = static_cast<std::uint8_t>(bytes);
  address_bytes_ = own->address_bytes;
  begin_beats();
  return {};
}

void Ofi::close() noexcept {
  regions_.take_back_all();
  const Turn turn(*this);
  beats_.end();
}

Result<RegionKey> Ofi::lend(const Memory& memory) noexcept { return regions_.lend(endpoint_, memory); }

void Ofi::take_back(const RegionKey& key) noexcept { regions_.take_back(key); }

fi_addr_t Ofi::address_of(int pe) noexcept {
  std::atomic<fi_addr_t>& known = addresses_[static_cast<std::size_t>(pe)];
  // Acquire: pairs with the store below, after which the provider knows the address.
  fi_addr_t address = known.load(std::memory_order_acquire);
  if (address != FI_ADDR_NOTAVAIL) [[likely]] {
    return address;
  }
  const std::scoped_lock lock(mutex_);
  address = known.load(std::memory_order_relaxed);
  if (address == FI_ADDR_NOTAVAIL) {
    // libfabric reads as much as its own addresses have.
    if (const boot::PeerCard& card = card_of(setup_, pe); card.address_bytes != address_bytes_) {
      char why[128];
      (void)std::snprintf(why, sizeof why, "it has %d bytes and ours %d; give all PEs the same WEFT_OFI_PROVIDER",
                          card.address_bytes, address_bytes_);
      setup_.failed("finding the address", pe, why);
    }
    const int inserted = fi_av_insert(endpoint_.addresses.get(), card_of(setup_, pe).address, 1, &address, 0, nullptr);
    if (inserted != 1) {
      setup_.failed("finding the address", pe, inserted < 0 ? fi_strerror(-inserted) : "its address is refused");
    }
    known.store(address, std::memory_order_release);
  }
  return address;
}

Ofi::Goal Ofi::goal(const Remote& remote, std::size_t bytes) noexcept {
  return {address_of(remote.pe), {remote.key.base + remote.offset, bytes, remote.key.key}};
}

void* Ofi::descriptor(const void* at, std::size_t bytes, Operation& operation) noexcept {
  if (!local_keys_) {
    return nullptr;
  }
  if (void* lent = regions_.descriptor(at, bytes); lent != nullptr) {
    return lent;
  }
  if (lies_in(pool_.memory(), at, bytes)) {
    return fi_mr_desc(pool_key_.get());
  }
  const int error = fi_mr_reg(endpoint_.domain.get(), at, bytes, FI_SEND | FI_RECV | FI_READ | FI_WRITE, 0, 0, 0,
                              &operation.temporary, nullptr);
  if (error != 0) {
    fail(operation.posted, error);
  }
  return fi_mr_desc(operation.temporary);
}

// --- operations ------------------------------------------------------------------------------------------------------

Operation* Ofi::begin(Doing doing, int pe, bool with_bounce, Pending& pending) noexcept {
  Operation* operation = nullptr;
  poll_until(*this, setup_, [&] { return (operation = pool_.take(with_bounce)) != nullptr; });
  operation->posted.doing = doing;
  operation->posted.pe = pe;
  operation->count = pending.begin();
  return operation;
}

template <class Post>
void Ofi::insist(const Operation& operation, Post&& post) noexcept {
  poll_until(*this, setup_, [&] {
    const long error = post();
    if (error != 0 && error != -FI_EAGAIN) {
      fail(operation.posted, error);
    }
    return error == 0;
  });
}

void Ofi::put(const Remote& to, const void* from, std::size_t bytes, Source source, Pending& pending) noexcept {
  const bool reusable = source != Source::kStays;
  const auto* at = static_cast<const std::byte*>(from);
  Remote place = to;
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, most_bytes_);
    put_part(place, at, part, reusable, nullptr, nullptr, pending);
    place.offset += part;
    at += part;
    bytes -= part;
  }
}

// Where there is no order the parts that come before the last one are complete before it begins, as the signal must
// come after all, and the signal begins when the last one is complete.
void Ofi::put_then(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote& signal,
                   const Atomic& what, Pending& pending) noexcept {
  if (keeps_order_) {
    put(to, from, bytes, reusable ? Source::kReusable : Source::kStays, pending);
    atomic(signal, what, nullptr, pending);
    return;
  }
  const auto* at = static_cast<const std::byte*>(from);
  Remote place = to;
  for (; bytes > most_bytes_; bytes -= most_bytes_, at += most_bytes_, place.offset += most_bytes_) {
    Pending part;
    put_part(place, at, most_bytes_, false, nullptr, nullptr, part);
    poll_until(*this, setup_, [&] { return part.done(); });
  }
  put_part(place, at, bytes, reusable, &signal, &what, pending);
}

// Tiny data travels with the request and is the provider's when the call returns; small data is copied where it has to
// stay; the rest is sent from where it lies, and who wants to change it waits.
void Ofi::put_part(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote* signal,
                   const Atomic* what, Pending& pending) noexcept {
  const bool tiny = bytes <= inject_bytes_;
  const bool bounced = !tiny && (reusable || local_keys_) && bytes <= pool_.bounce_bytes();
  Operation* operation = begin(Doing::kPut, to.pe, bounced, pending);
  if (signal != nullptr) {
    operation->then = true;
    operation->signal = *signal;
    operation->what = *what;
  }
  if (bounced) {
    std::memcpy(operation->bounce, from, bytes);
    from = operation->bounce;
  }
  Goal target = goal(to, bytes);
  iovec here{const_cast<void*>(from), bytes};
  void* descriptor_here = tiny ? nullptr : descriptor(from, bytes, *operation);
  fi_msg_rma message{};
  message.msg_iov = &here;
  message.desc = &descriptor_here;
  message.iov_count = 1;
  message.addr = target.address;
  message.rma_iov = &target.place;
  message.rma_iov_count = 1;
  message.context = operation;
  const std::uint64_t flags = FI_COMPLETION | FI_DELIVERY_COMPLETE | (tiny ? FI_INJECT : 0);
  // The operation may be complete, and serve another, when this returns.
  const bool has_to_wait = reusable && !tiny && !bounced;
  Pending source;
  Pending::Count* const count = operation->count;
  if (has_to_wait) {
    // Counted apart, and in the caller's count until that is over.
    operation->count = source.begin();
  }
  insist(*operation, [&] { return fi_writemsg(endpoint_.ep.get(), &message, flags); });
  if (has_to_wait) {
    poll_until(*this, setup_, [&] { return source.done(); });
    count->end();
  }
}

void Ofi::get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept {
  auto* at = static_cast<std::byte*>(to);
  Remote place = from;
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, most_bytes_);
    const bool bounced = local_keys_ && part <= pool_.bounce_bytes();
    Operation* operation = begin(Doing::kGet, place.pe, bounced, pending);
    if (bounced) {
      operation->deliver_to = at;
      operation->deliver_bytes = part;
    }
    const Goal source = goal(place, part);
    void* into = bounced ? operation->bounce : at;
    void* descriptor_here = descriptor(into, part, *operation);
    insist(*operation, [&] {
      return fi_read(endpoint_.ep.get(), into, part, descriptor_here, source.address, source.place.addr,
                     source.place.key, operation);
    });
    place.offset += part;
    at += part;
    bytes -= part;
  }
}

void Ofi::atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept {
  Operation* operation = begin(Doing::kAtomic, at.pe, false, pending);
  operation->signal = at;
  operation->what = what;
  operation->deliver_to = fetched;
  operation->deliver_bytes = bytes_of(what.type);
  insist(*operation, [&] { return post_atomic(*operation); });
}

long Ofi::post_atomic(Operation& operation) noexcept {
  const Atomic& what = operation.what;
  const fi_datatype type = datatype_of(what.type);
  const fi_op op = op_of(what.op);
  operation.operand = what.operand;
  operation.compare = what.compare;
  const Goal target = goal(operation.signal, bytes_of(what.type));
  fi_rma_ioc place{target.place.addr, 1, target.place.key};
  fi_ioc operand{&operation.operand, 1};
  fi_ioc compare{&operation.compare, 1};
  fi_ioc fetched{&operation.fetched, 1};
  void* here = descriptor(&operation.operand, sizeof operation.operand, operation);
  fi_msg_atomic message{};
  message.msg_iov = &operand;
  message.desc = &here;
  message.iov_count = 1;
  message.addr = target.address;
  message.rma_iov = &place;
  message.rma_iov_count = 1;
  message.datatype = type;
  message.op = op;
  message.context = &operation;
  if (what.op == Op::kCompareSwap) {
    return fi_compare_atomicmsg(endpoint_.ep.get(), &message, &compare, &here, 1, &fetched, &here, 1, FI_COMPLETION);
  }
  const bool fetching = what.op == Op::kFetch || what.op == Op::kSwap || operation.deliver_to != nullptr;
  if (fetching) {
    return fi_fetch_atomicmsg(endpoint_.ep.get(), &message, &fetched, &here, 1, FI_COMPLETION);
  }
  return fi_atomicmsg(endpoint_.ep.get(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

}  // namespace weft::transport::ofi

namespace {
constinit weft::transport::Transport* g_in_use = nullptr;
}  // namespace

extern "C" [[gnu::visibility("default")]] weft::transport::Transport* weft_transport(
    const weft::transport::Setup& setup, char* why, std::size_t room) {
  using namespace weft::transport::ofi;
  auto endpoint = choose_provider(setup.provider, static_cast<int>(setup.job->job_pes), nullptr);
  if (!endpoint) {
    (void)std::snprintf(why, room, "%s", endpoint.error().text());
    return nullptr;
  }
  return g_in_use = weft::transport::ready(new (std::nothrow) Ofi(setup, std::move(*endpoint)), why, room);
}
static_assert(std::is_same_v<decltype(&weft_transport), weft::transport::OpenFunction>);

extern "C" [[gnu::visibility("default")]] weft::transport::Transport* weft_transport_in_use() { return g_in_use; }
static_assert(std::is_same_v<decltype(&weft_transport_in_use), weft::transport::InUseFunction>);

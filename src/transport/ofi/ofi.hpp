// The transport on libfabric.
#pragma once

#include <rdma/fi_atomic.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "transport/late.hpp"
#include "transport/ofi/beats.hpp"
#include "transport/ofi/endpoint.hpp"
#include "transport/ofi/letters.hpp"
#include "transport/ofi/operation.hpp"
#include "transport/ofi/regions.hpp"
#include "transport/transport.hpp"

namespace weft::transport::ofi {

class Ofi final : public Transport, private LateAnswers {
 public:
  Ofi(const Setup& setup, Endpoint&& endpoint) noexcept;
  base::Result<void> prepare() noexcept;

  const char* name() const noexcept override { return endpoint_.info->fabric_attr->prov_name; }
  bool amo_cpu_coherent() const noexcept override { return coherent_; }
  std::size_t inject_bytes() const noexcept override { return inject_bytes_; }
  std::size_t copy_bytes() const noexcept override { return pool_.bounce_bytes(); }
  base::Result<void> copy_up_to(std::size_t bytes) noexcept override;
  base::Result<void> open(boot::PeerCard* own) noexcept override;
  void close() noexcept override;
  base::Result<RegionKey> lend(const Memory& memory) noexcept override;
  void take_back(const RegionKey& key) noexcept override;
  void put(const Remote& to, const void* from, std::size_t bytes, Source source, Pending& pending) noexcept override;
  void get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept override;
  void atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept override;
  void put_then(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote& signal,
                const Atomic& what, Pending& pending) noexcept override;
  bool keeps_order() const noexcept override { return keeps_order_; }
  Told tell(int pe, const Message& what, Pending& pending) noexcept override;
  void progress() noexcept override;
  bool sleep(int timeout_ms) noexcept override;

 private:
  /// Where an operation goes, as libfabric has it.
  struct Goal {
    fi_addr_t address;
    fi_rma_iov place;
  };
  Goal goal(const Remote& remote, std::size_t bytes) noexcept;
  fi_addr_t address_of(int pe) noexcept;

  /// Never null; others make progress meanwhile.
  Operation* begin(Doing doing, int pe, bool with_bounce, Pending& pending) noexcept;
  /// Calls post(), which returns libfabric's error, until it is taken.
  template <class Post>
  void insist(const Operation& operation, Post&& post) noexcept;
  void put_part(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote* signal,
                const Atomic* what, Pending& pending) noexcept;
  long post_atomic(Operation& operation) noexcept;
  // What is complete (complete.cpp).
  /// What libfabric has read: completions, or an error.
  void take(const fi_cq_msg_entry* entries, ssize_t came) noexcept;
  void complete(Operation* operation) noexcept;
  void retry() noexcept;
  void read_error() noexcept;
  /// What libfabric wants beside a local address: null where it wants nothing. Registers other memory than ours.
  void* descriptor(const void* at, std::size_t bytes, Operation& operation) noexcept;
  void fail(const Posted& posted, long error) noexcept;

  // Messages (tell.cpp). Behind tell() with the progress lock.
  /// What is to be known of a PE.
  struct Peer {
    std::mutex mutex;  // of the next two
    std::uint32_t may_tell = 0;
    std::uint64_t told = 0;
    std::uint64_t next_told = 0;  // of its messages, the number of the next one
    Letter* early = nullptr;      // those that came before it
    std::uint32_t taken = 0;      // and that it does not know of
  };
  // Of the letters that go out, so many are for those that answer only.
  static constexpr std::size_t kForAnswers = 64;
  /// A frame that there was no room for.
  struct Held;
  class Replier;
  base::Result<void> make_letters() noexcept;
  Frame frame_of(What what, const Message& message) const noexcept;
  /// False: not now.
  bool send(int pe, const Frame& frame, const void* data, std::size_t leaving) noexcept;
  /// Now or later.
  void say(int pe, const Frame& frame, const void* data) noexcept;
  void say_answer(int pe, const Message& what) noexcept;
  void send_late(int pe, std::uint64_t connection, const Message& what) noexcept override;
  void no_memory_for_answer(int pe) noexcept override;
  void letter_is_here(Letter* letter, std::size_t length) noexcept;
  const char* wrong_with(const Frame& frame, std::size_t length) const noexcept;
  /// False: the letter is kept.
  bool told(Peer& peer, Letter* letter, const Frame& frame) noexcept;
  void place(const Frame& frame, const std::byte* data) noexcept;
  void finish(LargeIn* large) noexcept;
  void taken(int pe) noexcept;
  void receive_letter(Letter* letter) noexcept;
  void go_on_with_messages() noexcept;

  // Signs of life between nodes (beats.cpp).
  void begin_beats() noexcept;
  void look_at_beats() noexcept;
  void beat_is_here(int from) noexcept;
  int first_of_node(std::uint32_t node) const noexcept;

  // Data of messages that comes by itself (large.cpp).
  LargeOut* make_large(int pe, const Message& what, bool copies) noexcept;
  void take_back_large(LargeOut* large) noexcept;
  void begin_large(const Frame& frame, const Arrival& arrival, const Handler& handler, bool answered) noexcept;
  void wanted(const Frame& frame) noexcept;
  void part_is_here(Operation* operation, std::size_t length) noexcept;
  void part_is_sent(Operation* operation) noexcept;
  bool send_parts(LargeOut& large) noexcept;
  bool receive_parts(LargeIn& large) noexcept;
  static void end_large(LargeOut* large) noexcept;
  bool has_begun(Operation* operation, long error) noexcept;
  void forget(Operation* operation) noexcept;
  /// What there was no room for.
  void go_on_with_large() noexcept;

  Setup setup_;
  Endpoint endpoint_;
  Pool pool_;
  bool coherent_;
  bool keeps_order_;
  bool local_keys_ = false;  // FI_MR_LOCAL: what lies here has to be registered too
  std::size_t inject_bytes_;
  std::size_t most_bytes_;
  int address_bytes_ = 0;
  Regions regions_;
  Handle<fid_mr> pool_key_;
  // By PE, FI_ADDR_NOTAVAIL until the first operation with it: a peer costs this PE nothing before. A card of a later
  // round is the same, the endpoint stays.
  std::unique_ptr<std::atomic<fi_addr_t>[]> addresses_;
  std::unique_ptr<Peer[]> peers_;
  Letters letters_in_;
  Letters letters_out_;
  Handle<fid_mr> in_key_;
  Handle<fid_mr> out_key_;
  std::atomic<std::uint64_t> last_large_ = 0;
  std::mutex large_mutex_;       // of the next one
  LargeOut* offered_ = nullptr;  // told of, and not wanted yet
  std::mutex progress_mutex_;    // of progress(), and of all that handlers do (transport.hpp)
  Beats beats_;
  int beats_to_ = -1;             // -1: not known yet
  int beats_from_ = -1;           // who was heard last
  LargeOut* sending_ = nullptr;   // wanted, and not all of it is on its way
  LargeIn* receiving_ = nullptr;  // and not all of it has a place
  Held* held_ = nullptr;
  Letter* unposted_ = nullptr;              // in which libfabric does not receive for now
  std::atomic<bool> has_to_go_on_ = false;  // with one of these
  std::mutex mutex_;                        // of inserting addresses, and of those to be tried again
  Operation* to_retry_ = nullptr;
  Operation* last_to_retry_ = nullptr;  // where there is one
  std::atomic<bool> has_to_retry_ = false;
};

}  // namespace weft::transport::ofi

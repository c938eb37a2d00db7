// The contract between Weft and a network: what rma and coll ask for when a PE is on another node.
//
// A leaf (one folder here each) is a library of its own, loaded when a job has several nodes, so that nobody else needs
// the network's libraries. Its functions may be called by several threads at a time.
//
// All operations are started here and complete later; `Pending` counts those under way. A put or an atomic operation is
// complete when its effect is in the target's memory and visible to the target's processors; a get or a fetching atomic
// operation when the value is here. No operation has zero bytes.
//
// A leaf says whether it keeps an order (keeps_order): then the puts and atomic operations of this PE with the memory
// of one other PE take effect there in the order in which their calls returned, whichever thread made them. Else
// nothing promises an order between two operations, and who needs one waits for the first to complete. Gets, and
// messages, have no order with them.
//
// Locks, in the order in which they may be taken: the one of progress(), which handlers run under; those of who uses
// the transport, which handlers may take, and under which tell() may be called; those of a peer; those of memory that
// is lent.
//
// A leaf may hold back for a moment what is small and goes to a PE with which other operations are under way, to send
// it with what follows: until somebody calls progress(), those complete, or there is more of it. Not so a put whose
// source is Source::kReusable, a put_then, a message, and an atomic operation without an answer that follows something
// else, which may be a flag: they leave at once, and all that was held back before with them. A leaf that keeps an
// order may hold back a small put with kReusable too, for the flag that a fence announces (fenced), and for some
// milliseconds at most if the program then computes.
//
// An operation that fails ends the program with a line: no PE can go on without one of the others. When a connection is
// lost, that is what happens to all that this PE has under way on it (Setup::failed); what has not begun may find a new
// one. Where the leaf can tell that it is the other PE that has ended, it says so (Setup::gone).
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/result.hpp"
#include "boot/job.hpp"
#include "transport/kinds.hpp"
#include "transport/pending.hpp"

namespace weft::transport {

struct Memory {
  void* at = nullptr;
  std::size_t bytes = 0;
};

/// By what others reach memory that a PE has lent: a value that may be sent to them as bytes. It is good for this PE's
/// memory only, and not guessed; what it says is the network's affair.
struct RegionKey {
  std::uint64_t key = 0;   // 0: of nothing
  std::uint64_t base = 0;  // of the first byte, where the network wants addresses
  friend bool operator==(const RegionKey&, const RegionKey&) = default;
};
static_assert(sizeof(RegionKey) == 16 && std::is_trivially_copyable_v<RegionKey>);

/// A place in the memory of a PE of the job.
struct Remote {
  int pe;
  RegionKey key;         // as that PE has told
  std::uint64_t offset;  // from the region's beginning
};

enum class Op : std::uint8_t { kFetch, kSet, kSwap, kCompareSwap, kAdd, kAnd, kOr, kXor };
inline constexpr int kOps = 8;
/// What the bits are; signed and unsigned integers are the same to all operations above.
enum class Type : std::uint8_t { k8, k16, k32, k64, kFloat, kDouble };
inline constexpr int kTypes = 6;
constexpr std::size_t bytes_of(Type type) noexcept {
  constexpr std::size_t kBytes[] = {1, 2, 4, 8, 4, 8};
  return kBytes[static_cast<int>(type)];
}

/// The values are in the first bytes of the words.
struct Atomic {
  Op op;
  Type type;
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
};

/// When the data of a put may be changed by its owner.
enum class Source : std::uint8_t {
  kStays,     // when `pending` says that the put is complete
  kReusable,  // at once
  kInARow,    // at once; and more such puts follow, or somebody waits, so that it may go together with them
};

/// What copy_bytes() is unless somebody knows better, and at most: what is copied takes memory, and time twice.
inline constexpr std::size_t kCopyBytes = 8192;
inline constexpr std::size_t kMostCopyBytes = 65536;

/// Of messages (tagged.hpp): the receiver gets those of one sender with one tag in the order in which they were sent.
using Tag = std::uint64_t;
/// The network's own tags are smaller than 2 to this power: a provider of libfabric for supercomputers has no more.
inline constexpr int kTagBits = 48;
/// How many bits of a tag a network carries that tells so by the fields it would divide them into, as libfabric does:
/// those up to the highest that is set. 0: it does not tell.
constexpr bool carries_tags(std::uint64_t fields) noexcept { return fields == 0 || std::bit_width(fields) >= kTagBits; }

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// "tcp;ofi_rxm" or the like.
  virtual const char* name() const noexcept = 0;
  /// Atomic operations of the network and of the processors of the target's node, on one word, are atomic against each
  /// other.
  virtual bool amo_cpu_coherent() const noexcept = 0;

  /// How a put goes, by its size: up to so many bytes with the request; up to so many copied, so that the program may
  /// change its data at once; beyond, from where the data lies.
  virtual std::size_t inject_bytes() const noexcept = 0;
  virtual std::size_t copy_bytes() const noexcept = 0;
  /// Small puts that follow on each other go in one message; else each is an operation with an answer of its own.
  virtual bool joins_puts() const noexcept { return false; }
  /// Changes the latter. Only while nothing is under way.
  virtual base::Result<void> copy_up_to(std::size_t bytes) noexcept = 0;

  /// Lets others reach this PE, once for each start of the job, and writes into the card what they need for that.
  virtual base::Result<void> open(boot::PeerCard* own) noexcept = 0;
  /// After this PE's last operation is complete and nobody will begin another one with it. Takes back all that is lent.
  virtual void close() noexcept = 0;

  /// Lets whoever is told the key reach this memory, while the transport is open. An error is the reason, without more.
  virtual base::Result<RegionKey> lend(const Memory& memory) noexcept = 0;
  /// When it returns nobody reaches that memory any more; others must not have an operation under way there, and who
  /// uses the key nevertheless, or one that never was, is refused. Not in a handler (kinds.hpp).
  virtual void take_back(const RegionKey& key) noexcept = 0;

  virtual void put(const Remote& to, const void* from, std::size_t bytes, Source source, Pending& pending) noexcept = 0;
  virtual void get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept = 0;
  /// `fetched` receives what was there before, bytes_of(type) of it; null for who does not want it.
  virtual void atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept = 0;
  /// The atomic operation takes place when the put is complete.
  virtual void put_then(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote& signal,
                        const Atomic& what, Pending& pending) noexcept = 0;

  /// Whether it keeps the order described above.
  virtual bool keeps_order() const noexcept = 0;
  /// The program has asked for the order that is kept: what it put last is data, what comes next is its flag.
  virtual void fenced() noexcept {}

  /// A message for a PE (kinds.hpp). Never waits; `pending` counts it where it says kPosted.
  virtual Told tell(int pe, const Message& what, Pending& pending) noexcept = 0;

  /// Lets operations go on, this PE's and those of others with its memory. Whoever waits calls it.
  virtual void progress() noexcept = 0;
  /// Until there may be something to do for progress(), or the time is up; then false. No other thread need be kept
  /// from calling any of these functions meanwhile.
  virtual bool sleep(int timeout_ms) noexcept = 0;

 protected:
  ~Transport() = default;  // a transport lives as long as the process
};

/// What a leaf's library exports under kOpenFunction.
struct Setup {
  boot::JobHeader* job;
  int me;
  /// Ends the program: the operation named, with a PE, cannot be done because of `why`.
  void (*failed)(const char* operation, int pe, const char* why) noexcept;
  /// Told after each progress() that the leaf makes itself because an operation cannot begin or return yet, as whoever
  /// calls progress() does what else is to be done then.
  void (*polled)() noexcept;
  /// Told, where the leaf can tell, when a PE has ended between its open() and its close().
  void (*gone)(int pe) noexcept = nullptr;
  /// Ends the program: a PE asks for what cannot be done. `what` is the predicate of a sentence about it.
  void (*refused)(int pe, const char* what) noexcept = nullptr;
  const Kinds* kinds = nullptr;     // handlers; null: there are none
  const char* provider = nullptr;   // WEFT_OFI_PROVIDER; null: the first that can do all
  const char* interface = nullptr;  // WEFT_NET_INTERFACE; null: all
  const char* ports = nullptr;      // WEFT_NET_PORTS; null: any
  int timeout = 20;                 // WEFT_NET_TIMEOUT, in seconds; 0: none
  // Messages to one PE that it has not taken, the same for all PEs and at least one: tests have few.
  std::uint32_t most_told = kMostTold;
};
using OpenFunction = Transport* (*)(const Setup& setup, char* why, std::size_t room);
inline constexpr const char* kOpenFunction = "weft_transport";

}  // namespace weft::transport

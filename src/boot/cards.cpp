#include "boot/cards.hpp"

#include <signal.h>

#include <cerrno>

#include "os/clock.hpp"
#include "os/futex.hpp"

namespace weft::boot {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// The wait as launcher and reports see it; only this thread of the PE is in shmem_init.
class Note {
 public:
  Note(PeRecord& record, int n_pes) noexcept {
    for (WaitRecord& wait : record.waits) {
      std::uint32_t none = 0;
      // Acquire, for the order of `since` and what follows.
      if (!wait.why.compare_exchange_strong(none, static_cast<std::uint32_t>(Waiting::kInit), std::memory_order_acquire,
                                            kRelaxed)) {
        continue;
      }
      wait_ = &wait;
      std::atomic_thread_fence(std::memory_order_release);
      wait.call.store(record.call.load(kRelaxed), kRelaxed);
      wait.site.store(record.site.load(kRelaxed), kRelaxed);
      wait.object.store(0, kRelaxed);
      wait.elements.store(0, kRelaxed);
      wait.slot.store(kNoSlot, kRelaxed);
      wait.start.store(0, kRelaxed);
      wait.stride.store(1, kRelaxed);
      wait.size.store(n_pes, kRelaxed);
      wait.number.store(0, kRelaxed);
      wait.root.store(-1, kRelaxed);
      // Release: who sees since when the wait lasts sees the rest.
      wait.since.store(os::now_ns(), std::memory_order_release);
      return;
    }
  }
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;
  ~Note() {
    if (wait_ == nullptr) return;
    wait_->since.store(0, kRelaxed);
    // Release: whoever takes the record next comes after the line above.
    wait_->why.store(0, std::memory_order_release);
  }

 private:
  WaitRecord* wait_ = nullptr;
};

void publish(JobHeader* job, PeerCard& place, const PeerCard& mine) noexcept {
  const std::uint32_t node = place.node;
  const std::uint32_t local = place.local;
  place = mine;
  place.node = node;
  place.local = local;
  // Release, for who sends the cards away; acquire, as the last one speaks for all of the node.
  const std::uint32_t filled = job->cards_filled.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (filled % job->n_pes == 0) (void)::kill(job->launcher_pid, SIGCHLD);
}

}  // namespace

base::Result<void> exchange_cards(JobHeader* job, int pe, const PeerCard& mine) noexcept {
  constexpr std::uint64_t kLook = 250'000'000;  // ns between looks whether the launcher is still there
  PeerCard& place = *peer_card(job, pe);
  // This round cannot end without this PE, so the number of rounds so far is the same wherever it is read.
  const std::uint32_t rounds = job->cards_here.load(std::memory_order_acquire);
  const Note note(*pe_record(job, static_cast<int>(place.local)), static_cast<int>(job->job_pes));
  publish(job, place, mine);
  while (job->cards_here.load(std::memory_order_acquire) == rounds) {
    os::futex_wait(job->cards_here, rounds, kLook);
    if (job->cards_here.load(std::memory_order_acquire) == rounds && ::kill(job->launcher_pid, 0) != 0 &&
        errno == ESRCH) {
      return base::Error::make("the launcher (process %d) ended before all PEs had started", job->launcher_pid);
    }
  }
  return {};
}

}  // namespace weft::boot

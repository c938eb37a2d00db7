#include "omp/sync/noted.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>

#include "boot/ticket.hpp"
#include "omp/image/image.hpp"
#include "os/clock.hpp"

namespace weft::omp {

__thread Noted t_noted __attribute__((tls_model("initial-exec"))) = {nullptr, kSomebody};

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

std::atomic<TellPosition*> g_position{nullptr};

// Of a process that is a program by itself. Those that are one have shared this library's data: theirs is the image's.
std::atomic<boot::PeThreads*> g_threads{nullptr};
pthread_once_t g_looked = PTHREAD_ONCE_INIT;

void leave_after_fork() {
  g_threads.store(nullptr, kRelaxed);
  t_noted.record = nullptr;
}

void look_for_job() {
  g_threads.store(boot::find_threads(), kRelaxed);
  (void)::pthread_atfork(nullptr, nullptr, leave_after_fork);
}

boot::PeThreads* threads() noexcept {
  if (image::processes() > 1) {
    return image::threads();
  }
  (void)::pthread_once(&g_looked, look_for_job);
  return g_threads.load(kRelaxed);
}

boot::ThreadRecord* take_record(boot::PeThreads& all, std::uint32_t id) noexcept {
  for (std::uint32_t k = 0; k < boot::PeThreads::kMost; ++k) {
    boot::ThreadRecord& record = all.threads[k];
    std::uint32_t none = 0;
    // Acquire: pairs with end_notes().
    if (record.id.load(kRelaxed) != 0 || !record.id.compare_exchange_strong(none, id, std::memory_order_acquire)) {
      continue;
    }
    for (std::uint32_t used = all.used.load(kRelaxed); used <= k && !all.used.compare_exchange_weak(used, k + 1);) {
    }
    return &record;
  }
  return nullptr;
}

}  // namespace

void begin_notes(const Birthplace& from, TellPosition* position) noexcept {
  const auto id = static_cast<std::uint32_t>(::gettid());
  t_noted = {nullptr, mark_of(id)};
  boot::PeThreads* const all = threads();
  boot::ThreadRecord* const record = all != nullptr ? take_record(*all, id) : nullptr;
  if (record == nullptr) {
    return;
  }
  g_position.store(position, kRelaxed);
  record->home.store(reinterpret_cast<std::uintptr_t>(from.team), kRelaxed);
  record->home_number.store(from.number, kRelaxed);
  record->home_level.store(from.level, kRelaxed);
  record->home_primary.store(from.primary, kRelaxed);
  for (std::atomic<std::uint64_t>* word : {&record->since, &record->task, &record->arrived, &record->team}) {
    word->store(0, kRelaxed);
  }
  for (std::atomic<std::uint64_t>& held : record->held) {
    held.store(0, kRelaxed);
  }
  t_noted.record = record;
}

void end_notes() noexcept {
  if (boot::ThreadRecord* const record = t_noted.record) {
    t_noted.record = nullptr;
    record->since.store(0, kRelaxed);
    // Release: who takes the record next comes after the line above.
    record->id.store(0, std::memory_order_release);
  }
}

void note_far_region(const void* team, int first, int here, int size) noexcept {
  boot::PeThreads* const all = threads();
  if (all == nullptr) {
    return;
  }
  all->here.store(0, kRelaxed);
  all->team.store(reinterpret_cast<std::uintptr_t>(team), kRelaxed);
  all->first.store(static_cast<std::uint32_t>(first), kRelaxed);
  all->size.store(static_cast<std::uint32_t>(size), kRelaxed);
  all->here.store(static_cast<std::uint32_t>(here), kRelaxed);
}

namespace {

void replace_held(std::uint64_t is, std::uint64_t by) noexcept {
  if (t_noted.record == nullptr) {
    return;
  }
  for (std::atomic<std::uint64_t>& held : t_noted.record->held) {
    if (held.load(kRelaxed) == is) {
      held.store(by, kRelaxed);
      return;
    }
  }
}

}  // namespace

void note_held(const void* lock) noexcept { replace_held(0, reinterpret_cast<std::uintptr_t>(lock)); }
void note_released(const void* lock) noexcept { replace_held(reinterpret_cast<std::uintptr_t>(lock), 0); }

namespace {

bool is_ours(const void* code) noexcept {
  Dl_info theirs{};
  Dl_info ours{};
  return ::dladdr(code, &theirs) != 0 && ::dladdr(&g_looked, &ours) != 0 && theirs.dli_fbase == ours.dli_fbase;
}

// A call that is the last thing in a region may be a jump, and return to who has called the region: that is told then,
// by one byte behind its first one, as what a call returns to is behind the call.
std::uintptr_t site_told(const void* site, const void* code) noexcept {
  if (site != nullptr && !is_ours(site)) {
    return reinterpret_cast<std::uintptr_t>(site);
  }
  return code != nullptr && !is_ours(code) ? reinterpret_cast<std::uintptr_t>(code) + 1 : 0;
}

}  // namespace

void LongWait::tell(std::uint32_t holder) noexcept {
  const std::uint64_t now = os::now_ns();
  begun_ = begun_ == 0 ? now : begun_;
  if (!told_ && now - begun_ < kNap) {
    return;
  }
  boot::ThreadRecord& record = *t_noted.record;
  const auto* const left = awaited_.left;
  record.wanted.store(left != nullptr ? static_cast<std::uint64_t>(left->load(kRelaxed)) : awaited_.wanted, kRelaxed);
  record.holder.store(awaited_.holder != nullptr ? awaited_.holder(awaited_) : holder, kRelaxed);
  if (told_) {
    record.looks.store(record.looks.load(kRelaxed) + 1, kRelaxed);
    return;
  }
  told_ = true;
  // Who sees anything of this wait sees that the last one has ended: `since` is 0 by now.
  std::atomic_thread_fence(std::memory_order_release);
  record.why.store(static_cast<std::uint32_t>(awaited_.why), kRelaxed);
  record.object.store(reinterpret_cast<std::uintptr_t>(awaited_.object), kRelaxed);
  record.looks.store(0, kRelaxed);
  record.site.store(site_told(awaited_.site, g_position.load(kRelaxed)(record)), kRelaxed);
  // Release: who sees since when the wait lasts sees the rest.
  record.since.store(begun_, std::memory_order_release);
}

void LongWait::over() noexcept {
  if (t_noted.record != nullptr) {
    t_noted.record->since.store(0, kRelaxed);
  }
}

namespace {

far::Patient patient(LongWait& wait) noexcept {
  return {&wait, [](void* self) noexcept { static_cast<LongWait*>(self)->looked(); }};
}

}  // namespace

far::Message ask(const far::Message& question, const Awaited& awaited) noexcept {
  LongWait wait(awaited);
  return image::far()->ask(question, patient(wait));
}

far::Message meet(const far::Message& question, std::uint64_t constructs, bool alone, const Awaited& awaited) noexcept {
  LongWait wait(awaited);
  return image::far()->meet(question, constructs, alone, patient(wait));
}

void finish_there(const Awaited& awaited) noexcept {
  LongWait wait(awaited);
  image::far()->finish(patient(wait), awaited.site);
}

}  // namespace weft::omp

#pragma GCC visibility push(default)
// For libweft_image.so (omp/program/once.cpp). A look may be a message.
extern "C" void weft_omp_await_static(const void* guard, const void* site, bool (*look)(void*), void* argument) {
  const weft::omp::Awaited awaited{.why = weft::omp::ThreadWaits::kStatic, .site = site, .object = guard};
  weft::omp::LongWait wait(awaited);
  while (!look(argument)) wait.looked();
}
extern "C" void weft_omp_note_static(const void* guard, bool makes) {
  makes ? weft::omp::note_held(guard) : weft::omp::note_released(guard);
}
#pragma GCC visibility pop

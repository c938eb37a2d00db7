// The fastest barriers we know for processes on one machine: for two, each has a flag of its own that the other
// watches; for more than there are processors, all count on one word and whoever waits yields its processor.
#include <unistd.h>

#include "limits/limits.hpp"

namespace weft::bench {
namespace {

struct Task {
  const plan* how;
  Control* control;
  int processes;
  bool yields;
  Times times;  // of process 0, which is the caller's
};

// An exchange makes the store leave the processor at once; whether that is worth its price differs by machine.
template <bool pauses, bool exchanges>
class FlagBarrier {
 public:
  FlagBarrier(const Task& task, int rank) noexcept
      : mine_(rank == 0 ? task.control->from_first : task.control->from_second),
        others_(rank == 0 ? task.control->from_second : task.control->from_first) {}
  void operator()() noexcept {
    ++episode_;
    if constexpr (exchanges) {
      mine_.exchange(episode_, std::memory_order_acq_rel);
    } else {
      mine_.store(episode_, std::memory_order_release);
    }
    while (others_.load(std::memory_order_acquire) < episode_) {
    }
  }

 private:
  std::atomic<long>& mine_;
  std::atomic<long>& others_;
  long episode_ = 0;
};

template <bool pauses>
class CountingBarrier {
 public:
  CountingBarrier(const Task& task, int /*rank*/) noexcept
      : control_(*task.control), processes_(task.processes), yields_(task.yields) {}
  void operator()() noexcept {
    ++episode_;
    if (control_.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == processes_) {
      control_.arrived.store(0, std::memory_order_relaxed);
      control_.episode.store(episode_, std::memory_order_release);
      return;
    }
    while (control_.episode.load(std::memory_order_acquire) < episode_) {
      if (yields_) {
        (void)::sched_yield();
      } else {
        relax<pauses>();
      }
    }
  }

 private:
  Control& control_;
  int processes_;
  bool yields_;
  long episode_ = 0;
};

template <class Barrier>
void work(int rank, void* argument) {
  Task& task = *static_cast<Task*>(argument);
  Barrier barrier(task, rank);
  const auto rounds = [&](long count) {
    for (long k = 0; k < count; ++k) barrier();
  };
  const long trial = 20;
  rounds(trial);
  double begin = now_ns();
  rounds(trial);
  if (rank == 0) task.control->count.store(count_for(task.how, trial, now_ns() - begin), std::memory_order_relaxed);
  barrier();
  const long count = task.control->count.load(std::memory_order_relaxed);
  for (int r = 0; r < task.how->repetitions; ++r) {
    barrier();
    begin = now_ns();
    rounds(count);
    task.times.push_back((now_ns() - begin) / static_cast<double>(count));
  }
}

template <class Barrier>
Times times_of(const plan& how, int processes, bool yields) {
  const Regions regions = make_regions(0);
  Task task{&how, regions.control, processes, yields, {}};
  run_processes(processes, work<Barrier>, &task);
  return task.times;
}

// The best of the ways to wait and to tell.
Times best_times(const plan& how, int processes, bool yields) {
  if (processes == 2 && !yields) {
    return faster(
        faster(times_of<FlagBarrier<false, false>>(how, 2, false), times_of<FlagBarrier<true, false>>(how, 2, false)),
        faster(times_of<FlagBarrier<false, true>>(how, 2, false), times_of<FlagBarrier<true, true>>(how, 2, false)));
  }
  const Times eager = times_of<CountingBarrier<false>>(how, processes, yields);
  return yields ? eager : faster(eager, times_of<CountingBarrier<true>>(how, processes, yields));
}

}  // namespace

void measure_barrier(const plan& how, int processes) {
  cpu_set_t allowed;
  (void)::sched_getaffinity(0, sizeof allowed, &allowed);
  const Times times = best_times(how, processes, processes > CPU_COUNT(&allowed));
  print_times("barrier", "limit", processes, times.data(), how.repetitions);
}

}  // namespace weft::bench

// Timers and queues of messages whose events make a thread.
#pragma once

#include <mqueue.h>
#include <signal.h>
#include <time.h>

namespace weft::omp::program {

/// timer_create() with SIGEV_THREAD. 0, or -1 and errno.
int create_timer(clockid_t clock, const sigevent& event, timer_t* timer) noexcept;
/// Before it is deleted: what it has not told yet is not told any more.
void forget_timer(timer_t timer) noexcept;
/// mq_notify() with SIGEV_THREAD.
int notify_of_messages(mqd_t queue, const sigevent& event) noexcept;

}  // namespace weft::omp::program

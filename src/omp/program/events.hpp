// Timers and queues of messages whose events make a thread.
#pragma once

#include <mqueue.h>
#include <signal.h>
#include <time.h>

namespace weft::omp::program {

using TimerCreate = int(clockid_t, sigevent*, timer_t*);
/// timer_create() with SIGEV_THREAD. 0, or -1 and errno. `create`: the C library's, which is not looked for here: that
/// takes the dynamic linker's lock, which is held while a plugin's constructor waits for who calls.
int create_timer(TimerCreate* create, clockid_t clock, const sigevent& event, timer_t* timer) noexcept;
/// Before it is deleted: what it has not told yet is not told any more.
void forget_timer(timer_t timer) noexcept;
/// mq_notify() with SIGEV_THREAD.
int notify_of_messages(mqd_t queue, const sigevent& event) noexcept;

}  // namespace weft::omp::program

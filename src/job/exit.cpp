#include "job/exit.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/words.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"
#include "pmi/session.hpp"

namespace weft::job {

void ask_all_to_exit(int status) noexcept {
  g_process.leaving = true;
  const std::uint32_t asked = boot::exit_request(node().me, status);
  // Relaxed: the next line publishes it.
  node().record().presence.exit_asked.store(asked, std::memory_order_relaxed);
  std::uint32_t nobody = 0;
  // Release: the launcher that sees the request may end everybody at once, and sees who has asked. The first PE's
  // status counts.
  node().job->exit_request.compare_exchange_strong(nobody, asked, std::memory_order_release, std::memory_order_relaxed);
  if (const std::int32_t launcher = node().job->launcher_pid; launcher > 0) {
    (void)::kill(launcher, SIGCHLD);  // it looks at the job at once, should the exit take long
  }
}

void end_managed_job(int status, const char* why) noexcept {
  char text[160];
  (void)std::snprintf(text, sizeof text, "Weft: %s", why);
  pmi::abort_job(status, text);
}

void end_all_now(int status) noexcept {
  ask_all_to_exit(status);
  // Another launcher than oshrun reads no requests. Left to itself it gives the job the code of those it has killed,
  // and takes code 0 for a rank that is done.
  end_managed_job(status, base::words().exit_all);
  ::_exit(status & 0xff);
}

}  // namespace weft::job

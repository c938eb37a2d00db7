#include "shmem/contexts.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

#include "base/lines.hpp"
#include "rma/order.hpp"
#include "shmem/checks.hpp"
#include "shmem/near.hpp"
#include "shmem/team_handles.hpp"

extern "C" {
// Exported. Only their addresses mean anything.
[[gnu::visibility("default")]] weft_ctx weft_ctx_default = {weft::shmem::kContextTag};
}

namespace weft::shmem {
namespace {

// Programs are compiled with these places (docs/abi.md). The default context's object ends with its tag, and nobody
// looks for them there.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // of a class with a base: both compilers lay it out as C would
static_assert(offsetof(Context, tag) == 0 && offsetof(Context, first) == 8 && offsetof(Context, step) == 12 &&
              offsetof(Context, count) == 16);
#pragma GCC diagnostic pop

// Destroyed contexts are kept for reuse and never given back to malloc: a handle used after its context was destroyed
// finds a cleared tag, until the object serves another context, and never somebody else's memory.
constinit std::mutex g_mutex;
constinit std::atomic<Context*> g_live = nullptr;  // changed with g_mutex held, so relaxed
constinit Context* g_spare = nullptr;

constexpr long kKnownOptions = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE;

// Caller holds g_mutex.
Context* take_spare() noexcept {
  if (g_spare == nullptr) {
    return new (std::nothrow) Context;
  }
  Context* context = g_spare;
  g_spare = context->next;
  return context;
}

template <class Wanted>
void destroy_if(Wanted&& wanted) noexcept {
  const std::scoped_lock lock(g_mutex);
  Context* before = nullptr;
  for (Context *context = g_live.load(std::memory_order_relaxed), *next = nullptr; context != nullptr; context = next) {
    next = context->next;
    if (!wanted(*context)) {
      before = context;
      continue;
    }
    if (before == nullptr) {
      g_live.store(next, std::memory_order_relaxed);
    } else {
      before->next = next;
    }
    context->tag = 0;
    context->count = 0;
    context->next = g_spare;
    g_spare = context;
  }
}

}  // namespace

int create_context(shmem_team_t team, long options, shmem_ctx_t* ctx) noexcept {
  need_ready();
  *ctx = SHMEM_CTX_INVALID;
  if (team == SHMEM_TEAM_INVALID || (options & ~kKnownOptions) != 0) {
    return 1;
  }
  group::Team& members = need_team(team);
  const std::scoped_lock lock(g_mutex);
  Context* context = take_spare();
  if (context == nullptr) {
    return 1;
  }
  context->tag = kContextTag;
  context->team = &members;
  find_near_pes(*context);
  context->next = g_live.load(std::memory_order_relaxed);
  g_live.store(context, std::memory_order_relaxed);
  *ctx = context;
  return 0;
}

void destroy_context(shmem_ctx_t ctx) noexcept {
  if (ctx == SHMEM_CTX_INVALID) {
    return;
  }
  if (ctx == SHMEM_CTX_DEFAULT) {
    base::fail(job::current_call(), "SHMEM_CTX_DEFAULT cannot be destroyed");
  }
  need_context(ctx);
  rma::quiet(pending_of(ctx));
  destroy_if([&](const Context& context) { return &context == ctx; });
}

void destroy_contexts_of(const group::Team& team) noexcept {
  rma::quiet();
  // Most programs have none, and then need no lock. Who ends the team knows of what other threads have made on it.
  if (g_live.load(std::memory_order_relaxed) != nullptr) {
    destroy_if([&](const Context& context) {
      if (context.team != &team) {
        return false;
      }
      rma::complete(context.pending);
      return true;
    });
  }
}

void destroy_all_contexts() noexcept {
  destroy_if([](const Context& context) {
    rma::complete(context.pending);
    return true;
  });
}

shmem_team_t team_of(shmem_ctx_t ctx) noexcept {
  if (ctx == SHMEM_CTX_INVALID) {
    return SHMEM_TEAM_INVALID;
  }
  need_context(ctx);
  return ctx == SHMEM_CTX_DEFAULT ? SHMEM_TEAM_WORLD : handle_of(*static_cast<const Context*>(ctx)->team);
}

void need_context_slowly(shmem_ctx_t ctx) noexcept {
  need_ready();
  if (ctx == SHMEM_CTX_INVALID) {
    base::fail(job::current_call(), "the context is SHMEM_CTX_INVALID; was its creation refused?");
  }
  if (ctx->tag != kContextTag) {
    base::fail(job::current_call(), "the context at %p does not exist; it was destroyed or never created",
               static_cast<const void*>(ctx));
  }
}

const transport::Pending& pending_of(shmem_ctx_t ctx) noexcept {
  return ctx == SHMEM_CTX_DEFAULT ? rma::g_pending : static_cast<const Context*>(ctx)->pending;
}

rma::Target target_of_slowly(shmem_ctx_t ctx, int pe) noexcept {
  need_context_slowly(ctx);
  auto* context = static_cast<Context*>(ctx);
  const group::Members& members = context->team->members;
  if (pe < 0 || pe >= members.size) [[unlikely]] {
    base::fail(job::current_call(), "PE %d does not exist in the context's team; its PEs are 0 to %d", pe,
               members.size - 1);
  }
  return {members.pe(pe), &context->pending, context->team->by_processor};
}

}  // namespace weft::shmem

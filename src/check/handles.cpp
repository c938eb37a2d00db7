#include "check/handles.hpp"

#include <pthread.h>

#include <map>
#include <mutex>

#include "check/leaks.hpp"
#include "check/tool.hpp"
#include "interpose/real.hpp"

namespace weft::check {
namespace {

// The address of one of these is the handle; they are kept for good.
struct Team {
  shmem_team_t real = nullptr;
  SetOfPes members{};
  std::uint64_t children = 0;
  Made made{};
  Made ended{};
  bool lives = true;
};

struct Context {
  shmem_ctx_t real = nullptr;
  shmem_team_t team = nullptr;  // the program's handle
  pthread_t maker{};
  long options = 0;
  Made made{};
  Made ended{};
  bool lives = true;
};

std::mutex g_mutex;
std::map<const void*, Team*> g_teams;
std::map<const void*, Context*> g_contexts;
Team g_world;
Team g_shared;

constexpr std::uint64_t kWorldName = 1;
constexpr std::uint64_t kSharedName = 2;

template <class Kept>
Kept* find(const std::map<const void*, Kept*>& all, const void* handle) noexcept {
  const std::scoped_lock lock(g_mutex);
  const auto found = all.find(handle);
  return found == all.end() ? nullptr : found->second;
}

bool is_predefined(shmem_team_t team) noexcept { return team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED; }

Team* team_of(shmem_team_t team) noexcept {
  if (is_predefined(team)) {
    Team& predefined = team == SHMEM_TEAM_WORLD ? g_world : g_shared;
    predefined.members = {team == SHMEM_TEAM_WORLD ? kWorldName : kSharedName, 0, 1, n_pes()};
    return &predefined;
  }
  return find(g_teams, team);
}

std::uint64_t scattered(std::uint64_t x) noexcept {
  x = (x + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 29)) * 0x94d049bb133111ebU;
  return x ^ (x >> 32);
}

// Scattered in between: small numbers must not cancel each other out.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) noexcept { return scattered(scattered(a) ^ b); }

void check_team(shmem_team_t handle, const char* argument) noexcept {
  if (is_predefined(handle)) {
    return;
  }
  const Team* team = find(g_teams, handle);
  if (team == nullptr) {
    report(text("%s, %p, is no team: no call has made it; was the variable ever set?", argument,
                static_cast<void*>(handle)));
  } else if (!team->lives) {
    report(text("%s, %p, is a team that was destroyed", argument, static_cast<void*>(handle)),
           {"it was made by " + told(team->made), "it was destroyed by " + told(team->ended)});
  }
}

void check_context(const Invocation& call) noexcept {
  const Context* context = find(g_contexts, call.ctx);
  const auto* handle = static_cast<const void*>(call.ctx);
  if (context == nullptr) {
    report(text("ctx, %p, is no context: no call has made it; was the variable ever set?", handle));
  } else if (!context->lives) {
    report(text("ctx, %p, is a context that was destroyed", handle),
           {"it was made by " + told(context->made), "it was destroyed by " + told(context->ended)});
  } else if ((context->options & SHMEM_CTX_PRIVATE) != 0 && ::pthread_equal(context->maker, ::pthread_self()) == 0) {
    report(text("ctx, %p, was made with SHMEM_CTX_PRIVATE by another thread; only that one may use it", handle),
           {"it was made by " + told(context->made)});
  }
}

}  // namespace

shmem_team_t real(shmem_team_t team) noexcept {
  const Team* found = is_predefined(team) ? nullptr : find(g_teams, team);
  return is_predefined(team) ? team : found != nullptr && found->lives ? found->real : SHMEM_TEAM_INVALID;
}

shmem_ctx_t real(shmem_ctx_t ctx) noexcept {
  if (ctx == SHMEM_CTX_DEFAULT) {
    return ctx;
  }
  const Context* found = find(g_contexts, ctx);
  return found != nullptr && found->lives ? found->real : SHMEM_CTX_INVALID;
}

void check_handles(const Invocation& call) noexcept {
  if (call.team != nullptr) {
    check_team(call.team, call.op == api::Op::team_translate_pe ? "src_team" : "team");
  }
  if (call.other_team != nullptr) {
    check_team(call.other_team, "dest_team");
  }
  if (call.ctx != nullptr && call.ctx != SHMEM_CTX_DEFAULT) {
    check_context(call);
  }
}

void made_team(void* made, std::uint64_t name) noexcept {
  auto* handle = static_cast<shmem_team_t*>(made);
  SetOfPes members{.size = WEFT_REAL(team_n_pes)(*handle)};
  members.start = WEFT_REAL(team_translate_pe)(*handle, 0, SHMEM_TEAM_WORLD);
  if (members.size > 1) {
    members.stride = WEFT_REAL(team_translate_pe)(*handle, 1, SHMEM_TEAM_WORLD) - members.start;
  }
  // Of one split several teams may come, the rows of a grid.
  members.name =
      mixed(name, static_cast<std::uint64_t>(members.start) << 32 | static_cast<std::uint32_t>(members.stride));
  auto* team = new Team{.real = *handle, .members = members, .made = made_here()};
  const std::scoped_lock lock(g_mutex);
  *handle = reinterpret_cast<shmem_team_t>(team);
  g_teams[team] = team;
}

void made_context(const Invocation& call) noexcept {
  auto* handle = static_cast<shmem_ctx_t*>(call.made);
  auto* context = new Context{.real = *handle,
                              .team = call.team != nullptr ? call.team : SHMEM_TEAM_WORLD,
                              .maker = ::pthread_self(),
                              .options = call.options,
                              .made = made_here()};
  const std::scoped_lock lock(g_mutex);
  *handle = reinterpret_cast<shmem_ctx_t>(context);
  g_contexts[context] = context;
}

void told_team(const Invocation& call) noexcept {
  auto* handle = static_cast<shmem_team_t*>(call.made);
  if (const Context* context = find(g_contexts, call.ctx)) {
    *handle = context->team;
  }
}

void ended_team(const Invocation& call) noexcept {
  Team* team = find(g_teams, call.team);
  if (team == nullptr) {
    return;
  }
  const Made here = made_here();
  forget_set(team->members.name);
  const std::scoped_lock lock(g_mutex);
  team->lives = false;
  team->ended = here;
  for (auto& [handle, context] : g_contexts) {
    if (context->lives && context->team == call.team) {
      context->lives = false;
      context->ended = here;
    }
  }
}

void ended_context(const Invocation& call) noexcept {
  if (Context* context = find(g_contexts, call.ctx)) {
    const Made here = made_here();
    const std::scoped_lock lock(g_mutex);
    context->lives = false;
    context->ended = here;
  }
}

SetOfPes members_of(shmem_team_t team) noexcept {
  const Team* found = team_of(team);
  return found == nullptr ? SetOfPes{} : found->members;
}

std::uint64_t next_name(shmem_team_t parent) noexcept {
  Team* team = team_of(parent);
  if (team == nullptr) {
    return 0;
  }
  const std::scoped_lock lock(g_mutex);
  return mixed(team->members.name, ++team->children);
}

int world_pe(shmem_ctx_t ctx, int pe) noexcept {
  const Context* context = ctx == SHMEM_CTX_DEFAULT ? nullptr : find(g_contexts, ctx);
  if (context == nullptr) {
    return pe;
  }
  const SetOfPes members = members_of(context->team);
  return pe < 0 || pe >= members.size ? -1 : members.start + pe * members.stride;
}

void close_handles() noexcept {
  Leaks teams("teams", "shmem_team_destroy");
  Leaks contexts("contexts", "shmem_ctx_destroy");
  for (const auto& [handle, team] : g_teams) {
    if (team->lives) {
      teams.add(team->made, 0);
      team->lives = false;
      team->ended = made_here();
    }
  }
  for (const auto& [handle, context] : g_contexts) {
    if (context->lives) {
      contexts.add(context->made, 0);
      context->lives = false;
      context->ended = made_here();
    }
  }
  teams.tell();
  contexts.tell();
  g_world.children = g_shared.children = 0;
}

}  // namespace weft::check

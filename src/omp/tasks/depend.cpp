#include "omp/tasks/depend.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "omp/sync/fatal.hpp"

namespace weft::omp {

/// Accesses of the children of one task, by address: open addressing, heads of the lists. omp_all_memory, which is
/// address zero, stands beside.
struct Dependences {
  std::size_t room = 0, used = 0;
  Edge** heads = nullptr;
  const void** keys = nullptr;
  Edge* everything = nullptr;
};

namespace {

std::size_t slot_of(const void* const* keys, std::size_t room, const void* address) noexcept {
  std::size_t at = (reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15U >> 20) & (room - 1);
  while (keys[at] != nullptr && keys[at] != address) {
    at = (at + 1) & (room - 1);
  }
  return at;
}

void grow(Dependences& d) noexcept {
  const std::size_t room = d.room == 0 ? 16 : 2 * d.room;
  auto** heads = static_cast<Edge**>(need_memory(room * sizeof(void*)));
  auto** keys = static_cast<const void**>(need_memory(room * sizeof(void*)));
  std::fill_n(heads, room, nullptr);
  std::fill_n(keys, room, nullptr);
  d.used = 0;
  for (std::size_t k = 0; k < d.room; ++k) {
    if (d.heads[k] != nullptr) {  // those that nobody is at any more are left behind
      const std::size_t at = slot_of(keys, room, d.keys[k]);
      keys[at] = d.keys[k];
      heads[at] = d.heads[k];
      ++d.used;
    }
  }
  std::free(d.heads);
  std::free(static_cast<void*>(d.keys));
  d.heads = heads;
  d.keys = keys;
  d.room = room;
}

// Room for so many more, so that heads stay where they are meanwhile.
void reserve(Dependences& d, std::size_t more) noexcept {
  while (d.room == 0 || 2 * (d.used + more) > d.room) {
    grow(d);
  }
}

// There is room for one more.
Edge*& head_of(Dependences& d, const void* address) noexcept {
  if (address == nullptr) {
    return d.everything;
  }
  const std::size_t at = slot_of(d.keys, d.room, address);
  if (d.keys[at] == nullptr) {
    d.keys[at] = address;
    ++d.used;
  }
  return d.heads[at];
}

// Of an edge that is in its list: mostly the table has not grown since.
Edge*& head_of(Dependences& d, const Edge& edge) noexcept {
  if (edge.head == &d.everything) {
    return d.everything;
  }
  // Addresses of two tables are compared, of which one may be gone.
  const std::size_t at =
      (reinterpret_cast<std::uintptr_t>(edge.head) - reinterpret_cast<std::uintptr_t>(d.heads)) / sizeof(void*);
  return at < d.room && d.heads + at == edge.head && d.keys[at] == edge.address ? d.heads[at]
                                                                                : head_of(d, edge.address);
}

void wait_for(Task& task, Task& before) noexcept {
  if (&task == &before) {
    return;
  }
  if (before.n_waiting == before.room_waiting) {
    const unsigned room = before.room_waiting == 0 ? 4 : 2 * before.room_waiting;
    auto** more = static_cast<Task**>(need_memory(room * sizeof(void*)));
    std::copy_n(before.waiting_for_me, before.n_waiting, more);
    std::free(before.waiting_for_me);
    before.waiting_for_me = more;
    before.room_waiting = room;
  }
  before.waiting_for_me[before.n_waiting++] = &task;
  task.waits_for.fetch_add(1, std::memory_order_relaxed);  // under the lock
}

// Those that share an access do not wait for each other, but all for what was before the first of them.
void wait_for_list(Task& task, Edge* newest, Access access) noexcept {
  Edge* edge = newest;
  if (access != Access::out) {
    while (edge != nullptr && edge->access == access) {
      edge = edge->older;
    }
  }
  if (edge == nullptr) {
    return;
  }
  const Access group = edge->access;
  do {
    wait_for(task, *edge->task);
    edge = edge->older;
  } while (edge != nullptr && group != Access::out && edge->access == group);
}

struct Depobj {
  void* address;
  void* kind;
};

Access access_of(std::uintptr_t kind) noexcept {
  return kind == 1 ? Access::in : kind == 5 ? Access::set : Access::out;
}

}  // namespace

std::size_t count_dependences(void** depend) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(depend[0]);
  return first != 0 ? first : reinterpret_cast<std::uintptr_t>(depend[1]);
}

std::size_t read_dependences(void** depend, Edge* edges) noexcept {
  const std::size_t n = count_dependences(depend);
  std::size_t have = 0;
  const auto add = [&](const void* address, Access access) {
    for (std::size_t k = 0; k < have; ++k) {
      if (edges[k].address == address) {
        if (edges[k].access != access) {
          edges[k].access = Access::out;  // the stricter of two
        }
        return;
      }
    }
    edges[have] = Edge{};
    edges[have].address = address;
    edges[have++].access = access;
  };
  if (depend[0] != nullptr) {
    const auto writers = reinterpret_cast<std::uintptr_t>(depend[1]);
    for (std::size_t k = 0; k < n; ++k) {
      add(depend[2 + k], k < writers ? Access::out : Access::in);
    }
    return have;
  }
  const auto writers = reinterpret_cast<std::uintptr_t>(depend[2]) + reinterpret_cast<std::uintptr_t>(depend[3]);
  const auto readers = reinterpret_cast<std::uintptr_t>(depend[4]);
  for (std::size_t k = 0; k < n; ++k) {
    void* const each = depend[5 + k];
    if (k < writers) {
      add(each, Access::out);
    } else if (k < writers + readers) {
      add(each, Access::in);
    } else {
      const auto* object = static_cast<const Depobj*>(each);
      add(object->address, access_of(reinterpret_cast<std::uintptr_t>(object->kind)));
    }
  }
  return have;
}

void depend_on(Task& parent, Task& task, Edge* edges, std::size_t n, bool stay) noexcept {
  if (parent.dependences == nullptr) {
    parent.dependences = new (need_memory(sizeof(Dependences))) Dependences;
  }
  Dependences& all = *parent.dependences;
  reserve(all, n);
  for (std::size_t k = 0; k < n; ++k) {
    Edge& edge = edges[k];
    if (edge.address == nullptr) {
      for (std::size_t at = 0; at < all.room; ++at) {
        for (Edge* each = all.heads[at]; each != nullptr; each = each->older) {
          wait_for(task, *each->task);
        }
      }
      edge.access = Access::out;
    } else if (all.everything != nullptr) {
      wait_for_list(task, all.everything, Access::in);
    }
    edge.head = &head_of(all, edge.address);
    wait_for_list(task, *edge.head, edge.access);
  }
  if (!stay) {
    return;
  }
  for (std::size_t k = 0; k < n; ++k) {
    Edge*& head = *edges[k].head;
    edges[k].task = &task;
    edges[k].newer = nullptr;
    edges[k].older = head;
    if (head != nullptr) {
      head->newer = &edges[k];
    }
    head = &edges[k];
  }
  task.edges = edges;
  task.n_edges = static_cast<unsigned>(n);
}

void release_dependents(Task& task, void (*freed)(Task&, void*), void* context) noexcept {
  for (unsigned k = 0; k < task.n_edges; ++k) {
    Edge& edge = task.edges[k];
    if (edge.older != nullptr) {
      edge.older->newer = edge.newer;
    }
    if (edge.newer != nullptr) {
      edge.newer->older = edge.older;
    } else {
      head_of(*task.parent->dependences, edge) = edge.older;
    }
  }
  task.n_edges = 0;
  for (unsigned k = 0; k < task.n_waiting; ++k) {
    Task& next = *task.waiting_for_me[k];
    // Release: what the task wrote is seen by who finds that nothing is waited for any more.
    if (next.waits_for.fetch_sub(1, std::memory_order_seq_cst) == 1) {
      freed(next, context);
    }
  }
  std::free(task.waiting_for_me);
  task.waiting_for_me = nullptr;
  task.n_waiting = 0;
  task.room_waiting = 0;
}

void forget_dependences(Task& parent) noexcept {
  if (parent.dependences != nullptr) {
    std::free(parent.dependences->heads);
    std::free(static_cast<void*>(parent.dependences->keys));
    std::free(parent.dependences);
    parent.dependences = nullptr;
  }
}

}  // namespace weft::omp

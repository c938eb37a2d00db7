#include "omp/tasks/lists.hpp"

namespace weft::omp {

void put(TaskList& list, Link Task::*link, Task& task, End end) noexcept {
  Task* before = end == End::back ? list.last : nullptr;
  Task* after = end == End::back ? nullptr : first_of(list);
  if (task.priority != 0) {
    list.urgent = true;
  }
  if (list.urgent) {
    before = nullptr;
    after = first_of(list);
    while (after != nullptr &&
           (after->priority > task.priority || (end == End::back && after->priority == task.priority))) {
      before = after;
      after = (after->*link).next;
    }
  }
  (task.*link).before = before;
  (task.*link).next = after;
  if (before != nullptr) {
    (before->*link).next = &task;
  } else {
    list.first.store(&task, std::memory_order_relaxed);
  }
  if (after != nullptr) {
    (after->*link).before = &task;
  } else {
    list.last = &task;
  }
}

void take(TaskList& list, Link Task::*link, Task& task) noexcept {
  Link& place = task.*link;
  if (place.before != nullptr) {
    (place.before->*link).next = place.next;
  } else {
    list.first.store(place.next, std::memory_order_relaxed);
  }
  if (place.next != nullptr) {
    (place.next->*link).before = place.before;
  } else {
    list.last = place.before;
  }
  if (list.last == nullptr) {
    list.urgent = false;
  }
}

}  // namespace weft::omp

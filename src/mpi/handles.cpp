#include "mpi/handles.hpp"

#include <cstdio>
#include <new>

namespace weft::mpi {
namespace {

using api::mpi::HandleText;
using api::mpi::kHandleKinds;

constexpr Number kTurnMask = (Number{1} << HandleTable::kTurnBits) - 1;

template <std::size_t... kinds>
constexpr std::array<HandleTable, sizeof...(kinds)> tables(std::index_sequence<kinds...> /*of*/) {
  return {HandleTable(static_cast<unsigned>(kinds))...};
}

// For the length of a call, where others may call too.
class Lock {
 public:
  explicit Lock(std::mutex& mutex) noexcept : mutex_(one_thread() ? nullptr : &mutex) {
    if (mutex_ != nullptr) {
      mutex_->lock();
    }
  }
  ~Lock() {
    if (mutex_ != nullptr) {
      mutex_->unlock();
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::mutex* mutex_;
};

bool is_of(const HandleText& text, Number number) noexcept { return number - text.first < text.room; }

}  // namespace

constinit std::array<HandleTable, kHandleKinds> g_tables = tables(std::make_index_sequence<kHandleKinds>{});

HandleTable::Slot* HandleTable::new_slot(Number* index) noexcept {
  // As long as there are few: places are used again as late as that is cheap, and those of thousands are not left over.
  if (first_free_ != 0 && free_ >= kFirstChunk / 2) {
    *index = first_free_ - 1;
    Slot* const found = slot(*index);
    // Relaxed, here and below: the lock's holder alone reads and writes it.
    first_free_ = found->next.load(std::memory_order_relaxed);
    last_free_ = first_free_ == 0 ? 0 : last_free_;
    --free_;
    return found;
  }
  *index = used_.load(std::memory_order_relaxed);
  if (*index == kMost) {
    return nullptr;
  }
  const std::size_t chunk = chunk_of(*index);
  if (chunks_[chunk].load(std::memory_order_relaxed) == nullptr) {
    auto* const made = new (std::nothrow) Slot[std::size_t{kFirstChunk} << chunk]{};
    if (made == nullptr) {
      return nullptr;
    }
    // Release: for slot().
    chunks_[chunk].store(made, std::memory_order_release);
  }
  Slot* const found = slot(*index);
  // Release: who sees the count finds the chunk.
  used_.store(*index + 1, std::memory_order_release);
  return found;
}

Number HandleTable::fill(Slot& slot, Number index, void* object) noexcept {
  // Relaxed: only who holds the lock changes it.
  const Number before = slot.handle.load(std::memory_order_relaxed);
  const Number turn = before == 0 ? 0 : ((before >> kIndexBits) + 1) & kTurnMask;
  const Number handle = kOwn | kind_ << kKindShift | turn << kIndexBits | index;
  slot.handle.store(handle, std::memory_order_relaxed);
  // Release: what the object holds, and its handle, before it can be found.
  slot.object.store(object, std::memory_order_release);
  return handle;
}

Number HandleTable::add(void* object) noexcept {
  const Lock lock(mutex_);
  Number index = 0;
  Slot* const found = new_slot(&index);
  return found == nullptr ? 0 : fill(*found, index, object);
}

void HandleTable::hide(Number handle) noexcept {
  // Relaxed: no other thread looks.
  slot(handle & kIndexMask)->object.store(nullptr, std::memory_order_relaxed);
}

Number HandleTable::show(Number hidden, void* object) noexcept {
  const Number index = hidden & kIndexMask;
  return fill(*slot(index), index, object);
}

void* HandleTable::remove(Number handle) noexcept {
  const Lock lock(mutex_);
  void* const object = find(handle);
  if (object == nullptr) {
    return nullptr;
  }
  give_back(handle);
  return object;
}

// Under the lock.
void HandleTable::give_back(Number hidden) noexcept {
  const Number index = hidden & kIndexMask;
  Slot* const freed = slot(index);
  // Relaxed: who frees a handle that another thread uses meanwhile is wrong whatever the order.
  freed->object.store(nullptr, std::memory_order_relaxed);
  freed->next.store(0, std::memory_order_relaxed);
  if (last_free_ != 0) {
    slot(last_free_ - 1)->next.store(index + 1, std::memory_order_relaxed);
  } else {
    first_free_ = index + 1;
  }
  last_free_ = index + 1;
  ++free_;
}

void* find_object(HandleKind kind, Number number) noexcept {
  if (number < kEndOfPredefined) {
    return is_of(text_of(kind), number) ? g_predefined[number] : nullptr;
  }
  return g_tables[static_cast<std::size_t>(kind)].find(number);
}

Number add_object(HandleKind kind, void* object) noexcept {
  return g_tables[static_cast<std::size_t>(kind)].add(object);
}

void* remove_object(HandleKind kind, Number number) noexcept {
  return g_tables[static_cast<std::size_t>(kind)].remove(number);
}

void hide_object(HandleKind kind, Number number) noexcept { g_tables[static_cast<std::size_t>(kind)].hide(number); }

Number show_object(HandleKind kind, Number hidden, void* object) noexcept {
  return g_tables[static_cast<std::size_t>(kind)].show(hidden, object);
}

void give_back_place(HandleKind kind, Number hidden) noexcept {
  g_tables[static_cast<std::size_t>(kind)].give_back(hidden);
}

void set_predefined(HandleKind kind, Number number, void* object) noexcept {
  if (is_of(text_of(kind), number)) {
    g_predefined[number] = object;
  }
}

const char* name_of_predefined(Number number) noexcept {
  for (const api::mpi::HandleName& each : api::mpi::kHandleNames) {
    if (each.value == number) {
      return each.name;
    }
  }
  return nullptr;
}

void describe_handle(HandleKind kind, const void* handle, char* text, std::size_t size) noexcept {
  const HandleText& wanted = text_of(kind);
  const Number number = number_of(handle);
  if (const char* name = name_of_predefined(number); name != nullptr) {
    (void)std::snprintf(text, size, number == wanted.first ? "is %s" : "is %s, which is not %s", name, wanted.what);
    return;
  }
  for (std::size_t other = 0; other < kHandleKinds; ++other) {
    if (g_tables[other].find(number) != nullptr) {
      (void)std::snprintf(text, size, "is %s, which is not %s", api::mpi::kHandles[other].what, wanted.what);
      return;
    }
  }
  const bool was = number != 0 && number >> HandleTable::kKindShift ==
                                      (HandleTable::kOwn >> HandleTable::kKindShift | static_cast<Number>(kind));
  (void)std::snprintf(text, size, was ? "is %p, which is not %s, or no longer" : "is %p, which is not %s", handle,
                      wanted.what);
}

}  // namespace weft::mpi

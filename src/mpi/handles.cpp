#include "mpi/handles.hpp"

#include <cstdio>
#include <new>

namespace weft::mpi {
namespace {

using api::mpi::HandleText;
using api::mpi::kHandleKinds;

// Free places that are not used again, so that a handle stays unknown for a while.
constexpr Number kFewestFree = 32;

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
  if (first_free_ != 0 && free_ >= kFewestFree) {
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

Number HandleTable::add(void* object) noexcept {
  const Lock lock(mutex_);
  Number index = 0;
  Slot* const found = new_slot(&index);
  return found == nullptr ? 0 : found->show(object, kOwn | kind_ << kKindShift | index);
}

void* HandleTable::remove(Number handle) noexcept {
  const Lock lock(mutex_);
  void* const object = find(handle);
  if (object == nullptr) {
    return nullptr;
  }
  give_back(*slot_of(handle));
  return object;
}

// Under the lock.
void HandleTable::give_back(Slot& freed) noexcept {
  // Relaxed: who frees a handle that another thread uses meanwhile is wrong whatever the order.
  const Number index = freed.handle.load(std::memory_order_relaxed) & kIndexMask;
  freed.object.store(nullptr, std::memory_order_relaxed);
  freed.next.store(0, std::memory_order_relaxed);
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

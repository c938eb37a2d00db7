#include "mpi/attributes.hpp"

#include <algorithm>
#include <climits>
#include <new>

#include "job/node.hpp"
#include "mpi/calls.hpp"
#include "mpi/codes.hpp"
#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/errors.hpp"
#include "mpi/windows.hpp"

namespace weft::mpi {
namespace {

// Keys are numbers like handles, of a kind of their own: one that was freed is found out.
constinit HandleTable g_keyvals(15);

bool is_copying(const Keyval& key) noexcept { return reinterpret_cast<std::uintptr_t>(key.copy) == 1; }

template <class Handle>
int call_copy(const Keyval& key, Number owner, void* value, void** copied, int* flag) noexcept {
  const CallKept kept;
  return reinterpret_cast<int (*)(Handle, int, void*, void*, void*, int*)>(key.copy)(
      handle_of<Handle>(owner), static_cast<int>(key.number), key.extra, value, copied, flag);
}

template <class Handle>
int call_remove(const Keyval& key, Number owner, void* value) noexcept {
  const CallKept kept;
  return reinterpret_cast<int (*)(Handle, int, void*, void*)>(key.remove)(
      handle_of<Handle>(owner), static_cast<int>(key.number), value, key.extra);
}

int copy(const Keyval& key, Number owner, void* value, void** copied, int* flag) noexcept {
  *flag = 0;
  if (key.copy == nullptr) {
    return MPI_SUCCESS;
  }
  if (is_copying(key)) {
    *copied = value;
    *flag = 1;
    return MPI_SUCCESS;
  }
  switch (key.of) {
    case HandleKind::kDatatype: return call_copy<MPI_Datatype>(key, owner, value, copied, flag);
    case HandleKind::kWin: return call_copy<MPI_Win>(key, owner, value, copied, flag);
    default: return call_copy<MPI_Comm>(key, owner, value, copied, flag);
  }
}

int removed(const Keyval& key, Number owner, void* value) noexcept {
  if (key.remove == nullptr) {
    return MPI_SUCCESS;
  }
  switch (key.of) {
    case HandleKind::kDatatype: return call_remove<MPI_Datatype>(key, owner, value);
    case HandleKind::kWin: return call_remove<MPI_Win>(key, owner, value);
    default: return call_remove<MPI_Comm>(key, owner, value);
  }
}

Keyval* find_keyval(HandleKind of, int keyval) noexcept {
  auto* const found = static_cast<Keyval*>(g_keyvals.find(static_cast<Number>(keyval)));
  return found != nullptr && found->of == of ? found : nullptr;
}

bool is_predefined_keyval(int keyval) noexcept {
  return (keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE) || (keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL);
}

int raise_keyval(Watched* on, int keyval) noexcept {
  if (is_predefined_keyval(keyval)) {
    return raise(on, MPI_ERR_KEYVAL, "keyval: %d is predefined, and nobody may change it", keyval);
  }
  return raise(on, MPI_ERR_KEYVAL,
               keyval == MPI_KEYVAL_INVALID ? "keyval: is MPI_KEYVAL_INVALID"
                                            : "keyval: %d is no keyval of its kind, or no longer",
               keyval);
}

int raise_function(Watched* on, const char* what, int keyval, int code) noexcept {
  return code == MPI_SUCCESS ? code : raise(on, code, "the %s function of keyval %d returned %d", what, keyval, code);
}

template <class Copy, class Remove>
int create(HandleKind of, Copy* copy_function, Remove* remove_function, int* keyval, void* extra) noexcept {
  auto* const made = new (std::nothrow) Keyval;
  if (made == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for a keyval");
  }
  made->of = of;
  made->copy = reinterpret_cast<void (*)()>(copy_function);
  made->remove = reinterpret_cast<void (*)()>(remove_function);
  made->extra = extra;
  made->number = g_keyvals.add(made);
  if (made->number == 0) {
    delete made;
    return raise(nullptr, MPI_ERR_NO_MEM, "there are too many keyvals");
  }
  *keyval = static_cast<int>(made->number);
  return MPI_SUCCESS;
}

int free_keyval(HandleKind of, int* keyval) noexcept {
  Keyval* const found = find_keyval(of, *keyval);
  if (found == nullptr) {
    return raise_keyval(nullptr, *keyval);
  }
  *keyval = MPI_KEYVAL_INVALID;
  // Relaxed: it only says which call is the first one.
  if (!found->freed.exchange(true, std::memory_order_relaxed)) {
    drop(*found);
  }
  return MPI_SUCCESS;
}

// Programs get the address of an int: what these are is fixed when the job begins, but the last.
int* predefined(int keyval) noexcept {
  static constinit int tag_ub = INT_MAX;
  static constinit int host = MPI_PROC_NULL;
  static constinit int io = MPI_ANY_SOURCE;
  static constinit int appnum = 0;
  static constinit int global = 0;
  static constinit int universe = 0;
  switch (keyval) {
    case MPI_TAG_UB: return &tag_ub;
    case MPI_IO: return &io;
    case MPI_HOST: return &host;
    case MPI_WTIME_IS_GLOBAL:
      global = job::node().n_local == job::node().n_pes ? 1 : 0;  // one machine has one clock
      return &global;
    case MPI_APPNUM: return &appnum;
    case MPI_LASTUSEDCODE: return last_used_code();
    case MPI_UNIVERSE_SIZE: universe = job::node().n_pes; return &universe;
    default: return nullptr;
  }
}

}  // namespace

Keyval::~Keyval() { (void)g_keyvals.remove(number); }

std::vector<Attributes::Attribute>::iterator Attributes::find(const Keyval& key) noexcept {
  return std::find_if(all_.begin(), all_.end(), [&key](const Attribute& each) { return each.key == &key; });
}

bool Attributes::get(const Keyval& key, void** value) const noexcept {
  const auto found = const_cast<Attributes*>(this)->find(key);
  if (found == all_.end()) {
    return false;
  }
  *value = found->value;
  return true;
}

int Attributes::set(Number owner, Keyval& key, void* value) noexcept {
  if (const auto found = find(key); found != all_.end()) {
    if (const int code = removed(key, owner, found->value); code != MPI_SUCCESS) {
      return code;
    }
    // Its function may have changed the others.
    if (const auto again = find(key); again != all_.end()) {
      again->value = value;
      return MPI_SUCCESS;
    }
  }
  keep(key);
  all_.push_back({&key, value});
  return MPI_SUCCESS;
}

int Attributes::remove(Number owner, const Keyval& key) noexcept {
  const auto found = find(key);
  if (found == all_.end()) {
    return MPI_SUCCESS;
  }
  if (const int code = removed(key, owner, found->value); code != MPI_SUCCESS) {
    return code;
  }
  if (const auto again = find(key); again != all_.end()) {
    Keyval& freed = *again->key;
    all_.erase(again);
    drop(freed);
  }
  return MPI_SUCCESS;
}

int Attributes::remove_all(Number owner) noexcept {
  while (!all_.empty()) {
    if (const int code = remove(owner, *all_.back().key); code != MPI_SUCCESS) {
      return code;
    }
  }
  return MPI_SUCCESS;
}

int Attributes::copy_to(Number owner, Attributes& into) const noexcept {
  const std::vector<Attribute> now = all_;  // functions may set and remove some
  for (const Attribute& each : now) {
    void* copied = nullptr;
    int flag = 0;
    if (const int code = copy(*each.key, owner, each.value, &copied, &flag); code != MPI_SUCCESS) {
      return code;
    }
    if (flag != 0) {
      keep(*each.key);
      into.all_.push_back({each.key, copied});
    }
  }
  return MPI_SUCCESS;
}

int comm_create_keyval(MPI_Comm_copy_attr_function* copy_function, MPI_Comm_delete_attr_function* remove_function,
                       int* keyval, void* extra_state) noexcept {
  return create(HandleKind::kComm, copy_function, remove_function, keyval, extra_state);
}

int comm_free_keyval(int* keyval) noexcept { return free_keyval(HandleKind::kComm, keyval); }

int comm_set_attr(Comm& comm, int keyval, void* attribute_val) noexcept {
  Keyval* const key = find_keyval(HandleKind::kComm, keyval);
  return key == nullptr
             ? raise_keyval(&comm, keyval)
             : raise_function(&comm, "delete", keyval, comm.attributes.set(comm.number, *key, attribute_val));
}

int comm_delete_attr(Comm& comm, int keyval) noexcept {
  const Keyval* const key = find_keyval(HandleKind::kComm, keyval);
  return key == nullptr ? raise_keyval(&comm, keyval)
                        : raise_function(&comm, "delete", keyval, comm.attributes.remove(comm.number, *key));
}

int comm_get_attr(Comm& comm, int keyval, void* attribute_val, int* flag) noexcept {
  if (attribute_val == nullptr) {
    return raise(&comm, MPI_ERR_ARG, "attribute_val: is null");
  }
  auto** const value = static_cast<void**>(attribute_val);
  if (int* const known = predefined(keyval); known != nullptr) {
    *value = known;
    *flag = 1;
    return MPI_SUCCESS;
  }
  const Keyval* const key = find_keyval(HandleKind::kComm, keyval);
  if (key == nullptr) {
    return raise_keyval(&comm, keyval);
  }
  *flag = comm.attributes.get(*key, value) ? 1 : 0;
  return MPI_SUCCESS;
}

int type_create_keyval(MPI_Type_copy_attr_function* copy_function, MPI_Type_delete_attr_function* remove_function,
                       int* keyval, void* extra_state) noexcept {
  return create(HandleKind::kDatatype, copy_function, remove_function, keyval, extra_state);
}

int type_free_keyval(int* keyval) noexcept { return free_keyval(HandleKind::kDatatype, keyval); }

int type_set_attr(Datatype& datatype, int keyval, void* attribute_val) noexcept {
  Keyval* const key = find_keyval(HandleKind::kDatatype, keyval);
  return key == nullptr
             ? raise_keyval(nullptr, keyval)
             : raise_function(nullptr, "delete", keyval, datatype.attributes.set(datatype.number, *key, attribute_val));
}

int type_delete_attr(Datatype& datatype, int keyval) noexcept {
  const Keyval* const key = find_keyval(HandleKind::kDatatype, keyval);
  return key == nullptr ? raise_keyval(nullptr, keyval)
                        : raise_function(nullptr, "delete", keyval, datatype.attributes.remove(datatype.number, *key));
}

int type_get_attr(Datatype& datatype, int keyval, void* attribute_val, int* flag) noexcept {
  if (attribute_val == nullptr) {
    return raise(nullptr, MPI_ERR_ARG, "attribute_val: is null");
  }
  const Keyval* const key = find_keyval(HandleKind::kDatatype, keyval);
  if (key == nullptr) {
    return raise_keyval(nullptr, keyval);
  }
  *flag = datatype.attributes.get(*key, static_cast<void**>(attribute_val)) ? 1 : 0;
  return MPI_SUCCESS;
}

int win_create_keyval(MPI_Win_copy_attr_function* copy_function, MPI_Win_delete_attr_function* remove_function,
                      int* keyval, void* extra_state) noexcept {
  return create(HandleKind::kWin, copy_function, remove_function, keyval, extra_state);
}

int win_free_keyval(int* keyval) noexcept { return free_keyval(HandleKind::kWin, keyval); }

int win_set_attr(Win& win, int keyval, void* attribute_val) noexcept {
  Keyval* const key = find_keyval(HandleKind::kWin, keyval);
  return key == nullptr ? raise_keyval(&win, keyval)
                        : raise_function(&win, "delete", keyval, win.attributes.set(win.number, *key, attribute_val));
}

int win_delete_attr(Win& win, int keyval) noexcept {
  const Keyval* const key = find_keyval(HandleKind::kWin, keyval);
  return key == nullptr ? raise_keyval(&win, keyval)
                        : raise_function(&win, "delete", keyval, win.attributes.remove(win.number, *key));
}

int win_get_attr(Win& win, int keyval, void* attribute_val, int* flag) noexcept {
  if (attribute_val == nullptr) {
    return raise(&win, MPI_ERR_ARG, "attribute_val: is null");
  }
  auto** const value = static_cast<void**>(attribute_val);
  *flag = 1;
  // The base is an address by itself; the others are where the program finds a number.
  switch (keyval) {
    case MPI_WIN_BASE: *value = win.base; return MPI_SUCCESS;
    case MPI_WIN_SIZE: *value = &win.bytes; return MPI_SUCCESS;
    case MPI_WIN_DISP_UNIT: *value = &win.unit; return MPI_SUCCESS;
    case MPI_WIN_CREATE_FLAVOR: *value = &win.flavor; return MPI_SUCCESS;
    case MPI_WIN_MODEL: {
      static int model = MPI_WIN_UNIFIED;
      *value = &model;
      return MPI_SUCCESS;
    }
    default: break;
  }
  const Keyval* const key = find_keyval(HandleKind::kWin, keyval);
  if (key == nullptr) {
    return raise_keyval(&win, keyval);
  }
  *flag = win.attributes.get(*key, value) ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace weft::mpi

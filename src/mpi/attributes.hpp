// Attributes of communicators, datatypes and windows, and the keys that programs make.
#pragma once

#include <mpi.h>

#include <atomic>
#include <vector>

#include "mpi/objects.hpp"

namespace weft::mpi {

struct Watched;
struct Comm;
struct Datatype;

/// Lives until the program has freed it and no object has an attribute of it. So long it may be used and freed again
/// under copies of its handle, as libraries do that find attributes of theirs on other objects (MPI 5.0, 7.7.2: it is
/// freed when all references to it are).
struct Keyval : Object {
  ~Keyval();
  HandleKind of = HandleKind::kComm;
  // As the program gave them: 0 and 1 are the standard's functions that do nothing, and that copy.
  void (*copy)() = nullptr;
  void (*remove)() = nullptr;
  void* extra = nullptr;
  std::atomic<bool> freed = false;  // by the program
};

/// Of one object, in the order in which they were set.
class Attributes {
 public:
  /// False: it has none of that key.
  bool get(const Keyval& key, void** value) const noexcept;
  /// An error of a function of the program's is returned; then nothing has changed.
  int set(Number owner, Keyval& key, void* value) noexcept;
  int remove(Number owner, const Keyval& key) noexcept;
  /// Where the owner goes: the last one set first, as MPI_COMM_SELF's are at MPI_Finalize.
  int remove_all(Number owner) noexcept;
  /// Those that the keys' functions want to be copied into a new object's, which has none. After an error of one the
  /// copies made before are to be removed, with this owner, as the new object never gets a handle.
  int copy_to(Number owner, Attributes& copy) const noexcept;

 private:
  struct Attribute {
    Keyval* key;
    void* value;
  };
  std::vector<Attribute>::iterator find(const Keyval& key) noexcept;

  std::vector<Attribute> all_;
};

int comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* keyval,
                       void* extra_state) noexcept;
int comm_delete_attr(Comm& comm, int keyval) noexcept;
int comm_free_keyval(int* keyval) noexcept;
int comm_get_attr(Comm& comm, int keyval, void* attribute_val, int* flag) noexcept;
int comm_set_attr(Comm& comm, int keyval, void* attribute_val) noexcept;

int type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove, int* keyval,
                       void* extra_state) noexcept;
int type_delete_attr(Datatype& datatype, int keyval) noexcept;
int type_free_keyval(int* keyval) noexcept;
int type_get_attr(Datatype& datatype, int keyval, void* attribute_val, int* flag) noexcept;
int type_set_attr(Datatype& datatype, int keyval, void* attribute_val) noexcept;

}  // namespace weft::mpi

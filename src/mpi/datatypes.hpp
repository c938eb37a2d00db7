// Datatypes: the program's handles over those of the room `type`, and what is asked of them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "mpi/attributes.hpp"
#include "mpi/objects.hpp"
#include "type/datatype.hpp"

namespace weft::mpi {

/// What an element of a predefined datatype is; which operations it has follows.
enum class ElementClass : std::uint8_t { kNone, kInteger, kReal, kComplex, kLogical, kByte, kAddress, kPair };

struct Datatype : Object {
  using Handle = MPI_Datatype;
  static constexpr HandleKind kKind = HandleKind::kDatatype;
  type::Ref type;
  ElementClass element = ElementClass::kNone;
  std::string name;
  Attributes attributes;
  // Of MPI_Type_create_f90_...: which, and with what; else 0.
  int f90 = 0;
  int precision = 0;
  int range = 0;

  /// Nobody may free or change it.
  bool permanent() const noexcept { return is_predefined(number) || f90 != 0; }
};

/// Gives the program a datatype. Null is one that could not be made, and `problem` says why.
int give_type(type::Ref made, type::Problem problem, MPI_Datatype* newtype) noexcept;
/// The handle of one that another one is made of: the standard's where it is predefined, else a new one.
int give_part(const type::Ref& part, MPI_Datatype* handle) noexcept;
/// "MPI_INT", or how the datatype was made; for messages.
std::string text_of(const Datatype& datatype);

/// The predefined datatype, and no other, of whose elements one is made; itself where it is one. Null: there is none.
const Datatype* predefined_in(const Datatype& datatype) noexcept;

void set_up_datatypes() noexcept;

MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) noexcept;
MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) noexcept;
int get_address(const void* location, MPI_Aint* address) noexcept;

int type_commit(MPI_Datatype* datatype) noexcept;
int type_free(MPI_Datatype* datatype) noexcept;
int type_dup(Datatype& oldtype, MPI_Datatype* newtype) noexcept;
int type_get_name(const Datatype* datatype, char* type_name, int* resultlen) noexcept;
int type_set_name(Datatype& datatype, const char* type_name) noexcept;
int type_size(const Datatype& datatype, int* size) noexcept;
int type_size(const Datatype& datatype, MPI_Count* size) noexcept;
int type_get_extent(const Datatype& datatype, MPI_Count* lb, MPI_Count* extent) noexcept;
int type_get_true_extent(const Datatype& datatype, MPI_Count* true_lb, MPI_Count* true_extent) noexcept;

}  // namespace weft::mpi

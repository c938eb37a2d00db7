#include "mpi/datatypes.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mpi/elements.hpp"
#include "mpi/errors.hpp"
#include "type/basic.hpp"
#include "type/make.hpp"

#pragma GCC diagnostic ignored "-Wpedantic"  // __int128 and __float128 of the table

namespace weft::mpi {
namespace {

// Sizes in the form "external32" (MPI 5.0, 14.5.2) that are not those in memory.
constexpr std::pair<Number, std::uint8_t> kExternal[] = {
    {0x20a, 4}, {0x20e, 4}, {0x23c, 2},  // MPI_LONG, MPI_UNSIGNED_LONG, MPI_WCHAR
};

template <class T>
constexpr type::Kind kind_of(ElementClass element) {
  switch (element) {
    case ElementClass::kComplex: return type::Kind::kComplex;
    case ElementClass::kReal: return type::Kind::kReal;
    case ElementClass::kLogical: return type::Kind::kLogical;
    case ElementClass::kByte: return type::Kind::kBytes;
    case ElementClass::kNone:
      return std::is_same_v<T, char> || std::is_same_v<T, wchar_t> ? type::Kind::kCharacter
             : sizeof(T) == 1                                      ? type::Kind::kBytes
                                                                   : type::Kind::kReal;
    default: return std::is_same_v<T, Int128> || std::is_signed_v<T> ? type::Kind::kSigned : type::Kind::kUnsigned;
  }
}

template <class T>
constexpr type::Basic basic_of(std::uint16_t id, ElementClass element, const char* name) {
  const std::size_t size = element == ElementClass::kComplex ? 2 * sizeof(T) : sizeof(T);
  type::Basic basic{.id = id,
                    .kind = kind_of<T>(element),
                    .size = static_cast<std::uint8_t>(size),
                    .alignment = alignof(T),
                    .external = static_cast<std::uint8_t>(size),
                    .quad = std::is_same_v<T, Real16>,
                    .name = name};
  for (const auto& [number, bytes] : kExternal) {
    if (number == id) {
      basic.external = bytes;
    }
  }
  return basic;
}

// The parts of pairs are elements of their own: those that a C struct of the two would be of.
template <class T>
constexpr std::uint16_t id_of() {
  if (std::is_same_v<T, float>) return 0x210;
  if (std::is_same_v<T, double>) return 0x214;
  if (std::is_same_v<T, long double>) return 0x220;
  if (std::is_same_v<T, long>) return 0x20a;
  if (std::is_same_v<T, short>) return 0x208;
  if (std::is_same_v<T, int>) return 0x209;
  return 0x2ca;  // of a complex number of 16 bit parts, which are no C type
}
template <class T>
inline constexpr type::Basic kPart = basic_of<T>(id_of<T>(),
                                                 std::is_integral_v<T> ? ElementClass::kInteger : ElementClass::kReal,
                                                 "part");

struct Predefined {
  MPI_Datatype handle;
  ElementClass element;
  type::Ref type;
};

Datatype* g_all = nullptr;
std::size_t g_count = 0;

int raise_predefined(const Datatype& datatype) noexcept {
  return raise(nullptr, MPI_ERR_TYPE, "datatype: %s is predefined, and nobody may free it", text_of(datatype).c_str());
}

}  // namespace

std::string text_of(const Datatype& datatype) {
  const char* const name = name_of_predefined(datatype.number);
  return name != nullptr ? name : datatype.type->text();
}

int give_type(type::Ref made, type::Problem problem, MPI_Datatype* newtype) noexcept {
  switch (problem) {
    case type::Problem::kNone: break;
    case type::Problem::kNegative:
      return raise(nullptr, MPI_ERR_ARG, "a count, a length or a number of dimensions is negative");
    case type::Problem::kTooLarge:
      return raise(nullptr, MPI_ERR_ARG, "its size, extent or a displacement does not fit in 63 bits");
    case type::Problem::kOutside:
      return raise(nullptr, MPI_ERR_ARG, "a part does not lie in its array, or a rank not in its grid");
    case type::Problem::kTooDeep:
      return raise(nullptr, MPI_ERR_NO_MEM, "oldtype: is nested in %d levels, and there is room for no more",
                   type::kMostNested);
    case type::Problem::kDistribution:
      return raise(nullptr, MPI_ERR_ARG, "there is no such distribution or order, or the grid does not fit");
  }
  auto* const object = new (std::nothrow) Datatype;
  if (object == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for a datatype");
  }
  object->type = std::move(made);
  return publish(object, newtype) ? MPI_SUCCESS : raise(nullptr, MPI_ERR_NO_MEM, "there are too many datatypes");
}

int give_part(const type::Ref& part, MPI_Datatype* handle) noexcept {
  const Datatype* const found =
      std::find_if(g_all, g_all + g_count, [&part](const Datatype& each) { return each.type.get() == part.get(); });
  if (found != g_all + g_count) {
    *handle = handle_of(*found);
    return MPI_SUCCESS;
  }
  return give_type(part, type::Problem::kNone, handle);
}

const Datatype* predefined_in(const Datatype& datatype) noexcept {
  const type::Datatype& whole = *datatype.type;
  const type::Datatype* one = &whole;
  while (one->name() == nullptr && !one->contents().types.empty()) {
    one = one->contents().types.front().get();
  }
  const Datatype* const found =
      std::find_if(g_all, g_all + g_count, [one](const Datatype& each) { return each.type.get() == one; });
  if (found == g_all + g_count || one->size() == 0 || whole.size() % one->size() != 0) {
    return nullptr;
  }
  // A row of one kind of element is known by that; of pairs what is in it, in which order, has to be compared.
  const bool alike = one->uniform() != nullptr
                         ? whole.uniform() == one->uniform()
                         : whole.signature().brief() == one->signature().repeated(whole.size() / one->size()).brief();
  return whole.size() == 0 || alike ? found : nullptr;
}

void set_up_datatypes() noexcept {
#define WEFT_MPI_DATATYPE(name, value, kind, ctype) \
  static constexpr type::Basic k##name = basic_of<ctype>(value, ElementClass::kind, #name);
#include "api/mpi/datatypes.def"
  const Predefined all[] = {
#define WEFT_MPI_DATATYPE(name, value, kind, ctype) {name, ElementClass::kind, type::make_basic(k##name)},
#define WEFT_MPI_PAIR(name, value, kind, first, second) \
  {name, ElementClass::kind, type::make_pair(#name, kPart<first>, kPart<second>)},
#include "api/mpi/datatypes.def"
  };
  g_count = std::size(all);
  g_all = new Datatype[g_count];
  Datatype* next = g_all;
  for (const Predefined& each : all) {
    next->number = number_of(each.handle);
    next->element = each.element;
    next->type = each.type;
    next->type->commit();
    next->name = name_of_predefined(next->number);
    set_predefined(HandleKind::kDatatype, next->number, next);
    ++next;
  }
}

MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) noexcept {
  // Addresses have no sign: nothing overflows.
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}

MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) noexcept {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}

int get_address(const void* location, MPI_Aint* address) noexcept {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

int type_commit(MPI_Datatype* datatype) noexcept {
  const auto* const found = find<Datatype>(*datatype);
  if (found == nullptr) {
    return raise_handle(nullptr, HandleKind::kDatatype, *datatype, "datatype");
  }
  found->type->commit();
  return MPI_SUCCESS;
}

int type_free(MPI_Datatype* datatype) noexcept {
  auto* const found = find<Datatype>(*datatype);
  if (found == nullptr) {
    return raise_handle(nullptr, HandleKind::kDatatype, *datatype, "datatype");
  }
  if (found->permanent()) {
    return raise_predefined(*found);
  }
  if (const int code = found->attributes.remove_all(found->number); code != MPI_SUCCESS) {
    return raise(nullptr, code, "the delete function of an attribute returned %d", code);
  }
  retire(*found, datatype);
  return MPI_SUCCESS;
}

int type_dup(Datatype& oldtype, MPI_Datatype* newtype) noexcept {
  const type::Ref made = type::make_dup(oldtype.type);
  if (oldtype.type->committed()) {
    made->commit();
  }
  auto* const object = new (std::nothrow) Datatype;
  if (object == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "there is no memory for a datatype");
  }
  object->type = made;
  if (const int code = oldtype.attributes.copy_to(oldtype.number, object->attributes); code != MPI_SUCCESS) {
    (void)object->attributes.remove_all(oldtype.number);
    delete object;
    *newtype = MPI_DATATYPE_NULL;
    return raise(nullptr, code, "the copy function of an attribute returned %d", code);
  }
  return publish(object, newtype) ? MPI_SUCCESS : raise(nullptr, MPI_ERR_NO_MEM, "there are too many datatypes");
}

int type_get_name(const Datatype* datatype, char* type_name, int* resultlen) noexcept {
  const std::string_view name = datatype == nullptr ? "MPI_DATATYPE_NULL" : std::string_view(datatype->name);
  std::memcpy(type_name, name.data(), name.size());
  type_name[name.size()] = '\0';
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

int type_set_name(Datatype& datatype, const char* type_name) noexcept {
  datatype.name = std::string_view(type_name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  return MPI_SUCCESS;
}

int type_size(const Datatype& datatype, int* size) noexcept {
  *size = datatype.type->size() <= INT_MAX ? static_cast<int>(datatype.type->size()) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int type_size(const Datatype& datatype, MPI_Count* size) noexcept {
  *size = datatype.type->size();
  return MPI_SUCCESS;
}

int type_get_extent(const Datatype& datatype, MPI_Count* lb, MPI_Count* extent) noexcept {
  *lb = datatype.type->bounds().lb;
  *extent = datatype.type->extent();
  return MPI_SUCCESS;
}

int type_get_true_extent(const Datatype& datatype, MPI_Count* true_lb, MPI_Count* true_extent) noexcept {
  *true_lb = datatype.type->bounds().true_lb;
  *true_extent = datatype.type->bounds().true_ub - datatype.type->bounds().true_lb;
  return MPI_SUCCESS;
}

}  // namespace weft::mpi

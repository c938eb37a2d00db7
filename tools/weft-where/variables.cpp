#include "variables.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace weft::where {
namespace {

struct Unit {
  Dwarf_Die die;
  bool is_fortran;
};

struct Shape {
  const char* kind = "none";
  Dwarf_Word bytes = 0;
  Dwarf_Word element = 0;
  std::vector<Dwarf_Word> extents;
};

std::string in_small(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool is_fortran(Dwarf_Die* unit) {
  switch (dwarf_srclang(unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08: return true;
    default: return false;
  }
}

// Without the names that a program has given to it, const and the like.
bool type_of(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) != nullptr &&
         dwarf_formref_die(&attribute, type) != nullptr && dwarf_peel_type(type, type) == 0;
}

std::optional<Dwarf_Sword> constant(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Sword value = 0;
  if (dwarf_attr_integrate(die, name, &attribute) == nullptr || dwarf_formsdata(&attribute, &value) != 0) return {};
  return value;
}

std::optional<Dwarf_Word> extent_of(Dwarf_Die* range, bool fortran) {
  if (const auto count = constant(range, DW_AT_count)) return static_cast<Dwarf_Word>(*count);
  const auto upper = constant(range, DW_AT_upper_bound);
  const bool has_lower = dwarf_hasattr(range, DW_AT_lower_bound) != 0;
  const auto lower = has_lower ? constant(range, DW_AT_lower_bound) : std::optional<Dwarf_Sword>(fortran ? 1 : 0);
  if (!upper || !lower || *upper < *lower) return {};
  return static_cast<Dwarf_Word>(*upper) - static_cast<Dwarf_Word>(*lower) + 1;
}

// An array's dimensions; false: they are known only when the program runs. An array of arrays has those of both.
bool add_extents(Dwarf_Die* array, bool fortran, Shape& shape, Dwarf_Die* element) {
  Dwarf_Die range;
  for (int more = dwarf_child(array, &range); more == 0; more = dwarf_siblingof(&range, &range)) {
    if (dwarf_tag(&range) != DW_TAG_subrange_type) continue;
    const auto extent = extent_of(&range, fortran);
    if (!extent) return false;
    shape.extents.push_back(*extent);
  }
  if (!type_of(array, element)) return false;
  if (dwarf_tag(element) != DW_TAG_array_type || fortran) return true;
  Dwarf_Die inner = *element;
  return add_extents(&inner, fortran, shape, element);
}

Shape shape_of(Dwarf_Die* variable, bool fortran) {
  Shape shape;
  Dwarf_Die type;
  if (!type_of(variable, &type)) return shape;
  (void)dwarf_aggregate_size(&type, &shape.bytes);
  const int tag = dwarf_tag(&type);
  if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type) shape.kind = "pointer";
  if (tag != DW_TAG_array_type) return shape;
  Dwarf_Die element;
  if (dwarf_hasattr(&type, DW_AT_data_location) != 0 || !add_extents(&type, fortran, shape, &element) ||
      dwarf_aggregate_size(&element, &shape.element) != 0) {
    shape.kind = "allocated";
    return shape;
  }
  const auto ordering = constant(&type, DW_AT_ordering);
  shape.kind = (ordering ? *ordering == DW_ORD_col_major : fortran) ? "columns" : "rows";
  shape.bytes = shape.element;
  for (const Dwarf_Word extent : shape.extents) {
    if (__builtin_mul_overflow(shape.bytes, extent, &shape.bytes)) shape.kind = "none";
  }
  return shape;
}

// As it was linked for; nothing: it has no address of its own. `by_thread`: each thread has one.
std::optional<Dwarf_Addr> address_of(Dwarf_Die* variable, bool* by_thread) {
  Dwarf_Attribute location;
  Dwarf_Op* ops = nullptr;
  std::size_t n = 0;
  *by_thread = false;
  if (dwarf_attr_integrate(variable, DW_AT_location, &location) == nullptr ||
      dwarf_getlocation(&location, &ops, &n) != 0 || n == 0) {
    return {};
  }
  const auto last = ops[n - 1].atom;
  *by_thread = last == DW_OP_form_tls_address || last == DW_OP_GNU_push_tls_address;
  Dwarf_Addr address = ops[0].number;
  if (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) {
    Dwarf_Attribute indexed;
    if (dwarf_getlocation_attr(&location, &ops[0], &indexed) != 0 || dwarf_formaddr(&indexed, &address) != 0) return {};
  } else if (ops[0].atom != DW_OP_addr) {
    return *by_thread ? std::optional<Dwarf_Addr>(0) : std::nullopt;
  }
  if (n == 2 && ops[1].atom == DW_OP_plus_uconst) return address + ops[1].number;
  return n == 1 || *by_thread ? std::optional(address) : std::nullopt;
}

// Of where a definition that stands outside was declared.
std::string scopes_of_declaration(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die declared;
  Dwarf_Die* scopes = nullptr;
  std::string all;
  if (dwarf_attr(variable, DW_AT_specification, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &declared) == nullptr) {
    return all;
  }
  const int n = dwarf_getscopes_die(&declared, &scopes);
  for (int k = 1; k < n; ++k) {
    const char* name = dwarf_diename(&scopes[k]);
    if (dwarf_tag(&scopes[k]) != DW_TAG_compile_unit && name != nullptr) all.insert(0, "::").insert(0, name);
  }
  std::free(scopes);
  return all;
}

class Finder {
 public:
  Finder(const std::vector<std::string>& names, std::vector<std::string>& into) : names_(names), into_(into) {}

  void look(Unit& unit) {
    unit_ = &unit;
    walk(&unit.die, "", 0);
  }

 private:
  static constexpr int kDeepest = 64;

  bool is_wanted(const char* name) const {
    return std::any_of(names_.begin(), names_.end(), [&](const std::string& each) {
      return unit_->is_fortran ? in_small(each) == in_small(name) : each == name;
    });
  }

  void walk(Dwarf_Die* parent, const std::string& scopes, int depth) {
    Dwarf_Die die;
    if (depth > kDeepest || dwarf_child(parent, &die) != 0) return;
    do {
      const char* name = dwarf_diename(&die);
      const std::string named = name == nullptr ? "" : name;
      switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
        case DW_TAG_member:
          if (name != nullptr && is_wanted(name)) add(&die, named, scopes);
          break;
        case DW_TAG_common_block: walk(&die, "/" + named + "/", depth + 1); break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_subprogram: walk(&die, scopes + (named.empty() ? "" : named + "::"), depth + 1); break;
        case DW_TAG_lexical_block: walk(&die, scopes, depth + 1); break;
        default: break;
      }
    } while (dwarf_siblingof(&die, &die) == 0);
  }

  void add(Dwarf_Die* variable, const std::string& name, const std::string& scopes) {
    bool by_thread = false;
    const auto address = address_of(variable, &by_thread);
    if (!address) return;
    const Shape shape = shape_of(variable, unit_->is_fortran);
    const std::string declared = scopes_of_declaration(variable);
    const char* file = dwarf_decl_file(variable);
    if (file == nullptr) file = dwarf_diename(&unit_->die);  // clang counts files in another way than libdw
    int line = 0;
    (void)dwarf_decl_line(variable, &line);
    char numbers[128];
    (void)std::snprintf(numbers, sizeof numbers, ":%d\t%llx\t%llu\t%llu\t", line,
                        static_cast<unsigned long long>(*address), static_cast<unsigned long long>(shape.bytes),
                        static_cast<unsigned long long>(shape.element));
    std::string text = name + "\t" + (declared.empty() ? scopes : declared) + "\t";
    const char* slash = file == nullptr ? nullptr : std::strrchr(file, '/');
    text += file == nullptr ? "?" : slash == nullptr ? file : slash + 1;
    text += numbers + std::string(by_thread ? "thread" : shape.kind) + "\t";
    for (std::size_t k = 0; k < shape.extents.size(); ++k) {
      text += (k == 0 ? "" : ",") + std::to_string(shape.extents[k]);
    }
    into_.push_back(text);
  }

  const std::vector<std::string>& names_;
  std::vector<std::string>& into_;
  Unit* unit_ = nullptr;
};

}  // namespace

std::vector<std::string> variables_named(const Session& session, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  Finder finder(names, found);
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* die = dwfl_nextcu(session.get(), nullptr, &bias); die != nullptr;
       die = dwfl_nextcu(session.get(), die, &bias)) {
    Unit unit{*die, is_fortran(die)};
    finder.look(unit);
  }
  // A member of COMMON is told of by each unit that has it.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace weft::where

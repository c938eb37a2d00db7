#include "mpi/win_elements.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi/handles.hpp"
#include "type/cursor.hpp"
#include "win/far.hpp"

namespace weft::mpi {
namespace {

using win::Change;

constexpr std::size_t kMostInMemory = 2 * kMostElements;  // no element is twice as far from the next as it is long

// By the numbers in a question of another process. Null: there is no such operation on such elements.
struct Named {
  const Op* op = nullptr;
  Element element;
  Change change;
};
bool find_named(std::uint32_t op, std::uint32_t element, Named* named) noexcept {
  const Datatype* const type = is_predefined(element) ? find<Datatype>(handle_of<MPI_Datatype>(element)) : nullptr;
  named->op = is_predefined(op) ? find<Op>(handle_of<MPI_Op>(op)) : nullptr;
  if (type == nullptr || named->op == nullptr || type->type->size() <= 0) {
    return false;
  }
  named->element = element_of(*type);
  return named->element.type == type && change_of(*named->op, *type, &named->change);
}

bool find_far_element(std::uint32_t op, std::uint32_t element, win::FarElement* found) noexcept {
  Named named;
  if (!find_named(op, element, &named)) {
    return false;
  }
  const type::Bounds& bounds = named.element.type->type->bounds();
  *found = {named.element.bytes, named.element.in_memory, static_cast<std::size_t>(bounds.true_ub),
            named.element.is_plain(), named.change};
  return bounds.true_lb == 0 && found->packed <= kMostElements;
}

// Elements in this process's memory, some at a time.
void change_far_elements(std::uint32_t op, std::uint32_t element, std::byte* at, std::size_t count,
                         const std::byte* with, std::byte* before) noexcept {
  Named named;
  if (!find_named(op, element, &named)) {
    return;
  }
  const Element& one = named.element;
  const std::size_t most = kMostElements / one.bytes;
  alignas(64) std::array<std::byte, kMostElements> now;
  for (std::size_t done = 0; done < count; done += most) {
    const std::size_t some = std::min(most, count - done);
    const std::size_t bytes = some * one.bytes;
    const type::Cursor there(*one.type->type, static_cast<MPI_Count>(some));
    std::byte* const here = at + done * one.in_memory;
    there.pack(here, 0, now.data(), bytes);
    if (before != nullptr) {
      std::memcpy(before + done * one.bytes, now.data(), bytes);
    }
    if (with == nullptr || named.change.does == Change::Does::kNothing) {
      continue;
    }
    const std::byte* const in = with + done * one.bytes;
    if (named.change.does == Change::Does::kReplace) {
      there.unpack(here, 0, in, bytes);
      continue;
    }
    combine(one, named.change, in, now.data(), some);
    there.unpack(here, 0, now.data(), bytes);
  }
}

}  // namespace

Element element_of(const Datatype& type) noexcept {
  const Datatype* const found = predefined_in(type);
  if (found == nullptr) {
    return {};
  }
  const type::Datatype& one = *found->type;
  return {found, static_cast<std::size_t>(one.size()), static_cast<std::size_t>(one.extent())};
}

bool change_of(const Op& op, const Datatype& element, Change* change) noexcept {
  if (op.number == number_of(MPI_NO_OP)) {
    change->does = Change::Does::kNothing;
    return true;
  }
  if (op.number == number_of(MPI_REPLACE)) {
    change->does = Change::Does::kReplace;
    return true;
  }
  change->does = Change::Does::kCombine;
  change->kernel = is_predefined(op.number) ? kernel_of(op, element) : nullptr;
  change->adds = op.number == number_of(MPI_SUM) &&
                 (element.element == ElementClass::kInteger || element.element == ElementClass::kAddress);
  return change->kernel != nullptr;
}

// The loops want elements as a program has them: aligned, with what is between their parts.
void combine(const Element& element, const Change& change, const std::byte* with, std::byte* into,
             std::size_t count) noexcept {
  alignas(64) std::array<std::byte, kMostInMemory> mine;
  alignas(64) std::array<std::byte, kMostInMemory> theirs;
  const type::Cursor all(*element.type->type, static_cast<MPI_Count>(count));
  all.unpack(mine.data(), 0, with, count * element.bytes);
  all.unpack(theirs.data(), 0, into, count * element.bytes);
  change.kernel(mine.data(), theirs.data(), count);
  all.pack(theirs.data(), 0, into, count * element.bytes);
}

void set_up_far_elements() noexcept { win::set_far_elements(find_far_element, change_far_elements); }

}  // namespace weft::mpi

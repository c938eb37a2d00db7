#include "type/make.hpp"

#include <algorithm>

#include "type/maker.hpp"

namespace weft::type {
namespace {

void append(std::vector<std::int64_t>* to, Numbers numbers) noexcept {
  to->insert(to->end(), numbers.begin(), numbers.end());
}

bool negative(Numbers numbers) noexcept {
  return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t n) noexcept { return n < 0; });
}

Contents contents_of(Made made, Form form, std::span<const Ref> types) noexcept {
  Contents contents;
  contents.made = made;
  contents.form = form;
  contents.types.assign(types.begin(), types.end());
  return contents;
}

/// Where a routine's counts go, and where its addresses go.
std::vector<std::int64_t>* counts_of(Contents* contents) noexcept {
  return contents->form == Form::kLarge ? &contents->counts : &contents->integers;
}
std::vector<std::int64_t>* addresses_of(Contents* contents) noexcept {
  return contents->form == Form::kLarge ? &contents->counts : &contents->addresses;
}

Ref refused(Problem* problem, Problem why) noexcept {
  *problem = why;
  return {};
}

Ref make_strided(Problem* problem, Contents contents, const Vector& vector, std::int64_t stride,
                 const Ref& of) noexcept {
  if (vector.count < 0 || vector.length < 0) return refused(problem, Problem::kNegative);
  Maker maker(std::move(contents));
  maker.repeat(vector.count, stride, {0, vector.length, of.get()});
  return maker.finish(problem);
}

/// Blocks of one datatype: `unit` bytes to the displacement.
Ref make_scattered(Problem* problem, Contents contents, Numbers lengths, Numbers displacements, std::int64_t unit,
                   const Ref& of) noexcept {
  if (negative(lengths)) return refused(problem, Problem::kNegative);
  Checked checked;
  std::vector<Block> blocks;
  blocks.reserve(displacements.size());
  for (std::size_t k = 0; k < displacements.size(); ++k) {
    const std::int64_t length = lengths.size() == 1 ? lengths[0] : lengths[k];
    blocks.push_back({checked.times(displacements[k], unit), length, of.get()});
  }
  if (checked.too_large()) return refused(problem, Problem::kTooLarge);
  Maker maker(std::move(contents));
  maker.parts(std::move(blocks));
  return maker.finish(problem);
}

}  // namespace

Ref make_basic(const Basic& basic) noexcept {
  Problem none;
  Maker maker({});
  maker.set_name(basic.name, &basic);
  return maker.finish(&none);
}

Ref make_pair(const char* name, const Basic& first, const Basic& second) noexcept {
  Problem none;
  Maker maker({});
  const Ref a = make_basic(first);
  const Ref b = make_basic(second);
  maker.keep(a);
  maker.keep(b);
  const std::int64_t at = (first.size + second.alignment - 1) / second.alignment * second.alignment;
  maker.parts({{0, 1, a.get()}, {at, 1, b.get()}});
  maker.set_name(name, nullptr);
  return maker.finish(&none);
}

Ref make_dup(const Ref& of) noexcept {
  Problem none;
  Maker maker(contents_of(Made::kDup, Form::kSmall, {&of, 1}));
  maker.repeat(1, 0, {0, 1, of.get()});
  return maker.finish(&none);
}

Ref make_contiguous(Problem* problem, std::int64_t count, const Ref& of, Form form) noexcept {
  Contents contents = contents_of(Made::kContiguous, form, {&of, 1});
  append(counts_of(&contents), {&count, 1});
  return make_strided(problem, std::move(contents), {1, count, 0}, 0, of);
}

Ref make_vector(Problem* problem, const Vector& vector, const Ref& of, Form form) noexcept {
  Contents contents = contents_of(Made::kVector, form, {&of, 1});
  const std::int64_t given[] = {vector.count, vector.length, vector.stride};
  append(counts_of(&contents), given);
  Checked checked;
  const std::int64_t stride = checked.times(vector.stride, of->extent());
  if (checked.too_large()) return refused(problem, Problem::kTooLarge);
  return make_strided(problem, std::move(contents), vector, stride, of);
}

Ref make_hvector(Problem* problem, const Vector& vector, const Ref& of, Form form) noexcept {
  Contents contents = contents_of(Made::kHvector, form, {&of, 1});
  const std::int64_t given[] = {vector.count, vector.length};
  append(counts_of(&contents), given);
  append(addresses_of(&contents), {&vector.stride, 1});
  return make_strided(problem, std::move(contents), vector, vector.stride, of);
}

Ref make_indexed(Problem* problem, Numbers lengths, Numbers displacements, const Ref& of, Form form) noexcept {
  Contents contents = contents_of(Made::kIndexed, form, {&of, 1});
  const auto count = static_cast<std::int64_t>(lengths.size());
  append(counts_of(&contents), {&count, 1});
  append(counts_of(&contents), lengths);
  append(counts_of(&contents), displacements);
  return make_scattered(problem, std::move(contents), lengths, displacements, of->extent(), of);
}

Ref make_hindexed(Problem* problem, Numbers lengths, Numbers displacements, const Ref& of, Form form) noexcept {
  Contents contents = contents_of(Made::kHindexed, form, {&of, 1});
  const auto count = static_cast<std::int64_t>(lengths.size());
  append(counts_of(&contents), {&count, 1});
  append(counts_of(&contents), lengths);
  append(addresses_of(&contents), displacements);
  return make_scattered(problem, std::move(contents), lengths, displacements, 1, of);
}

Ref make_indexed_block(Problem* problem, std::int64_t length, Numbers displacements, const Ref& of,
                       Form form) noexcept {
  Contents contents = contents_of(Made::kIndexedBlock, form, {&of, 1});
  const std::int64_t given[] = {static_cast<std::int64_t>(displacements.size()), length};
  append(counts_of(&contents), given);
  append(counts_of(&contents), displacements);
  return make_scattered(problem, std::move(contents), {&length, 1}, displacements, of->extent(), of);
}

Ref make_hindexed_block(Problem* problem, std::int64_t length, Numbers displacements, const Ref& of,
                        Form form) noexcept {
  Contents contents = contents_of(Made::kHindexedBlock, form, {&of, 1});
  const std::int64_t given[] = {static_cast<std::int64_t>(displacements.size()), length};
  append(counts_of(&contents), given);
  append(addresses_of(&contents), displacements);
  return make_scattered(problem, std::move(contents), {&length, 1}, displacements, 1, of);
}

Ref make_struct(Problem* problem, Numbers lengths, Numbers displacements, std::span<const Ref> types,
                Form form) noexcept {
  if (negative(lengths)) return refused(problem, Problem::kNegative);
  Contents contents = contents_of(Made::kStruct, form, types);
  const auto count = static_cast<std::int64_t>(lengths.size());
  append(counts_of(&contents), {&count, 1});
  append(counts_of(&contents), lengths);
  append(addresses_of(&contents), displacements);
  std::vector<Block> blocks;
  blocks.reserve(lengths.size());
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    blocks.push_back({displacements[k], lengths[k], types[k].get()});
  }
  Maker maker(std::move(contents));
  maker.parts(std::move(blocks));
  return maker.finish(problem);
}

Ref make_resized(Problem* problem, std::int64_t lb, std::int64_t extent, const Ref& of, Form form) noexcept {
  Contents contents = contents_of(Made::kResized, form, {&of, 1});
  const std::int64_t given[] = {lb, extent};
  append(addresses_of(&contents), given);
  Maker maker(std::move(contents));
  maker.repeat(1, 0, {0, 1, of.get()});
  maker.set_bounds(lb, extent);
  return maker.finish(problem);
}

}  // namespace weft::type

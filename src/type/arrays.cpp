// Parts of arrays: each dimension, from the one that moves fastest, is a datatype made of that of the dimension before.
#include <algorithm>

#include "type/maker.hpp"

namespace weft::type {
namespace {

/// The indices of one dimension that belong to the part: `count` runs of `length`, `stride` apart, and one shorter one.
struct Indices {
  std::int64_t start = 0;
  std::int64_t length = 0;
  std::int64_t stride = 0;
  std::int64_t count = 1;
  std::int64_t tail_start = 0;
  std::int64_t tail_length = 0;
};

/// A dimension of `size` indices, of which each is an `inner`.
Ref dimension(Problem* problem, const Indices& indices, std::int64_t size, const Ref& inner) noexcept {
  Checked checked;
  const std::int64_t extent = inner->extent();
  const Vector runs{indices.count, indices.length, checked.times(indices.stride, extent)};
  const std::int64_t places[] = {checked.times(indices.start, extent), checked.times(indices.tail_start, extent)};
  const std::int64_t whole = checked.times(size, extent);
  if (checked.too_large()) {
    *problem = Problem::kTooLarge;
    return {};
  }
  const Ref body = make_hvector(problem, runs, inner);
  if (!body) return {};
  const Ref types[] = {body, inner};
  const std::int64_t lengths[] = {1, indices.tail_length};
  const std::size_t parts = indices.tail_length > 0 ? 2 : 1;
  const Ref placed = make_struct(problem, {lengths, parts}, {places, parts}, {types, parts});
  return placed ? make_resized(problem, 0, whole, placed) : placed;
}

/// Which dimension is the k-th from the fastest.
std::size_t nth(std::size_t k, std::size_t dimensions, Order order) noexcept {
  return order == Order::kFortran ? k : dimensions - 1 - k;
}

/// The whole is made as `made` is: one of it, under the routine's own name.
Ref under_name(Problem* problem, Contents contents, const Ref& made) noexcept {
  Maker maker(std::move(contents));
  maker.keep(made);
  maker.repeat(1, 0, {0, 1, made.get()});
  return maker.finish(problem);
}

void append(std::vector<std::int64_t>* to, Numbers numbers) noexcept {
  to->insert(to->end(), numbers.begin(), numbers.end());
}

Problem judge(const Subarray& part) noexcept {
  if (part.sizes.empty()) return Problem::kNegative;
  for (std::size_t k = 0; k < part.sizes.size(); ++k) {
    const std::int64_t size = part.sizes[k];
    if (size < 1 || part.subsizes[k] < 1 || part.subsizes[k] > size || part.starts[k] < 0 ||
        part.starts[k] > size - part.subsizes[k]) {
      return Problem::kOutside;
    }
  }
  return Problem::kNone;
}

Contents contents_of(const Subarray& part, const Ref& of, Form form) noexcept {
  Contents contents;
  contents.made = Made::kSubarray;
  contents.form = form;
  contents.types = {of};
  std::vector<std::int64_t>& sizes = form == Form::kLarge ? contents.counts : contents.integers;
  contents.integers.push_back(static_cast<std::int64_t>(part.sizes.size()));
  append(&sizes, part.sizes);
  append(&sizes, part.subsizes);
  append(&sizes, part.starts);
  contents.integers.push_back(static_cast<std::int64_t>(part.order));
  return contents;
}

Problem judge(const Darray& part) noexcept {
  if (part.global_sizes.empty() || part.size < 1) return Problem::kNegative;
  if (part.rank < 0 || part.rank >= part.size) return Problem::kOutside;
  Checked checked;
  std::int64_t processes = 1;
  for (std::size_t k = 0; k < part.global_sizes.size(); ++k) {
    const std::int64_t size = part.global_sizes[k];
    const std::int64_t argument = part.arguments[k];
    if (size < 1 || part.processes[k] < 1) return Problem::kOutside;
    processes = checked.times(processes, part.processes[k]);
    if (part.deals[k] == Deal::kNone) {
      if (part.processes[k] != 1) return Problem::kDistribution;
      continue;
    }
    if (argument != kDefaultArgument && argument < 1) return Problem::kDistribution;
    // A block on each process has to be enough for all.
    if (part.deals[k] == Deal::kBlock && argument != kDefaultArgument &&
        argument < size / part.processes[k] + (size % part.processes[k] != 0 ? 1 : 0)) {
      return Problem::kDistribution;
    }
  }
  return checked.too_large() || processes != part.size ? Problem::kDistribution : Problem::kNone;
}

/// What process `at` of `processes` has of a dimension.
Indices indices_of(Deal deal, std::int64_t size, std::int64_t argument, std::int64_t processes,
                   std::int64_t at) noexcept {
  Indices mine;
  if (deal == Deal::kNone) {
    mine.length = size;
    return mine;
  }
  if (deal == Deal::kBlock) {
    const std::int64_t block =
        argument != kDefaultArgument ? argument : size / processes + (size % processes != 0 ? 1 : 0);
    // Compared by division: the product may not fit.
    mine.start = at > size / block ? size : std::min(size, at * block);
    mine.length = std::min(block, size - mine.start);
    return mine;
  }
  const std::int64_t block = std::min(argument == kDefaultArgument ? 1 : argument, size);
  if (at > (size - 1) / block) {
    mine.count = 0;
    return mine;
  }
  mine.start = at * block;
  mine.length = block;
  const std::int64_t left = size - mine.start;         // from the first block of this process on
  const bool again = processes <= (left - 1) / block;  // it has a second one
  mine.stride = again ? processes * block : 0;
  const std::int64_t begun = again ? (left - 1) / mine.stride + 1 : 1;
  const std::int64_t last = mine.start + (begun - 1) * mine.stride;
  mine.count = size - last >= block ? begun : begun - 1;
  if (mine.count < begun) {
    mine.tail_start = last;
    mine.tail_length = size - last;
  }
  return mine;
}

Contents contents_of(const Darray& part, const Ref& of, Form form) noexcept {
  Contents contents;
  contents.made = Made::kDarray;
  contents.form = form;
  contents.types = {of};
  contents.integers = {part.size, part.rank, static_cast<std::int64_t>(part.global_sizes.size())};
  append(form == Form::kLarge ? &contents.counts : &contents.integers, part.global_sizes);
  for (const Deal deal : part.deals) contents.integers.push_back(static_cast<std::int64_t>(deal));
  append(&contents.integers, part.arguments);
  append(&contents.integers, part.processes);
  contents.integers.push_back(static_cast<std::int64_t>(part.order));
  return contents;
}

}  // namespace

Ref make_subarray(Problem* problem, const Subarray& part, const Ref& of, Form form) noexcept {
  if (*problem = judge(part); *problem != Problem::kNone) return {};
  Ref made = of;
  for (std::size_t k = 0; k < part.sizes.size() && made; ++k) {
    const std::size_t n = nth(k, part.sizes.size(), part.order);
    made = dimension(problem, {part.starts[n], part.subsizes[n]}, part.sizes[n], made);
  }
  return made ? under_name(problem, contents_of(part, of, form), made) : made;
}

Ref make_darray(Problem* problem, const Darray& part, const Ref& of, Form form) noexcept {
  if (*problem = judge(part); *problem != Problem::kNone) return {};
  const std::size_t dimensions = part.global_sizes.size();
  // The grid is always in the order of C, whatever the order of the array.
  std::vector<std::int64_t> at(dimensions);
  std::int64_t rest = part.rank;
  for (std::size_t k = dimensions; k-- > 0;) {
    at[k] = rest % part.processes[k];
    rest /= part.processes[k];
  }
  Ref made = of;
  for (std::size_t k = 0; k < dimensions && made; ++k) {
    const std::size_t n = nth(k, dimensions, part.order);
    const Indices mine = indices_of(part.deals[n], part.global_sizes[n], part.arguments[n], part.processes[n], at[n]);
    made = dimension(problem, mine, part.global_sizes[n], made);
  }
  return made ? under_name(problem, contents_of(part, of, form), made) : made;
}

}  // namespace weft::type

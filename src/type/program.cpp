#include "type/program.hpp"

#include <algorithm>
#include <unordered_map>

namespace weft::type {

// Steps are values until they are somebody's body: only then they get a place in the program.
class Compiler {
 public:
  explicit Compiler(Program* program) noexcept : program_(*program) {}

  /// What it is made of is compiled before it: recursion would have one frame for each level.
  Step compile(const Datatype& type) noexcept;
  std::uint32_t put(const Step& step) noexcept {
    program_.steps_.push_back(step);
    return static_cast<std::uint32_t>(program_.steps_.size() - 1);
  }

 private:
  bool push_parts(const Datatype& type, std::vector<const Datatype*>* waiting) const noexcept;
  Step compile_one(const Datatype& type) noexcept;
  Step block_of(const Block& block) noexcept;
  Step repeat(std::int64_t count, std::int64_t stride, const Step& body) noexcept;
  Step parts(std::vector<Step> steps) noexcept;
  Step equal_parts(const std::vector<Step>& steps) noexcept;
  Step spans(const std::vector<Step>& steps) noexcept;
  Step sequence(const std::vector<Step>& steps) noexcept;
  bool same_but_place(const Step& a, const Step& b) const noexcept;

  Program& program_;
  // Thousands of blocks of one datatype share its steps.
  std::unordered_map<const Datatype*, Step> compiled_;
};

namespace {

Step nothing() noexcept { return {}; }

/// Runs that touch become one; what has no bytes is left out.
void merge(std::vector<Step>* steps) noexcept {
  std::size_t kept = 0;
  for (const Step& step : *steps) {
    if (step.bytes == 0) continue;
    Step* before = kept == 0 ? nullptr : &(*steps)[kept - 1];
    if (before != nullptr && before->what == Step::What::kRun && step.what == Step::What::kRun &&
        before->at + before->bytes == step.at) {
      before->bytes += step.bytes;
    } else {
      (*steps)[kept++] = step;
    }
  }
  steps->resize(kept);
}

/// Their distance, if there is one.
bool evenly_spaced(const std::vector<Step>& steps, std::int64_t* stride) noexcept {
  *stride = steps[1].at - steps[0].at;
  for (std::size_t k = 2; k < steps.size(); ++k) {
    if (steps[k].at - steps[k - 1].at != *stride) return false;
  }
  return true;
}

}  // namespace

bool Compiler::same_but_place(const Step& a, const Step& b) const noexcept {
  Step moved = b;
  moved.at = a.at;
  if (a == moved) return true;
  // Each block of a datatype has a loop of its own whose body is an equal run.
  return a.what == Step::What::kRepeat && b.what == a.what && a.count == b.count && a.stride == b.stride &&
         a.bytes == b.bytes && program_.body(a) == program_.body(b) && program_.body(a).what == Step::What::kRun;
}

Step Compiler::repeat(std::int64_t count, std::int64_t stride, const Step& body) noexcept {
  if (count == 0 || body.bytes == 0) return nothing();
  if (count == 1) return body;
  Step result;
  result.at = body.at;
  result.bytes = count * body.bytes;
  if (body.what == Step::What::kRun && stride == body.bytes) return result;  // side by side
  result.what = Step::What::kRepeat;
  result.count = count;
  result.stride = stride;
  // What lies behind the last one need not have an address.
  std::int64_t next = 0;
  if (body.what == Step::What::kRepeat && !__builtin_mul_overflow(body.count, body.stride, &next) && stride == next) {
    result.count = count * body.count;
    result.stride = body.stride;
    result.body = body.body;
    return result;
  }
  Step inner = body;
  inner.at = 0;
  result.body = put(inner);
  return result;
}

Step Compiler::block_of(const Block& block) noexcept {
  Step step = repeat(block.length, block.type->extent(), compiled_.find(block.type)->second);
  step.at += block.at;
  return step;
}

Step Compiler::equal_parts(const std::vector<Step>& steps) noexcept {
  std::int64_t stride = 0;
  if (evenly_spaced(steps, &stride)) return repeat(static_cast<std::int64_t>(steps.size()), stride, steps[0]);
  Step result;
  result.what = Step::What::kPlaces;
  result.count = static_cast<std::int64_t>(steps.size());
  result.bytes = result.count * steps[0].bytes;
  result.first = program_.places_.size();
  for (const Step& step : steps) program_.places_.push_back(step.at);
  Step inner = steps[0];
  inner.at = 0;
  result.body = put(inner);
  return result;
}

Step Compiler::spans(const std::vector<Step>& steps) noexcept {
  Step result;
  result.what = Step::What::kSpans;
  result.count = static_cast<std::int64_t>(steps.size());
  // One index for both lists: the places are as many as the starts, with one that nobody reads.
  const std::size_t first = std::max(program_.places_.size(), program_.starts_.size());
  program_.places_.resize(first);
  program_.starts_.resize(first);
  result.first = first;
  for (const Step& step : steps) {
    program_.places_.push_back(step.at);
    program_.starts_.push_back(result.bytes);
    result.bytes += step.bytes;
  }
  program_.starts_.push_back(result.bytes);
  return result;
}

Step Compiler::sequence(const std::vector<Step>& steps) noexcept {
  std::vector<std::uint32_t> indices;
  indices.reserve(steps.size());
  for (const Step& step : steps) indices.push_back(put(step));
  Step result;
  result.what = Step::What::kSequence;
  result.count = static_cast<std::int64_t>(steps.size());
  result.body = static_cast<std::uint32_t>(program_.sequence_.size());
  result.first = program_.starts_.size();
  program_.sequence_.insert(program_.sequence_.end(), indices.begin(), indices.end());
  for (const Step& step : steps) {
    program_.starts_.push_back(result.bytes);
    result.bytes += step.bytes;
  }
  program_.starts_.push_back(result.bytes);
  return result;
}

Step Compiler::parts(std::vector<Step> steps) noexcept {
  merge(&steps);
  if (steps.empty()) return nothing();
  if (steps.size() == 1) return steps[0];
  const bool equal = std::all_of(steps.begin(), steps.end(),
                                 [&](const Step& step) noexcept { return same_but_place(steps[0], step); });
  if (equal) return equal_parts(steps);
  const bool runs =
      std::all_of(steps.begin(), steps.end(), [](const Step& step) noexcept { return step.what == Step::What::kRun; });
  return runs ? spans(steps) : sequence(steps);
}

// True: there are some that are not compiled yet.
bool Compiler::push_parts(const Datatype& type, std::vector<const Datatype*>* waiting) const noexcept {
  const std::size_t before = waiting->size();
  const auto push = [&](const Block& block) noexcept {
    if (waiting->back() != block.type && compiled_.find(block.type) == compiled_.end()) waiting->push_back(block.type);
  };
  if (type.basic() != nullptr) return false;
  if (!type.repeats()) {
    std::for_each(type.parts().begin(), type.parts().end(), push);
  } else if (type.count() > 0) {
    push(type.block());
  }
  return waiting->size() > before;
}

Step Compiler::compile(const Datatype& type) noexcept {
  std::vector<const Datatype*> waiting{&type};
  while (!waiting.empty()) {
    const Datatype* const next = waiting.back();
    if (compiled_.find(next) != compiled_.end()) {
      waiting.pop_back();
    } else if (!push_parts(*next, &waiting)) {
      compiled_.emplace(next, compile_one(*next));
      waiting.pop_back();
    }
  }
  return compiled_.find(&type)->second;
}

Step Compiler::compile_one(const Datatype& type) noexcept {
  Step step;
  if (type.basic() != nullptr) {
    step.bytes = type.size();
  } else if (type.repeats()) {
    step = type.count() == 0 ? nothing() : repeat(type.count(), type.stride(), block_of(type.block()));
  } else {
    std::vector<Step> steps;
    steps.reserve(type.parts().size());
    std::unordered_map<const Datatype*, std::pair<std::int64_t, Step>> last;  // blocks of the same length
    for (const Block& block : type.parts()) {
      auto& [length, made] = last[block.type];
      if (made.bytes == 0 || length != block.length) {
        length = block.length;
        made = block_of({0, block.length, block.type});
      }
      steps.push_back(made);
      steps.back().at += block.at;
    }
    step = parts(std::move(steps));
  }
  return step;
}

Program::Program(const Datatype& type) noexcept {
  Compiler compiler(this);
  root_ = compiler.put(compiler.compile(type));
  steps_.shrink_to_fit();
  count_runs();
}

// What a step is made of has been put before it. Runs are no more than bytes, of which 2^63 is the end.
void Program::count_runs() noexcept {
  std::vector<std::int64_t> runs(steps_.size());
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    switch (step.what) {
      case Step::What::kRun: runs[k] = 1; break;
      case Step::What::kRepeat:
      case Step::What::kPlaces: runs[k] = step.count * runs[step.body]; break;
      case Step::What::kSpans: runs[k] = step.count; break;
      case Step::What::kSequence:
        for (std::int64_t part = 0; part < step.count; ++part) {
          runs[k] += runs[sequence_[step.body + static_cast<std::size_t>(part)]];
        }
    }
  }
  runs_ = runs[root_];
}

}  // namespace weft::type

#include <algorithm>
#include <vector>

#include "generate_fortran.hpp"
#include "source.hpp"
#include "statement.hpp"

namespace weft::source {
namespace {

using base::Error;
using base::Result;
using omp::mapping::trimmed;

constexpr const char* kBeforeLoop = "affinity stands before a !$omp do or parallel do, which its loop follows";

// A line as it stands there, and what it says.
struct Line {
  std::string_view whole;  // with its end
  std::string_view text;   // of the statement or directive
  enum class Is : std::uint8_t { kComment, kStatement, kContinuation, kOurs, kOmp } is = Is::kComment;
  bool goes_on = false;  // of a directive: in the next line
};

class Rewriter {
 public:
  Rewriter(std::string_view text, const std::string& name, bool fixed) : name_(name), fixed_(fixed) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      lines_.push_back(read(text.substr(0, end)));
      text.remove_prefix(end);
    }
  }

  Result<std::string> run() {
    mark(1);
    for (std::size_t k = 0; k < lines_.size();) {
      if (const auto done = step(k); !done) return done.error();
    }
    if (has_affinity_) return wrong(affinity_line_, kBeforeLoop);
    return pending_.empty() ? Result<std::string>(out_) : Result<std::string>(no_statements());
  }

 private:
  Error wrong(std::size_t line, const char* text) const {
    return Error::make("%s:%zu: %s", name_.c_str(), line + 1, text);
  }
  Error no_statements() const {
    return wrong(pending_line_,
                 "mapping stands where there are no statements, as in a module; put it in the program or a "
                 "procedure that uses the array");
  }

  // Of what kind a line is by its first characters, the sentinel behind ! in small letters.
  Line read(std::string_view whole) const {
    Line line;
    line.whole = whole;
    const std::string_view bare = trimmed(whole);
    if (bare.empty() || bare[0] == '#') return line;
    const bool has_mark =
        fixed_ ? whole[0] == 'c' || whole[0] == 'C' || whole[0] == '*' || bare[0] == '!' : bare[0] == '!';
    if (has_mark) return read_comment(line, bare);
    if (fixed_) {
      const bool is_plain = whole.find('\t') < 6 || whole.size() < 6 || whole[5] == ' ' || whole[5] == '0';
      line.is = is_plain ? Line::Is::kStatement : Line::Is::kContinuation;
    } else {
      line.is = Line::Is::kStatement;
    }
    line.text = bare;
    while (!line.text.empty() && line.text[0] >= '0' && line.text[0] <= '9') line.text.remove_prefix(1);
    line.text = trimmed(line.text);
    return line;
  }

  Line read_comment(Line line, std::string_view bare) const {
    const std::string small = in_small(bare.substr(1, 6));
    if (small.starts_with("$ ")) {
      line.is = Line::Is::kStatement;
      line.text = trimmed(bare.substr(2));
    } else if (small.starts_with("$omni") || small.starts_with("$weft") || small.starts_with("$omp")) {
      const std::size_t end = small.starts_with("$omp") ? 5 : 6;
      // Behind it a blank begins a directive, and another character goes on with it.
      line.is = end == 5 ? Line::Is::kOmp : Line::Is::kOurs;
      line.text = trimmed(bare.substr(std::min(end, bare.size())));
      if (line.text.starts_with("&")) line.text = trimmed(line.text.substr(1));
      line.goes_on = line.text.ends_with("&");
      if (line.goes_on) line.text.remove_suffix(1);
    }
    return line;
  }

  // Whether the directive of the line goes on in the next one: by & at its end, or in column 6 there.
  bool has_more(std::size_t k) const {
    if (k + 1 == lines_.size() || lines_[k + 1].is != lines_[k].is) return false;
    const std::string_view next = lines_[k + 1].whole;
    return lines_[k].goes_on || (fixed_ && next.size() > 6 && next[5] != ' ' && next[5] != '0' && next[5] != '\n' &&
                                 lines_[k].is == Line::Is::kOmp);
  }

  Result<void> step(std::size_t& k) {
    const std::size_t from = k;
    std::string joined(lines_[k].text);
    const bool is_directive = lines_[k].is == Line::Is::kOurs || lines_[k].is == Line::Is::kOmp;
    while (is_directive && has_more(k)) joined += " " + std::string(lines_[++k].text);
    ++k;
    if (lines_[from].is == Line::Is::kOurs) return directive(joined, from, k);
    if (has_affinity_ && lines_[from].is == Line::Is::kStatement) return wrong(affinity_line_, kBeforeLoop);
    if (lines_[from].is == Line::Is::kOmp) {
      const auto told = openmp(joined, from, k);
      if (!told) return told.error();
      if (*told) return {};
      const std::string small = in_small(joined);
      const bool is_declaration = small.starts_with("threadprivate") || small.starts_with("declare") ||
                                  small.starts_with("requires") || small.starts_with("allocate");
      if (!is_declaration) begin_execution(from);
    } else if (lines_[from].is == Line::Is::kStatement && !is_continued(from)) {
      if (const auto done = statement(from); !done) return done;
    }
    for (std::size_t each = from; each < k; ++each) out_ += lines_[each].whole;
    return {};
  }

  // In free form the line before says so. A quote with & at its end is taken for one, too.
  bool is_continued(std::size_t k) const {
    if (fixed_) return false;
    while (k > 0 && lines_[k - 1].is == Line::Is::kComment) --k;
    if (k == 0) return false;
    const std::string_view before = lines_[k - 1].text;
    const std::string_view code = trimmed(before.substr(0, before.find('!')));
    return lines_[k - 1].is == Line::Is::kStatement && (code.ends_with("&") || before.ends_with("&"));
  }

  Result<void> statement(std::size_t k) {
    const Statement is = statement_of(lines_[k].text);
    if (is == Statement::kInner) inner_ = true;
    if (is == Statement::kEndInner) inner_ = false;
    if (inner_ || is == Statement::kEndInner || is == Statement::kSpecification) return {};
    if (is == Statement::kExecutable) {
      begin_execution(k);
      return {};
    }
    // The unit has no more statements of its own, or another one begins.
    if (in_module_ && !pending_.empty()) return no_statements();
    begin_execution(k);
    executing_ = false;
    in_module_ = is == Statement::kModule;
    return {};
  }

  void begin_execution(std::size_t line) {
    executing_ = true;
    if (pending_.empty()) return;
    out_ += pending_;
    pending_.clear();
    mark(line + 1);
  }

  void mark(std::size_t line) { out_ += marker(name_, line); }

  // A directive of OpenMP, whose loop may have been told of by the line before, or by a clause. False: it has not.
  Result<bool> openmp(std::string text, std::size_t from, std::size_t to) {
    std::string array = take_affinity(text);
    if (!has_affinity_ && array.empty()) return false;
    if (has_affinity_) {
      if (!array.empty() || has_clause(text, "schedule")) {
        return wrong(from, "affinity and a schedule are said of one loop; leave one of them out");
      }
      array = affinity_;
      text += " schedule(runtime)";
    }
    has_affinity_ = false;
    begin_execution(from);
    const auto call = affinity_call(text, array, from, to);
    if (!call) return wrong(from, call.error().text());
    out_ += *call;
    mark(from + 1);
    out_ += omp_in_fortran(text, fixed_);
    mark(to + 1);
    return true;
  }

  Result<std::string> affinity_call(const std::string& text, const std::string& array, std::size_t from,
                                    std::size_t to) const {
    if (!has_clause(text, "do") || has_clause(text, "end")) return Error::make("%s", kBeforeLoop);
    if (has_clause(text, "collapse")) {
      return Error::make("affinity and collapse are said of one loop; leave one of them out");
    }
    const auto parsed = omp::mapping::parse_affinity(array, true);
    if (!parsed) return parsed.error();
    std::size_t next = to;
    while (next < lines_.size() && lines_[next].is == Line::Is::kComment) ++next;
    const auto loop = read_do(next < lines_.size() ? lines_[next].text : std::string_view());
    if (!loop) return loop.error();
    const auto index = std::find_if(parsed->subscripts.begin(), parsed->subscripts.end(),
                                    [](const auto& each) { return !each.index.empty(); });
    if (in_small(index->index) != in_small(loop->variable)) {
      return Error::make("affinity: the variable of the loop is %.60s, and the array's subscript %.60s",
                         loop->variable.c_str(), index->index.c_str());
    }
    return affinity_in_fortran(*parsed, *loop, name_, from + 1, fixed_);
  }

  Result<void> directive(const std::string& joined, std::size_t from, std::size_t to) {
    const std::string small = in_small(joined);
    if (has_affinity_) return wrong(affinity_line_, kBeforeLoop);
    const bool is_affinity = small.starts_with("affinity");
    const std::string_view inside =
        trimmed(std::string_view(joined).substr(std::min<std::size_t>(is_affinity ? 8 : 7, joined.size())));
    if ((!small.starts_with("mapping") && !is_affinity) || inside.size() < 2 || inside.front() != '(' ||
        inside.back() != ')') {
      return wrong(from, "there is mapping(...), as in mapping(u(*,block)), and affinity(...), as in affinity(u(*,j))");
    }
    if (is_affinity) {
      affinity_ = inside.substr(1, inside.size() - 2);
      has_affinity_ = true;
      affinity_line_ = from;
      for (std::size_t k = from; k < to; ++k) out_ += "\n";
      return {};
    }
    const auto all = omp::mapping::parse_directive(inside.substr(1, inside.size() - 2), true);
    if (!all) return wrong(from, all.error().text());
    std::string calls;
    for (const auto& each : *all) {
      const auto call = mapping_in_fortran(each, name_, from + 1, fixed_);
      if (!call) return wrong(from, call.error().text());
      calls += *call;
    }
    if (executing_) {
      out_ += calls;
      mark(to + 1);
    } else {
      pending_ += calls;
      pending_line_ = from;
      // As many lines as there were.
      for (std::size_t k = from; k < to; ++k) out_ += "\n";
    }
    return {};
  }

  const std::string& name_;
  bool fixed_;
  std::vector<Line> lines_;
  std::string out_;
  std::string pending_;  // calls that wait for the first statement that is carried out
  std::size_t pending_line_ = 0;
  std::string affinity_;
  std::size_t affinity_line_ = 0;
  bool has_affinity_ = false;  // its loop has not come yet
  bool executing_ = false;
  bool in_module_ = false;
  bool inner_ = false;  // in an interface or the definition of a type
};

}  // namespace

Result<std::string> rewrite_fortran(std::string_view text, const std::string& name, bool fixed) {
  return Rewriter(text, name, fixed).run();
}

}  // namespace weft::source

#include <algorithm>
#include <cctype>
#include <vector>

#include "generate_c.hpp"
#include "source.hpp"

namespace weft::source {
namespace {

using base::Error;
using base::Result;
using omp::mapping::trimmed;

constexpr const char* kBeforeLoop = "affinity stands before a #pragma omp for or parallel for, which its loop follows";

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The word at the beginning, which is taken off.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && is_word_char(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

class Rewriter {
 public:
  Rewriter(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<std::string> run() {
    out_ = "#include <weft/omp_directives.h>\n#line 1 " + quoted(name_) + "\n";
    while (at_ < text_.size()) {
      const std::size_t from = at_;
      const int line = line_;
      if (begins_directive()) {
        const std::string joined = take_logical_line();
        if (const auto done = directive(joined, text_.substr(from, at_ - from), line); !done) return done.error();
      } else {
        last_seen_ = last_;
        last_ = '\0';
        skip_code_line();
        if (last_ == '\0') {
          last_ = last_seen_;
        } else if (affinity_line_ != 0) {
          return wrong(affinity_line_, kBeforeLoop);
        }
        out_ += text_.substr(from, at_ - from);
      }
    }
    if (affinity_line_ != 0) return wrong(affinity_line_, kBeforeLoop);
    return out_;
  }

 private:
  bool begins_directive() const {
    const std::size_t first = text_.find_first_not_of(" \t", at_);
    return first != std::string_view::npos && text_[first] == '#';
  }

  bool is_spliced(std::size_t newline) const {
    std::size_t before = newline;
    if (before > at_ && text_[before - 1] == '\r') --before;
    return before > at_ && text_[before - 1] == '\\';
  }

  // With the lines that a backslash joins, and without comments; it goes on to behind them.
  std::string take_logical_line() {
    std::string joined;
    std::size_t end = at_;
    for (;;) {
      end = std::min(text_.find('\n', end), text_.size());
      const bool goes_on = end < text_.size() && is_spliced(end);
      if (!goes_on) break;
      ++end;
    }
    while (at_ < end) {
      const std::string_view rest = text_.substr(at_, end - at_);
      if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
        joined += ' ';
        at_ += rest[1] == '\n' ? 2 : 3;
        ++line_;
      } else if (rest.starts_with("//")) {
        count_lines(rest);
        at_ = end;
      } else if (rest.starts_with("/*")) {
        // It may end lines later, and the directive with it.
        const std::size_t close =
            std::min(text_.find("*/", at_ + 2), text_.size() - std::min<std::size_t>(2, text_.size()));
        count_lines(text_.substr(at_, close - at_));
        at_ = std::min(close + 2, text_.size());
        joined += ' ';
        if (at_ > end) end = std::min(text_.find('\n', at_), text_.size());
      } else {
        joined += rest[0];
        ++at_;
      }
    }
    if (at_ < text_.size()) {
      ++at_;
      ++line_;
    }
    return joined;
  }

  void count_lines(std::string_view text) { line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

  // To behind the end of a line that is outside of comments and raw strings.
  void skip_code_line() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
        return;
      }
      if (text_.substr(at_).starts_with("//")) {
        const std::size_t from = at_;
        at_ = std::min(text_.find('\n', at_), text_.size());
        while (at_ < text_.size() && is_spliced(at_)) at_ = std::min(text_.find('\n', at_ + 1), text_.size());
        count_lines(text_.substr(from, at_ - from));
      } else if (text_.substr(at_).starts_with("/*")) {
        skip_to(std::min(text_.find("*/", at_ + 2), text_.size()), 2);
      } else if (c == '"' && at_ > 0 && text_[at_ - 1] == 'R' && (at_ < 2 || !is_word_char(text_[at_ - 2]))) {
        const std::size_t open = std::min(text_.find('(', at_), text_.size());
        const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
        skip_to(std::min(text_.find(close, open), text_.size()), close.size());
      } else if (c == '"' || (c == '\'' && (at_ == 0 || !is_word_char(text_[at_ - 1])))) {
        skip_quoted(c);
      } else {
        if (std::isspace(static_cast<unsigned char>(c)) == 0) see(c);
        ++at_;
      }
    }
  }

  void see(char c) {
    const bool goes_on = is_word_char(c) && at_ > 0 && is_word_char(text_[at_ - 1]);
    last_word_ = goes_on ? last_word_ + c : is_word_char(c) ? std::string(1, c) : "";
    last_ = c;
  }

  void skip_to(std::size_t end, std::size_t more) {
    end = std::min(end + more, text_.size());
    count_lines(text_.substr(at_, end - at_));
    at_ = end;
  }

  void skip_quoted(char quote) {
    see(quote);
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\n') return;  // it has no end, which the compiler will say
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        line_ += text_[at_] == '\n' ? 1 : 0;
      }
    }
    at_ += at_ < text_.size() ? 1 : 0;
  }

  Error wrong(int line, const char* text) const { return Error::make("%s:%d: %s", name_.c_str(), line, text); }

  // In the place of the lines `whole`.
  void replace(const std::string& by, std::string_view whole) {
    out_ += by;
    out_.append(static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n')), '\n');
  }

  Result<void> directive(std::string_view joined, std::string_view whole, int line) {
    std::string_view rest = trimmed(joined).substr(1);
    const bool is_pragma = take_word(rest) == "pragma";
    const std::string_view sentinel = is_pragma ? take_word(rest) : std::string_view();
    if (sentinel == "omp") return openmp(std::string(trimmed(rest)), whole, line);
    if (sentinel != "omni" && sentinel != "weft") {
      out_ += whole;
      return {};
    }
    if (affinity_line_ != 0) return wrong(affinity_line_, kBeforeLoop);
    const std::string_view word = take_word(rest);
    rest = trimmed(rest);
    if ((word != "mapping" && word != "affinity") || rest.size() < 2 || rest.front() != '(' || rest.back() != ')') {
      return Error::make(
          "%s:%d: #pragma %.*s: there is mapping(...), as in mapping(u[*][block]), and affinity(...), as in "
          "affinity(u[i][*])",
          name_.c_str(), line, static_cast<int>(sentinel.size()), sentinel.data());
    }
    if (word == "affinity") {
      affinity_ = rest.substr(1, rest.size() - 2);
      affinity_line_ = line;
      replace("", whole);
      return {};
    }
    return mapping(rest.substr(1, rest.size() - 2), whole, line);
  }

  // A directive of OpenMP, whose loop may have been told of by the line before, or by a clause.
  Result<void> openmp(std::string text, std::string_view whole, int line) {
    std::string array = take_affinity(text);
    if (affinity_line_ == 0 && array.empty()) {
      out_ += whole;
      return {};
    }
    if (affinity_line_ != 0) {
      if (!array.empty() || has_clause(text, "schedule")) {
        return wrong(line, "affinity and a schedule are said of one loop; leave one of them out");
      }
      array = affinity_;
      text += " schedule(runtime)";
    }
    affinity_line_ = 0;
    const auto call = affinity_call(text, array);
    if (!call) return wrong(line, call.error().text());
    out_ += *call + "\n#line " + std::to_string(line) + " " + quoted(name_) + "\n";
    replace("#pragma omp " + text, whole);
    return {};
  }

  Result<std::string> affinity_call(const std::string& text, const std::string& array) const {
    if (!has_clause(text, "for")) return Error::make("%s", kBeforeLoop);
    if (has_clause(text, "collapse")) {
      return Error::make("affinity and collapse are said of one loop; leave one of them out");
    }
    if (last_ == ')' || last_word_ == "else" || last_word_ == "do") {
      return Error::make("affinity: put braces around the loop and its directive, as a call stands before them");
    }
    const auto parsed = omp::mapping::parse_affinity(array, false);
    if (!parsed) return parsed.error();
    const auto loop = next_loop();
    if (!loop) return loop.error();
    const auto index = std::find_if(parsed->subscripts.begin(), parsed->subscripts.end(),
                                    [](const auto& each) { return !each.index.empty(); });
    if (index->index != loop->variable) {
      return Error::make("affinity: the variable of the loop is %.60s, and the array's subscript %.60s",
                         loop->variable.c_str(), index->index.c_str());
    }
    return affinity_in_c(*parsed, *loop);
  }

  // The loop behind a directive; other directives may stand between.
  Result<Loop> next_loop() const {
    std::string_view rest = text_.substr(at_);
    for (;;) {
      rest = trimmed(rest);
      const std::size_t line = std::min(rest.find('\n'), rest.size());
      if (rest.starts_with("//") || rest.starts_with("#")) {
        rest.remove_prefix(line);
      } else if (rest.starts_with("/*")) {
        const std::size_t end = rest.find("*/", 2);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
      } else {
        break;
      }
    }
    const std::string_view seen = rest;
    if (take_word(rest) != "for") return read_for(seen.substr(0, seen.find('\n')));
    rest = trimmed(rest);
    int depth = 0;
    std::size_t end = 0;
    for (; end < rest.size(); ++end) {
      depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    return read_for(end < 2 ? rest.substr(0, end) : rest.substr(1, end - 1));
  }

  Result<void> mapping(std::string_view inside, std::string_view whole, int line) {
    const auto all = omp::mapping::parse_directive(inside, false);
    if (!all) return wrong(line, all.error().text());
    std::string made;
    for (std::size_t k = 0; k < all->size(); ++k) {
      const auto each = mapping_in_c((*all)[k], text_of((*all)[k]), name_, line, static_cast<int>(k));
      if (!each) return wrong(line, each.error().text());
      made += (k == 0 ? "" : " ") + *each;
    }
    replace(made, whole);
    return {};
  }

  std::string_view text_;
  const std::string& name_;
  std::string out_;
  std::size_t at_ = 0;
  int line_ = 1;
  // What stood before, outside of comments: its last character, and the word that it ends with.
  char last_ = ';';
  char last_seen_ = ';';
  std::string last_word_;
  std::string affinity_;
  int affinity_line_ = 0;  // of one whose loop has not come yet
};

}  // namespace

Result<std::string> rewrite_c(std::string_view text, const std::string& name) { return Rewriter(text, name).run(); }

}  // namespace weft::source

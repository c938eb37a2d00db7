#include "loops.hpp"

#include <cctype>
#include <vector>

#include "omp/mapping/directive.hpp"
#include "statement.hpp"

namespace weft::source {
namespace {

using base::Error;
using base::Result;
using omp::mapping::trimmed;

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the bracket that is open at `open` is closed; the end: nowhere.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < text.size(); ++k) {
    depth += text[k] == '(' || text[k] == '[' ? 1 : text[k] == ')' || text[k] == ']' ? -1 : 0;
    if (depth == 0) return k;
  }
  return text.size();
}

std::vector<std::string_view> divided(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '(' || text[k] == '[') {
      k = closing(text, k);
    } else if (text[k] == by) {
      parts.push_back(trimmed(text.substr(from, k - from)));
      from = k + 1;
    }
  }
  parts.push_back(trimmed(text.substr(std::min(from, text.size()))));
  return parts;
}

std::string_view last_word(std::string_view text) {
  text = trimmed(text);
  std::size_t begin = text.size();
  while (begin > 0 && is_word_char(text[begin - 1])) --begin;
  return text.substr(begin);
}

Error no_loop(std::string_view text) {
  return Error::make(
      "affinity: the loop behind it is to be as for (i = first; i < end; i += step), or in Fortran do i = first, "
      "last, step; and it is \"%.*s\"",
      static_cast<int>(std::min<std::size_t>(text.size(), 60)), text.data());
}

// `i++`, `i += 2`, `i = i - 2` and the like.
std::string step_of(std::string_view text, std::string_view variable) {
  const std::string name(variable);
  if (text == name + "++" || text == "++" + name) return "1";
  if (text == name + "--" || text == "--" + name) return "-1";
  const std::size_t sign = text.find_first_of("+-", variable.size());
  if (!text.starts_with(variable) || sign == std::string_view::npos) return {};
  const std::string_view middle = trimmed(text.substr(variable.size(), sign - variable.size()));
  std::string_view rest = text.substr(sign + 1);
  const std::string minus = text[sign] == '-' ? "-" : "";
  if (middle.empty() && rest.starts_with('=')) return minus + "(" + std::string(trimmed(rest.substr(1))) + ")";
  if (middle.starts_with('=') && trimmed(middle.substr(1)) == variable) {
    return minus + "(" + std::string(trimmed(rest)) + ")";
  }
  return middle.starts_with('=') && minus.empty() && trimmed(rest) == variable
             ? "(" + std::string(trimmed(middle.substr(1))) + ")"
             : "";
}

// Of the word in the directive that stands in no brackets; npos: it does not.
std::size_t find_clause(std::string_view directive, std::string_view word) {
  const std::string small = in_small(directive);
  for (std::size_t k = 0; k < small.size(); ++k) {
    if (small[k] == '(') {
      k = closing(small, k);
    } else if (std::string_view(small).substr(k).starts_with(word) && (k == 0 || !is_word_char(small[k - 1])) &&
               (k + word.size() == small.size() || !is_word_char(small[k + word.size()]))) {
      return k;
    }
  }
  return std::string::npos;
}

}  // namespace

Result<Loop> read_for(std::string_view inside) {
  const std::vector<std::string_view> parts = divided(inside, ';');
  if (parts.size() != 3) return no_loop(inside);
  const std::size_t sign = parts[0].find('=');
  Loop loop;
  loop.variable = last_word(parts[0].substr(0, sign));
  loop.step = step_of(parts[2], loop.variable);
  if (sign == std::string_view::npos || loop.variable.empty() || loop.step.empty()) return no_loop(inside);
  loop.begin = "(" + std::string(trimmed(parts[0].substr(sign + 1))) + ")";
  return loop;
}

Result<Loop> read_do(std::string_view statement) {
  const std::string_view text = trimmed(statement.substr(0, statement.find('!')));
  if (!in_small(text).starts_with("do")) return no_loop(text);
  std::string_view rest = trimmed(text.substr(2));
  while (!rest.empty() &&
         (std::isdigit(static_cast<unsigned char>(rest[0])) != 0 || rest[0] == ',' || rest[0] == ' ')) {
    rest.remove_prefix(1);  // the label of its end
  }
  const std::size_t sign = rest.find('=');
  if (sign == std::string_view::npos || rest.ends_with('&')) return no_loop(text);
  const std::vector<std::string_view> parts = divided(rest.substr(sign + 1), ',');
  if (parts.size() < 2 || parts.size() > 3) return no_loop(text);
  return Loop{std::string(trimmed(rest.substr(0, sign))), std::string(parts[0]),
              parts.size() == 3 ? std::string(parts[2]) : "1"};
}

bool has_clause(std::string_view directive, std::string_view word) {
  return find_clause(directive, word) != std::string::npos;
}

std::string take_affinity(std::string& directive) {
  const std::size_t at = find_clause(directive, "schedule");
  const std::size_t open = at == std::string::npos ? at : directive.find('(', at);
  if (open == std::string::npos) return {};
  const std::size_t close = closing(directive, open);
  const std::string_view inside = trimmed(std::string_view(directive).substr(open + 1, close - open - 1));
  const std::size_t comma = inside.find(',');
  if (in_small(trimmed(inside.substr(0, comma))) != "affinity" || close == directive.size()) return {};
  const std::string array(comma == std::string_view::npos ? "" : trimmed(inside.substr(comma + 1)));
  directive.replace(at, close + 1 - at, "schedule(runtime)");
  // What is missing is said by who reads it.
  return array.empty() ? "nothing" : array;
}

}  // namespace weft::source

#include "report/page.hpp"

#include "report/page_parts.hpp"

namespace weft::report {
namespace {

void replace(std::string& text, const std::string& mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), by);
}

// "</script>" in a path would end the data; in JSON the slash may be written so.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t k = 0; k < json.size(); ++k) {
    text += json[k];
    if (json[k] == '<' && k + 1 < json.size() && json[k + 1] == '/') text += '\\';
    if (json[k] == '<' && k + 1 < json.size() && json[k + 1] == '!') text.replace(text.size() - 1, 1, "\\u003c");
  }
  return text;
}

}  // namespace

std::string to_page(const std::string& json) {
  std::string page = kPageHtml;
  replace(page, "/*STYLE*/", kPageCss);
  replace(page, "/*SCRIPT*/", kPageScript);
  replace(page, "/*DATA*/", inside_script(json));  // last: nothing in it is a mark
  return page;
}

}  // namespace weft::report

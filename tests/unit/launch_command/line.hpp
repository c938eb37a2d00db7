// A command line, as main gets it.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "launch/command/arguments.hpp"

namespace weft::launch::command {

class Line {
 public:
  explicit Line(const std::string& text, const std::string& name = "oshrun") {
    std::istringstream words(name + " " + text);
    for (std::string word; words >> word;) words_.push_back(word);
    for (std::string& word : words_) argv_.push_back(word.data());
    argv_.push_back(nullptr);
    result = parse_arguments(static_cast<int>(words_.size()), argv_.data());
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  std::string program(std::size_t part = 0) const {
    std::string text;
    for (char** word = (*result).parts.at(part).words; *word != nullptr; ++word) {
      if (!text.empty()) text += ' ';
      text += *word;
    }
    return text;
  }
  const Part& part(std::size_t number) const { return (*result).parts.at(number); }
  std::string error() const { return result ? "" : result.error().text(); }

  base::Result<Arguments> result{Arguments{}};

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
};

}  // namespace weft::launch::command

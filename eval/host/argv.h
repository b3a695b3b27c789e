// Words as exec takes them.
#pragma once

#include <string>
#include <vector>

namespace coppice::eval {

// Ends with a null pointer; good as long as `words` stay as they are.
inline std::vector<char*> ArgvOf(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace coppice::eval

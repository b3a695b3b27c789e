#include "eval/python/shell.h"

#include <array>
#include <cstdio>

namespace coppice::eval::python {

std::string ShellQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return output;
  std::array<char, 4096> part;
  while (const std::size_t got =
             std::fread(part.data(), 1, part.size(), pipe)) {
    output.append(part.data(), got);
  }
  pclose(pipe);
  return output;
}

}  // namespace coppice::eval::python

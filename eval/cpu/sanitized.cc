#include "eval/cpu/sanitized.h"

#include <sstream>

namespace coppice::eval {

std::string SanitizerRunTime(std::string_view object) {
  std::string names;
  for (const std::string_view library : {"libasan.so.", "libubsan.so."}) {
    const std::size_t at = object.find(library);
    if (at == object.npos) continue;
    const std::size_t end =
        object.find_first_not_of("0123456789", at + library.size());
    names += (names.empty() ? "" : ":");
    names += object.substr(at, end - at);
  }
  return names;
}

std::string WithoutWarnings(const std::string& printed) {
  std::istringstream lines(printed);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("WARNING: reading executable name failed") == line.npos) {
      kept += line + "\n";
    }
  }
  return kept;
}

}  // namespace coppice::eval

// Damages documents, for the tests of their readers.
#pragma once

#include <stdexcept>
#include <string>

namespace coppice::eval {

struct Malformed {
  const char* from;
  const char* to;
  const char* complaint;  // After "FILE: ".
};

inline std::string Replaced(std::string text, const std::string& from,
                            const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no " + from);
  return text.replace(at, from.size(), to);
}

}  // namespace coppice::eval

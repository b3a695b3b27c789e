// Damages documents, for the tests of their readers.
#pragma once

#include <gtest/gtest.h>

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
  EXPECT_NE(at, std::string::npos) << "no " << from << " in " << text;
  return text.replace(at, from.size(), to);
}

}  // namespace coppice::eval

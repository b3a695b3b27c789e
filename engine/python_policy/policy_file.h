// A policy that a user names by file: "python:mine.py:Mine".
//
// The text that is read once is what runs, wherever the file is changed to, and
// the name has its hash: "python:Mine@1f3c9a2b".  That is what is stored, so
// that a database says which text decided, and never what is to be run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::engine {

struct PolicyFile {
  std::string file;
  std::string class_name;
  std::string text;
  std::string name;  // As it is stored.
};

// Whether it has the form of either, a file's or a stored name's.
bool IsPythonPolicy(std::string_view text);

// Where, in what a user typed of a contender, such a name of a file ends and
// ".alone" or "@window_history=0" may follow; 0: it is none.
std::size_t EndOfPythonPolicy(std::string_view text);

// kUsage: it is not python:FILE.py:CLASS, or that file cannot be read, or is
// longer than a megabyte.
Result<PolicyFile> ReadPolicyFile(std::string_view typed);

// Whether two stored names are the same class by another text.
bool IsOtherText(std::string_view stored, std::string_view now);

}  // namespace coppice::engine

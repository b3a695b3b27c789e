// A function in a Python file as a KernelBench problem: a text, of which
// nothing is run here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::engine::own {

struct PythonDraft {
  std::string text;      // A file with Model, get_inputs(), ...
  std::string function;  // The original's name.
  std::vector<std::string> notes;
};

// `function` is empty if the file has one only; `inputs` are the arguments of
// an example call, "randn(64, 64), 3", or empty if a function of the file
// returns them.  Asks the interpreter `python` what the file says.  kUsage
// begins with the file and, where there is one, the line.
Result<PythonDraft> DraftPython(const std::string& python,
                                const std::filesystem::path& file,
                                const std::string& function,
                                const std::string& inputs);

// An error of the problem that was made as one of the function: the user wrote
// neither its file nor its Model.
std::string InWordsOf(const PythonDraft& draft, std::string error);

}  // namespace coppice::engine::own

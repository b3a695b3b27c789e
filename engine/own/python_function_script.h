// python_function.py as a text, for an interpreter.
#pragma once

#include <string>

namespace coppice::engine::own {

std::string PythonFunctionScript();

}  // namespace coppice::engine::own

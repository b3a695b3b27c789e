// What a program says that the shell starts.
#pragma once

#include <string>

namespace coppice::eval::torch {

// As one word.
std::string ShellQuoted(const std::string& text);

// All of its stdout; what there was of it, however it ended.
std::string OutputOf(const std::string& command);

}  // namespace coppice::eval::torch

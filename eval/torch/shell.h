// What a program says that the shell starts.
#pragma once

#include <string>

namespace coppice::eval::torch {

// Quotes the text as one word.
std::string ShellQuoted(const std::string& text);

// All of the command's stdout; what there was of it, however it ended.
std::string OutputOf(const std::string& command);

}  // namespace coppice::eval::torch

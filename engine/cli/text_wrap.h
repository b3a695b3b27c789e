// Texts in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::cli {

// Lines of at most `width` bytes, broken at spaces.  A longer word has a line
// of its own.
std::vector<std::string> Wrap(std::string_view text, std::size_t width);

// A command on lines that a shell reads as one: each but the last ends in a
// backslash.  It is broken before an option if it can be, and in a quoted word
// only if it must be; a remark ("   # ...") that does not fit goes before it.
// Lines begin as the first does, further ones by four spaces more.
std::vector<std::string> WrapCommand(const std::string& line,
                                     std::size_t width);

}  // namespace coppice::cli

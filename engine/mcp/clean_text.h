// Texts that strangers wrote, and that go into an agent's context: a compiler's
// messages quote a kernel's comments, and a kernel's comments may say anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace coppice::mcp {

// Without sequences that steer a terminal, control characters but for newline
// and tab, and what turns the direction of writing; what is no UTF-8 becomes
// U+FFFD.
std::string Cleaned(std::string_view text);

// Between two lines that the text itself does not have, below a line that says
// what it is: "error_head".
std::string Fenced(std::string_view name, std::string_view text);

// Its head and its tail, in whole characters, with what lies between counted;
// as it is, if it has no more than `bytes`.  `where` says where the whole is.
std::string HeadAndTail(std::string_view text, std::size_t bytes,
                        std::string_view where);

}  // namespace coppice::mcp

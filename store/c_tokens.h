// The tokens of C++ and CUDA.  Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coppice::store {

// Each ended by a line feed.  None if sources with these tokens may differ in
// what they do: if this one could see its own layout (__LINE__, a stringised
// argument), if it makes tokens of others' parts (##), or where it is hard to
// tell where a line, comment or literal ends.
std::optional<std::string> TokensOfC(std::string_view source);

// Whether it could read itself in ways that TokensOfC does not know of: it has
// assembly, which may take its file in, or a header whose macros are not known.
bool MayReadItself(std::string_view source);

}  // namespace coppice::store

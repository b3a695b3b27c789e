// The tokens of Python.  Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coppice::store {

// Each ended by a line feed; blocks are told by how deep they are nested.  None
// if sources with these tokens may differ in what they do: if this one could
// see its own lines, or where it is hard to tell where a line, a block or a
// string ends.
std::optional<std::string> TokensOfPython(std::string_view source);

}  // namespace coppice::store

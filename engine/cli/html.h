// Texts as they stand in a page: none can end what it stands in, load anything,
// or be read in another order than it has.
#pragma once

#include <string>
#include <string_view>

namespace coppice::cli {

// `text` as the content of an element or of a quoted attribute.  Of a byte that
// is no UTF-8 stands U+FFFD, of a control character its picture ("␛"), and of
// one that turns the direction of writing its number: "[U+202E]".
std::string Escaped(std::string_view text);

// "sha256-...", by which a policy of contents knows an own style or script.
std::string ContentHash(std::string_view text);

}  // namespace coppice::cli

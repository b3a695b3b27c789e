// Which generation wrote each line of a source.
#pragma once

#include <string_view>
#include <vector>

namespace coppice::inspector {

// `sources` from the root on; an element for each line of the last one that
// holds a candidate.  What none holds is passed over: an empty text.
std::vector<int> Blame(const std::vector<std::string_view>& sources);

}  // namespace coppice::inspector

// A node that an outside agent wants to go on from, in the place of the one
// that the policy would take: that is said beside it, so that replay makes it
// again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/selection.h"

namespace coppice::engine {

// "asked for by ana; stark takes node 3: best leaf", with `why` first, which
// holds no semicolon.
search::Selection ExternalChoice(NodeId wanted, std::string_view why,
                                 std::string_view policy,
                                 const search::Selection& own);

// The `why` and the policy of such a reason; none: it is not one.
struct ExternalReason {
  std::string why;
  std::string policy;
};
std::optional<ExternalReason> ReadExternalReason(std::string_view reason);

}  // namespace coppice::engine

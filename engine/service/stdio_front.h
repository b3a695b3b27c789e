// JSON lines: JSON-RPC 2.0 with a line for each message, as `coppice serve
// --stdio` speaks it.  Requests may come at any pace and are answered as they
// are done; progress is told on the way.
//
//   -> {"jsonrpc":"2.0","id":0,"method":"hello",
//       "params":{"protocol":"coppice-service/1"}}
//   <- {"jsonrpc":"2.0","id":0,"result":{"protocol":"coppice-service/1",...}}
//   -> {"jsonrpc":"2.0","method":"cancel","params":{"id":1}}
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string_view>

#include "engine/service/service.h"
#include "store/records/result.h"

namespace coppice::service {

inline constexpr std::string_view kLinesProtocol = "coppice-service/1";

inline constexpr std::size_t kMostHeld_bytes = 64 << 20;

// Until `in` ends or `out` cannot be written; all that is under way is
// cancelled then, and waited for.  A line of more than 8 MiB is refused.
// Requests under way have so many bytes at most, all together, and a further
// one is refused until others are answered.
Result<void> ServeLines(Service& service, std::istream& in, std::ostream& out,
                        std::size_t most_held = kMostHeld_bytes);

}  // namespace coppice::service

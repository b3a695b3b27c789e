// JSON as the operations write it: fields in the order of their entry.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace coppice::service {

using Json = nlohmann::ordered_json;

}  // namespace coppice::service

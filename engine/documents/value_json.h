// A value of the database as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "store/read/query.h"

namespace coppice::cli {

nlohmann::ordered_json ValueJson(const store::Value& value);

}  // namespace coppice::cli

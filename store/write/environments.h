// Environments, a row per distinct value.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write or Read.
#pragma once

#include <cstdint>
#include <optional>

#include "store/records/environment.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;

enum class EnvironmentId : std::int64_t {};

std::optional<EnvironmentId> FindEnvironment(Connection& connection,
                                             const Environment& environment);

EnvironmentId PutEnvironment(Connection& connection,
                             const Environment& environment);

Result<Environment> LoadEnvironment(Connection& connection, EnvironmentId id);

}  // namespace coppice::store

// Writes the sampling of a request's body from the record of it, so that the
// record says what the body does.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "agents/provider/dialect.h"
#include "store/records/model_call.h"

namespace coppice::agents {

// What of `asked` a model takes, by the options of its bodies.
SentSampling Sendable(const Sampling& asked, const BodyOptions& options);

// Sets a member, unless there is no value for it.
void Put(nlohmann::json& body, const char* name, std::optional<double> value);
void Put(nlohmann::json& body, const char* name,
         std::optional<std::int64_t> value);
void Put(nlohmann::json& body, const char* name,
         const std::optional<std::string>& value);

}  // namespace coppice::agents

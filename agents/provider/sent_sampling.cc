#include "agents/provider/sent_sampling.h"

#include <nlohmann/json.hpp>

namespace coppice::agents {
namespace {

template <class Value>
void PutValue(nlohmann::json& body, const char* name,
              const std::optional<Value>& value) {
  if (value) body[name] = *value;
}

}  // namespace

SentSampling Sendable(const Sampling& asked, const BodyOptions& options) {
  SentSampling sent;
  if (options.temperature) sent.temperature = asked.temperature;
  if (options.top_p) sent.top_p = asked.top_p;
  sent.max_output_tokens = asked.max_output_tokens;
  sent.effort = asked.effort;
  return sent;
}

void Put(nlohmann::json& body, const char* name, std::optional<double> value) {
  PutValue(body, name, value);
}

void Put(nlohmann::json& body, const char* name,
         std::optional<std::int64_t> value) {
  PutValue(body, name, value);
}

void Put(nlohmann::json& body, const char* name,
         const std::optional<std::string>& value) {
  PutValue(body, name, value);
}

}  // namespace coppice::agents

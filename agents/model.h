// A Model turns a prompt into an answer: a language model behind HTTP, recorded
// answers, or the embedded catalogue.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agents/situation.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::agents {

struct ModelRequest {
  Role role = Role::kPlan;
  Sampling sampling;
  std::string system_prompt;
  std::string user_prompt;
  std::int64_t sample_index = 0;  // Tells equal requests apart.
  // What the prompt was rendered from; not owned.  Providers that speak to a
  // real model ignore it.
  const Situation* situation = nullptr;
};

struct ModelAnswer {
  std::string text;
  Usage usage;
  double cost_usd = 0.0;
  // Why `text` is no whole answer (a refusal, cut at the output limit), though
  // it was paid for.  Empty: it is one.
  std::string fault{};
};

class Model {
 public:
  virtual ~Model() = default;

  // "catalogue", "openai", "replay", ...; with the model: "openai" "gpt-x".
  virtual std::string_view Provider() const = 0;
  virtual std::string_view ModelName() const = 0;

  // Blocks until the answer has come.  A time-out or a lost connection is an
  // Error; what was paid for is an answer, be it a refusal.
  virtual Result<ModelAnswer> Complete(const ModelRequest& request) = 0;
};

}  // namespace coppice::agents

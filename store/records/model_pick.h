// Which of several models an attempt asks as the agent of a role.  It is chosen
// with the attempt's parent, before anything is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/records/ids.h"

namespace coppice {

enum class Role : std::uint8_t;  // store/records/model_call.h

struct ModelPick {
  Role role{};
  std::string model;   // "openai:gpt-5.4-mini"
  std::string models;  // That it was chosen of, as the setting has them.
  std::string
      rule;  // Of search/policies/model_rule.h: "bandit:cost_weight=0.3".
  std::string reason;  // Of the rule, in words.

  bool operator==(const ModelPick&) const = default;
};

// What is known of a model that was chosen for an attempt.
struct AskedModel {
  std::int64_t decision = 0;
  Role role{};
  std::string model;
  NodeId parent{};
  // What the attempt came to; none: it is in flight.  What follows is as it was
  // when that was committed.
  std::optional<NodeId> node{};
  std::int64_t answers = 0;          // 0: the attempt ended without asking it.
  std::optional<double> cost_usd{};  // Of these; none: no price is known.
};

}  // namespace coppice

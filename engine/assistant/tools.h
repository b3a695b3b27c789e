// What the assistant's model may call: tools that look into the history, and
// one that only makes a card.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agents/prompt/conversation.h"
#include "engine/assistant/citations.h"
#include "engine/assistant/numbers.h"
#include "store/database.h"
#include "store/read/query.h"

namespace coppice::assistant {

// What the model proposes to a person, who alone can have it done.
struct Card {
  std::string kind;     // "freeze".
  std::string subject;  // "n:14"; empty: the campaign.
  std::string payload;
  std::string why;
};
nlohmann::ordered_json CardJson(const Card& card);

struct ToolResult {
  std::string text;       // For the model: JSON.
  std::int64_t rows = 0;  // The number found.
  std::string error{};    // Why there are none.
  std::optional<Card> card{};
};

class Tools {
 public:
  // `database` outlives the tools, and is only read, for two seconds at a time.
  // `seconds` is a clock that never goes back.
  Tools(store::Database& database, std::string campaign,
        std::function<double()> seconds);

  static std::vector<agents::Tool> Descriptions();

  // The model may have written anything: what makes no sense is told to it.
  ToolResult Run(const agents::ToolCall& call);

  // Whether all that is cited is there.
  Result<bool> Exists(const Citation& citation);

  // The numbers that results had so far.
  const KnownNumbers& numbers() const { return numbers_; }
  const std::string& campaign() const { return campaign_; }

 private:
  friend class ToolRun;

  store::Database& database_;
  const std::string campaign_;
  const std::function<double()> seconds_;
  KnownNumbers numbers_;
};

}  // namespace coppice::assistant

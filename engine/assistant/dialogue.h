// Answers a question about the history: the model calls tools until it knows
// enough, and what its answer says is checked against what they found.
//
// Nothing is done here but reading: what the model wants done is a card.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/provider/model.h"
#include "engine/assistant/tools.h"
#include "store/records/result.h"
#include "store/write/assistant_turns.h"

namespace coppice::assistant {

// The model is asked so often at most for one question of the user's.
inline constexpr int kMostRounds = 8;

// Told, by the thread that answers, what goes on; each may be null.
struct Listener {
  // The text so far of what the model says at the moment.  It grows; one that
  // does not begin with what was told before starts anew.
  std::function<void(std::string_view so_far)> text{};
  std::function<void(const agents::ToolCall&, const ToolResult&)> tool{};
  std::function<void(const Card&)> card{};
  std::function<void(const Error& why)> setback{};
};

struct Response {
  std::string text;
  std::string fault{};  // Why the text is no whole answer; empty: it is one.
  std::vector<Card> cards{};
  int rounds = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> cost_usd = 0.0;  // Unset: no price is known.
};

struct Questioning {
  std::string question;
  std::vector<store::AskedTurn> earlier{};  // Of the same conversation.
  int max_output_tokens = 4096;
  agents::TransportObserver* ledger = nullptr;
  const std::atomic<bool>* cancel = nullptr;
};

// `model` goes on with conversations.  Errors: as of Model::Complete().
Result<Response> Converse(agents::Model& model, Tools& tools,
                          const Questioning& questioning,
                          const Listener& listener);

// What the model is told first.
std::string RulesFor(std::string_view campaign);

}  // namespace coppice::assistant

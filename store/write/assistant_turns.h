// What the assistant's requests to providers cost, and what was asked and
// answered by them: a row before each is sent and after it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/uuid.h"

namespace coppice::store {

enum class TurnId : std::int64_t {};

// A question in a conversation, which may take several requests.
struct TurnOrigin {
  Uuid conversation;
  std::int64_t question_number = 1;      // In the conversation, from 1.
  std::optional<CampaignId> campaign{};  // None: no one campaign was asked of.
  std::string question;
};

struct TurnIntent {
  TurnOrigin origin;
  std::string provider;
  std::string model;
  std::optional<TurnId> retry_of{};     // The request before it, which failed.
  std::string request;                  // Holds no key.
  std::int64_t input_tokens_bound = 0;  // What it may use at most.
  std::optional<std::int64_t> output_tokens_bound{};  // Unset: not limited.
  std::optional<double> cost_usd_bound{};  // Unset: that, or no price is known.
  double sent_at_s = 0.0;                  // Unix time.
};

// What was said of one question.
struct AskedTurn {
  Uuid conversation;
  std::int64_t question_number = 1;
  std::string campaign;  // Empty: none.
  std::string question;
  std::string answer;  // Of its last request that was answered; or empty,
  std::string error;   // and why.
  std::string provider;
  std::string model;
  double asked_at_s = 0.0;
  std::int64_t requests = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double cost_usd = 0.0;
};

class AssistantTurns {
 public:
  explicit AssistantTurns(Database& database) : database_(database) {}

  // kSpent, and no row, if all questions of its day (UTC) would cost more than
  // `day_cap_usd`, should it use all it may.  Unset: no cap.
  Result<TurnId> Begin(const TurnIntent& intent,
                       std::optional<double> day_cap_usd);

  Result<void> End(TurnId turn, const TransportResult& end);

  // What was spent on a day, in Unix time: what is known, and the most that
  // requests in flight or of unknown outcome may have cost.
  Result<double> SpentOn(double day_s);

  // The newest first, so many.
  Result<std::vector<AskedTurn>> Read(std::int64_t limit);
  // All of a conversation, the first first.
  Result<std::vector<AskedTurn>> ReadConversation(const Uuid& conversation);

 private:
  Database& database_;
};

}  // namespace coppice::store

// One call to a language model, or to what stands in for one.  It has a row
// before it is sent and after it ends, so that nothing is paid for twice
// without being seen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/records/ids.h"
#include "store/records/uuid.h"

namespace coppice {

enum class Role : std::uint8_t {  // DO NOT RENUMBER: stored.
  kPlan = 0,
  kCode = 1,
  kDebug = 2,
};
inline constexpr std::array<std::string_view, 3> kRoleNames = {"plan", "code",
                                                               "debug"};
std::string_view Name(Role role);

enum class CallOutcome : std::uint8_t {  // DO NOT RENUMBER: stored.
  kSent = 0,  // Intent written; on the wire, or lost with its process.
  kAnswered = 1,
  kFailed = 2,   // The provider said no; see `error`.
  kUnknown = 3,  // outcome_unknown: it was given up, or its process died.
};

// What an agent asks for.
struct Sampling {
  std::optional<double> temperature;  // Unset: the provider's default.
  std::optional<double> top_p;
  int max_output_tokens = 16384;
  std::optional<std::string> effort{};  // Of its reasoning: "low", "high", ...
};

// What a request said of it, in the request's own numbers.  Unset: nothing, for
// the model refuses it, or takes no request.  Seeds and stop words are never
// sent.
struct SentSampling {
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> max_output_tokens;
  std::optional<std::string> effort;
};

// The same of every provider: totals, and parts of them.
struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t cached_input_tokens = 0;  // Of input_tokens: read from a cache.
  std::int64_t output_tokens = 0;
  std::int64_t cache_write_tokens = 0;  // Of input_tokens: put into a cache.
  std::int64_t reasoning_tokens = 0;    // Of output_tokens: not in the answer.
  // Counted here from what came, since the provider's own count did not.
  bool estimated = false;
};

// Written before the call is sent.
struct CallIntent {
  Uuid uuid;
  Role role = Role::kPlan;
  std::string provider;
  std::string model;
  std::int64_t sample_index = 0;  // Tells equal requests of a campaign apart.
  std::string system_prompt;
  std::string user_prompt;
  // What the prompts were rendered from, and whose that is: "coppice", or the
  // folder of a user's own.  Empty: no templates.
  std::string templates{};
  std::string template_set{};
  double sent_at_s = 0.0;  // Unix time.
};

// One request to a provider, of which a call may need several; written before
// its first byte leaves.
struct WireIntent {
  std::string request;                 // Holds no key.
  std::optional<WireCallId> retry_of;  // The one before it, which failed.
  SentSampling sampling;
  // What it may use at most.
  std::int64_t input_tokens_bound = 0;
  std::optional<std::int64_t> output_tokens_bound;  // Unset: nobody limits it.
  std::optional<double> cost_usd_bound;  // Unset: that, or no price is known.
  double input_usd_bound = 0.0;          // Of it, that of the input.
  double sent_at_s = 0.0;                // Unix time.
};

struct TransportResult {
  // kAnswered; kFailed: the provider said no or was never reached, so nothing
  // is owed; kUnknown: it was asked and did not finish, and may bill it.
  CallOutcome outcome = CallOutcome::kAnswered;
  std::string answer;  // As far as it came.
  std::string error;   // Of a failed call; or why an answer is not whole.
  Usage usage;
  std::optional<double> cost_usd;  // Unset: no price is known.
  std::string price_version;       // Of cost_usd: "2026-11-01", "provider".
  int http_status = 0;             // 0: no reply, or no HTTP.
  std::string request_id;          // The provider's name of the call.
  std::optional<std::string> served_model;  // That the server says it ran.
  double latency_s = 0.0;
  double ended_at_s = 0.0;  // Unix time, set by whoever stores it.
};

struct EndedWireCall {
  WireCallId call{};
  TransportResult end;
};

// Written when it ends.
struct CallEnd {
  CallOutcome outcome = CallOutcome::kAnswered;
  std::string answer;
  std::string error;  // Of a failed call; or why an answer is not whole.
  Usage usage;
  double cost_usd = 0.0;
  double latency_s = 0.0;
  double ended_at_s = 0.0;  // Unix time.
  // What brought the answer, to be ended with it.  The usage and cost of a call
  // are then those of all its requests, and not the above.
  std::optional<EndedWireCall> wire{};
};

}  // namespace coppice

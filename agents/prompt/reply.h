// What a provider has said so far, whatever its wire format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/prompt/conversation.h"
#include "store/records/model_call.h"

namespace coppice::agents {

// An error in the provider's words.
struct WireFault {
  std::string message;
  std::string code;       // `code`, else `type`; may be empty.
  std::string parameter;  // That the server names; may be empty.
  std::string type{};     // `type`; may be empty.
};

enum class Finish : std::uint8_t {
  kNotYet,    // No end came: if the connection has ended, it was cut.
  kWhole,     // The model was done.
  kCut,       // At the output limit.
  kRefused,   // The model or a filter would not answer.
  kCalls,     // It waits for results of tools.
  kNoAnswer,  // It ended otherwise; see `reason`.
};

// A call of a tool, as far as it came.
struct ReplyCall {
  std::int64_t index = 0;  // By which the server names it.
  ToolCall call;
};

struct Reply {
  std::string text;
  std::string model;  // That the server says it ran; empty: it does not say.
  Finish finish = Finish::kNotYet;
  std::string reason;   // Of the finish, in the provider's word.
  std::string refusal;  // The model's words.
  Usage usage;
  bool has_usage = false;
  std::optional<double> cost_usd;      // That the provider itself states.
  std::optional<WireFault> error;      // Instead of an answer, or on the way.
  std::int64_t unseen_characters = 0;  // Of reasoning, not in `text`.
  bool is_damaged = false;             // An event that should be JSON is none.
  std::vector<ReplyCall> calls;        // In order of appearance.
  std::string thought;                 // A thought that is still coming,
  std::string signature;               // with what its provider signs it by.
  std::string kept;  // As of Message: objects of JSON, with commas.
};

// The call of that index, which is made if there is none.
ToolCall& CallAt(std::int64_t index, Reply& reply);

// Adds an object of JSON, as text, to what is kept.
void Keep(std::string_view object, Reply& reply);

// Whether the reply is a whole one that calls tools.
bool CallsTools(const Reply& reply);

// Tokens of the answer or refusal so far, and of the reasoning before it: four
// characters each, as in English or code.
std::int64_t TokensSoFar(const Reply& reply);

// Why the text of a reply is no whole answer; empty: it is one.
std::string Shortcoming(const Reply& reply);

// At most a KiB of what a provider said, in whole characters.  A key in it is
// to be taken out before: half of one is not recognised.
std::string Shortened(std::string message);

// None if the body is not JSON, or JSON without an error.
std::optional<WireFault> ReadFault(std::string_view body);

// The parameter of the request that `fault` says the model does not take, as it
// must be dropped or renamed; none if the fault is another.  A schema for the
// answer is "response_format", whatever the API calls it.
std::optional<std::string> RejectedParameter(const WireFault& fault);

// True for a fault that waiting does not cure: no credit, no quota, a limit to
// what may be spent.
bool IsOutOfMoney(const WireFault& fault);

// The HTTP status that a fault which came with status 200, or in a stream,
// would have had: of its code, else its type; 502 if they say nothing.
int StatusOf(const WireFault& fault);

}  // namespace coppice::agents

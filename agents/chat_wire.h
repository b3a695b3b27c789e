// The JSON of OpenAI's Chat Completions and of the servers that speak it.
// Compatible servers differ: an error's `code` may be text, a number or null,
// `error` itself may be text, `content` may be null or a list of parts, and an
// error may come with status 200.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agents/model.h"
#include "store/records/result.h"

namespace coppice::agents {

// Which optional parameters go into a request.  Models reject some of them.
struct ChatParameters {
  bool temperature = true;
  bool top_p = true;
  // "max_completion_tokens", "max_tokens", or empty for none.
  std::string output_limit = "max_tokens";
};

// Bytes of the prompts that are not UTF-8 become U+FFFD.
std::string ChatRequestBody(std::string_view model, const ModelRequest& request,
                            const ChatParameters& parameters);

struct Prices {
  double usd_per_million_input = 0.0;
  double usd_per_million_cached_input = 0.0;
  double usd_per_million_output = 0.0;
};

// The cost that the server itself reports wins over `prices`.  A refusal and
// what was cut at the output limit are answers with a fault, since they were
// paid for.  Error kCorrupt if it is no reply: not JSON, or with neither an
// answer nor tokens used.
Result<ModelAnswer> ReadChatReply(std::string_view body, const Prices& prices);

struct ChatFault {
  std::string message;
  std::string code;       // `code`, else `type`; may be empty.
  std::string parameter;  // That the server names; may be empty.
};

// None if the body is not JSON, or JSON without an error.
std::optional<ChatFault> ReadChatFault(std::string_view body);

// The parameter of the request that `fault` says the model does not take, as it
// must be dropped or renamed; none if the fault is another.
std::optional<std::string> RejectedParameter(const ChatFault& fault);

// True for a 429 that waiting does not cure: no credit, no quota.
bool IsOutOfMoney(const ChatFault& fault);

}  // namespace coppice::agents

// A Dialect is one provider's wire format: bodies from requests, replies from
// bytes.  It neither connects nor decides; agents/provider/http_transport.h
// does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/prompt/reply.h"
#include "agents/provider/model.h"
#include "agents/provider/sse.h"
#include "agents/provider/transport.h"

namespace coppice::agents {

// What goes into a request's body beside the prompts.  Models refuse some of
// it, and servers ignore some in silence (data/models.json).
struct BodyOptions {
  std::string model;
  bool temperature = true;
  bool top_p = true;
  // "max_completion_tokens", "max_tokens", or empty for none; other dialects
  // than chat have one name.
  std::string output_limit = "max_tokens";
  // "reasoning": {"effort": ...} instead of "reasoning_effort"; other dialects
  // than chat have one form.
  bool nested_effort = false;
  bool stream = true;
  bool stream_usage = true;  // Ask for the usage at a stream's end.
  // The answer shall be JSON after AnswerSchema() (agents/prompt/structured.h).
  bool structured = false;

  // What of `asked` a body says.  Its sampling is written from this record, so
  // that the record says what the body does.
  SentSampling Sendable(const Sampling& asked) const {
    return {.temperature = temperature ? asked.temperature : std::nullopt,
            .top_p = top_p ? asked.top_p : std::nullopt,
            .max_output_tokens = asked.max_output_tokens,
            .effort = asked.effort};
  }
};

class Dialect {
 public:
  virtual ~Dialect() = default;

  virtual std::string_view Path() const = 0;  // "/chat/completions"

  // Headers of this dialect; the one with the key only if that is not empty.
  virtual std::vector<std::string> Headers(std::string_view key) const = 0;

  // Equal requests give equal bodies, and prompts that start alike give bodies
  // that do, so that providers can cache what they have in common.  Bytes of
  // the prompts that are not UTF-8 become U+FFFD.
  virtual TransportBody Body(const ModelRequest& request,
                             const BodyOptions& options) const = 0;

  // Adds an event of a stream to the reply.  What makes no sense is ignored.
  virtual void ReadEvent(const SseEvent& event, Reply& reply) const = 0;

  // Reads a reply that came at once.  False if it is none.
  virtual bool ReadWhole(std::string_view body, Reply& reply) const = 0;
};

// OpenAI's Chat Completions and the many servers that speak it.
const Dialect& ChatDialect();

// OpenAI's Responses.
const Dialect& ResponsesDialect();

// Anthropic's Messages.  The system prompt and the user prompt's stable prefix
// are marked for the provider's cache.
const Dialect& MessagesDialect();

}  // namespace coppice::agents

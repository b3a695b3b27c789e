// A Model turns a prompt into an answer: a language model behind HTTP, recorded
// answers, or the embedded catalogue.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/prompt/conversation.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::agents {

class AgentSession;
struct PromptContext;
class TransportObserver;

struct ModelRequest {
  Role role = Role::kPlan;
  Sampling sampling;
  std::string system_prompt;
  std::string user_prompt;
  // All requests of this role in this campaign start with so many bytes of the
  // user prompt, which helps a provider's cache.  0: not known.
  std::size_t stable_prefix_bytes = 0;
  std::int64_t sample_index = 0;  // Tells equal requests apart.
  // What the prompt was rendered from; not owned.  Providers that speak to a
  // real model ignore it.
  const PromptContext* context = nullptr;
  // To be gone on with, instead of answering the prompts, which are then empty.
  // Not owned.  The catalogue knows of none; all that a transport of
  // agents/provider/providers.h or a cassette answers do.
  const Conversation* conversation = nullptr;
  // Where an agent works that uses tools (agents/provider/agent_session.h). Not
  // owned.
  AgentSession* session = nullptr;

  // The rest is how the call is made, no part of what is asked.  Not owned;
  // each may be null.
  std::string name{};  // Told to the provider, to find the call in its logs by.
  TransportObserver* observer = nullptr;
  // Asked once the observer refuses with kSpent: for how long an answer to try
  // again, in tokens.  None: it is not known how long it may have to be.
  std::function<std::optional<int>()> shorter{};
  // Once it is true, Complete() ends with kCancelled within a second.
  const std::atomic<bool>* cancel = nullptr;
  // Told, now and then while the answer comes, about how many tokens have.
  // Called by the thread that called Complete().
  std::function<void(std::int64_t output_tokens)> on_progress{};
  // Told the text so far, as it grows, where it comes in pieces.  A try after
  // one that broke off starts anew.  By the same thread.
  std::function<void(std::string_view so_far)> on_text{};
  // Told why there is no answer yet, at least once a minute while it is waited
  // to ask for it again.  By the same thread.
  std::function<void(const Error& why)> on_setback{};
};

struct ModelAnswer {
  std::string text;
  Usage usage;
  std::optional<double> cost_usd;  // Unset: no price is known.
  std::string price_version{};     // Of cost_usd: "2026-11-01", "provider".
  // Why `text` is no whole answer (a refusal, cut at the output limit), though
  // it was paid for.  Empty: it is one.
  std::string fault{};
  // In a conversation: what the model calls, and what is to be given back with
  // its words (agents/prompt/conversation.h).
  std::vector<ToolCall> calls{};
  std::string kept{};
};

class Model {
 public:
  virtual ~Model() = default;

  // "catalogue", "openai", "replay", ...; with the model: "openai" "gpt-x".
  virtual std::string_view Provider() const = 0;
  virtual std::string_view ModelName() const = 0;

  // Blocks until the answer has come.  A time-out or a lost connection is an
  // Error; what was paid for is an answer, be it a refusal.  May be called from
  // several threads at once.
  virtual Result<ModelAnswer> Complete(const ModelRequest& request) = 0;

  // What is kept beside the answers, such as a cassette, is in its file; kFull
  // while the disk has no room for it.
  virtual Result<void> Flush() { return {}; }
};

}  // namespace coppice::agents

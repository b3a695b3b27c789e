// A ChatModel goes on with a conversation: it answers, word by word, or calls
// tools first.  It is the sibling of a Model (agents/provider/model.h), which
// is given one prompt and answers it as a whole.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agents/prompt/conversation.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::agents {

class Model;
class TransportObserver;

// How a conversation is gone on with, which is no part of it.  Nothing is
// owned; each pointer may be null.
struct ChatOptions {
  Sampling sampling;
  std::string name{};  // Told to the provider, to find the request by.
  TransportObserver* observer = nullptr;
  // Once it is true, Continue() ends with kCancelled within a second.
  const std::atomic<bool>* cancel = nullptr;
  // Told the text so far, as it grows.  A request that broke off and is made
  // again starts anew.  By the thread that called Continue().
  std::function<void(std::string_view so_far)> on_text{};
  std::function<void(const Error& why)> on_setback{};  // As in ModelRequest.
};

struct Utterance {
  Message message;  // Of the model; with calls, if it wants results first.
  Usage usage;
  std::optional<double> cost_usd;  // Unset: no price is known.
  std::string price_version{};
  // Why `message` is no whole answer (a refusal, cut at the output limit),
  // though it was paid for; it then calls nothing.  Empty: it is one.
  std::string fault{};
};

class ChatModel {
 public:
  virtual ~ChatModel() = default;

  virtual std::string_view Provider() const = 0;
  virtual std::string_view ModelName() const = 0;

  // Blocks until the answer has come.  Errors: as of Model::Complete().
  virtual Result<Utterance> Continue(const Conversation& conversation,
                                     const ChatOptions& chat_options) = 0;
};

// `model` is one of those that heed ModelRequest::conversation: a retrying
// model over a transport of agents/provider/providers.h, a cassette, or what
// records one.  So retries, limits and what keeps keys out of logs are those of
// all models.
std::unique_ptr<ChatModel> MakeChatModel(std::unique_ptr<Model> model);

}  // namespace coppice::agents

#include "agents/provider/chat_model.h"

#include <utility>

#include "agents/provider/model.h"

namespace coppice::agents {
namespace {

class RetryingChatModel final : public ChatModel {
 public:
  explicit RetryingChatModel(std::unique_ptr<Model> model)
      : model_(std::move(model)) {}

  std::string_view Provider() const override { return model_->Provider(); }
  std::string_view ModelName() const override { return model_->ModelName(); }

  Result<Utterance> Continue(const Conversation& conversation,
                             const ChatOptions& chat_options) override {
    ModelRequest request;
    request.conversation = &conversation;
    request.sampling = chat_options.sampling;
    request.name = chat_options.name;
    request.observer = chat_options.observer;
    request.cancel = chat_options.cancel;
    request.on_text = chat_options.on_text;
    request.on_setback = chat_options.on_setback;
    TRY(answer, model_->Complete(request));
    // An answer that came at once was not told while it came.
    if (chat_options.on_text) chat_options.on_text(answer.text);
    Utterance utterance;
    utterance.message.speaker = Speaker::kModel;
    utterance.message.text = std::move(answer.text);
    utterance.message.calls = std::move(answer.calls);
    utterance.message.kept = std::move(answer.kept);
    utterance.usage = answer.usage;
    utterance.cost_usd = answer.cost_usd;
    utterance.price_version = std::move(answer.price_version);
    utterance.fault = std::move(answer.fault);
    return utterance;
  }

 private:
  const std::unique_ptr<Model> model_;
};

}  // namespace

std::unique_ptr<ChatModel> MakeChatModel(std::unique_ptr<Model> model) {
  return std::make_unique<RetryingChatModel>(std::move(model));
}

}  // namespace coppice::agents

#include "agents/conversant.h"

#include <utility>

namespace coppice::agents {
namespace {

class ModelConversant final : public Conversant {
 public:
  explicit ModelConversant(std::unique_ptr<Model> model)
      : model_(std::move(model)) {}

  std::string_view Provider() const override { return model_->Provider(); }
  std::string_view ModelName() const override { return model_->ModelName(); }

  Result<Utterance> Continue(const Conversation& conversation,
                             const Manners& manners) override {
    ModelRequest request;
    request.conversation = &conversation;
    request.sampling = manners.sampling;
    request.name = manners.name;
    request.observer = manners.observer;
    request.cancel = manners.cancel;
    request.on_text = manners.on_text;
    request.on_setback = manners.on_setback;
    TRY(answer, model_->Complete(request));
    // Of what came at once, nothing has been told yet.
    if (manners.on_text) manners.on_text(answer.text);
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

std::unique_ptr<Conversant> MakeConversant(std::unique_ptr<Model> model) {
  return std::make_unique<ModelConversant>(std::move(model));
}

}  // namespace coppice::agents

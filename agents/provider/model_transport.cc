#include <utility>

#include "agents/provider/cassette.h"
#include "agents/provider/prices.h"
#include "agents/provider/transport.h"

namespace coppice::agents {
namespace {

class ModelTransport final : public Transport {
 public:
  explicit ModelTransport(std::unique_ptr<Model> model)
      : model_(std::move(model)) {}

  std::string_view Provider() const override { return model_->Provider(); }
  std::string_view ModelName() const override { return model_->ModelName(); }

  TransportBody Body(const ModelRequest& request) const override {
    return {CanonicalRequest(request), {}};
  }

  Bound BoundOf(const ModelRequest& request,
                const TransportBody& body) const override {
    return {std::ssize(body.text), request.sampling.max_output_tokens, 0.0};
  }

  Delivery Send(const ModelRequest& request, const std::string&,
                double) override {
    Delivery delivery;
    auto answer = model_->Complete(request);
    if (answer) {
      delivery.answer = std::move(*answer);
    } else {
      delivery.refusal = Refusal{std::move(answer).error(), Again::kNever};
    }
    return delivery;
  }

 private:
  const std::unique_ptr<Model> model_;
};

}  // namespace

Bound Priced(Bound bound, const std::optional<Prices>& prices) {
  if (prices && bound.output_tokens) {
    bound.cost_usd =
        CostBoundUsd(bound.input_tokens, *bound.output_tokens, *prices);
    bound.input_usd = CostBoundUsd(bound.input_tokens, 0, *prices);
  }
  return bound;
}

std::unique_ptr<Transport> MakeModelTransport(std::unique_ptr<Model> model) {
  return std::make_unique<ModelTransport>(std::move(model));
}

}  // namespace coppice::agents

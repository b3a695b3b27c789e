#include "agents/provider/retrying_model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "agents/provider/transport_observer.h"
#include "store/records/random.h"
#include "store/records/speedup.h"

namespace coppice::agents {
namespace {

constexpr double kFirstBackoff = 0.5;  // Seconds.
constexpr double kLongestBackoff = 60;

// Answers that were cut after they had begun: each may be billed.
constexpr int kMostCut = 5;

class RetryingModel final : public Model {
 public:
  RetryingModel(std::unique_ptr<Transport> transport,
                std::shared_ptr<Throttle> throttle, Timer& timer,
                RetryOptions options)
      : transport_(std::move(transport)),
        throttle_(std::move(throttle)),
        timer_(timer),
        options_(options) {}

  std::string_view Provider() const override { return transport_->Provider(); }
  std::string_view ModelName() const override {
    return transport_->ModelName();
  }

  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    RandomStream jitter(options_.seed, Purpose::kBackoff,
                        static_cast<std::uint64_t>(request.sample_index));
    double left_s = options_.timeout_s;
    std::optional<WireCallId> previous;
    int cut = 0;
    for (int retries = 0;;) {
      TRY(delivery, CallWithin(request, left_s, previous));
      if (!delivery.refusal) {
        throttle_->WentWell();
        return std::move(delivery.answer);
      }
      const Refusal& refusal = *delivery.refusal;
      if (refusal.again == Again::kAtOnce) continue;
      const double wait_s = std::max(
          jitter.Uniform() *
              std::min(kFirstBackoff * std::exp2(retries), kLongestBackoff),
          refusal.wait_s.value_or(0.0));
      if (refusal.throttled) {
        throttle_->SlowDown(std::min(wait_s, options_.timeout_s));
      }
      if (refusal.may_be_billed && delivery.http_status != 0) ++cut;
      if (refusal.again == Again::kNever || retries == options_.max_retries ||
          cut > kMostCut) {
        return tl::unexpected<Error>(refusal.error);
      }
      if (wait_s >= left_s) {
        return TooLate(refusal, retries + 1, std::max(left_s, 0.0));
      }
      const double start_s = timer_.Monotonic();
      Wait(wait_s, request, refusal.error);
      left_s -= timer_.Monotonic() - start_s;
      ++retries;
    }
  }

 private:
  void Wait(double wait_s, const ModelRequest& request, const Error& why) {
    while (wait_s > 0) {
      if (request.on_setback) request.on_setback(why);
      timer_.Wait(std::min(wait_s, kLongestBackoff), request.cancel);
      if (request.cancel != nullptr && request.cancel->load()) return;
      wait_s -= kLongestBackoff;
    }
  }

  // There is no time for another try.
  tl::unexpected<Error> TooLate(const Refusal& refusal, int tries,
                                double left_s) const {
    const auto seconds = [](double s) {
      return std::to_string(std::lround(std::min(s, 1e9)));
    };
    std::string why = "; tried " + std::to_string(tries) +
                      (tries == 1 ? " time" : " times") +
                      " (model_timeout_s, " + seconds(options_.timeout_s) +
                      " s, allows for no more)";
    if (refusal.wait_s && *refusal.wait_s >= left_s) {
      why = "; it asks to wait " + seconds(*refusal.wait_s) +
            " s, and model_timeout_s leaves " + seconds(left_s) + " s";
    }
    return Fail(refusal.error.code, refusal.error.what + why);
  }

  // Where a cap has no room for an answer as long as it may be, there may be
  // some for one as long as it has to be.
  Result<Delivery> CallWithin(const ModelRequest& request, double& left_s,
                              std::optional<WireCallId>& previous) {
    auto delivery = Call(request, left_s, previous);
    if (delivery || delivery.error().code != Errc::kSpent || !request.shorter ||
        !transport_->BoundOf(request, transport_->Body(request)).is_told) {
      return delivery;
    }
    const std::optional<int> tokens = request.shorter();
    if (!tokens || *tokens >= request.sampling.max_output_tokens) {
      return delivery;
    }
    ModelRequest shorter = request;
    shorter.sampling.max_output_tokens = *tokens;
    return Call(shorter, left_s, previous);
  }

  // One call of the transport, announced and reported.  `previous` becomes its
  // name, and `left_s` less what it took.
  Result<Delivery> Call(const ModelRequest& request, double& left_s,
                        std::optional<WireCallId>& previous) {
    const TransportBody body = transport_->Body(request);
    TransportCall call = Describe(request, body);
    call.retry_of = previous;
    const auto ticket =
        throttle_->Enter(TokensLikely(request, body.text), request.cancel);
    if (!ticket || (request.cancel != nullptr && request.cancel->load())) {
      if (ticket) throttle_->Leave(*ticket, 0);
      return Fail(Errc::kCancelled, std::string(Provider()) + ": cancelled");
    }
    if (request.observer != nullptr) {
      auto name = request.observer->BeforeSend(call);
      if (!name) {
        throttle_->Leave(*ticket, 0);
        return tl::unexpected<Error>(std::move(name).error());
      }
      previous = *name;
    }
    const double start_s = timer_.Monotonic();
    Delivery delivery = transport_->Send(request, body.text, left_s);
    const double latency_s = timer_.Monotonic() - start_s;
    left_s -= latency_s;
    const Usage& usage = delivery.answer.usage;
    throttle_->Leave(*ticket, usage.input_tokens + usage.output_tokens);
    if (request.observer != nullptr) {
      TRY_DONE(
          request.observer->AfterEnd(*previous, Report(delivery, latency_s)));
    }
    return delivery;
  }

  // To be waited for; what is reserved may be several times as much.
  static std::int64_t TokensLikely(const ModelRequest& request,
                                   const std::string& body) {
    constexpr std::int64_t kBytesPerToken = 3;  // Fewer than text has.
    return std::ssize(body) / kBytesPerToken +
           request.sampling.max_output_tokens;
  }

  TransportCall Describe(const ModelRequest& request,
                         const TransportBody& body) const {
    TransportCall call;
    call.role = request.role;
    call.provider = transport_->Provider();
    call.model = transport_->ModelName();
    call.body = body.text;
    call.sampling = body.sampling;
    call.sample_index = request.sample_index;
    call.bound = transport_->BoundOf(request, body);
    return call;
  }

  static TransportResult Report(const Delivery& delivery, double latency_s) {
    TransportResult end;
    end.answer = delivery.answer.text;
    end.error = delivery.answer.fault;
    end.usage = delivery.answer.usage;
    end.cost_usd = delivery.answer.cost_usd;
    end.price_version = delivery.answer.price_version;
    end.http_status = delivery.http_status;
    end.request_id = delivery.request_id;
    end.served_model = delivery.served_model;
    end.latency_s = latency_s;
    if (delivery.refusal) {
      end.outcome = delivery.refusal->may_be_billed ? CallOutcome::kUnknown
                                                    : CallOutcome::kFailed;
      end.error = delivery.refusal->error.what;
    }
    return end;
  }

  const std::unique_ptr<Transport> transport_;
  const std::shared_ptr<Throttle> throttle_;
  Timer& timer_;
  const RetryOptions options_;
};

}  // namespace

std::unique_ptr<Model> MakeRetryingModel(std::unique_ptr<Transport> transport,
                                         std::shared_ptr<Throttle> throttle,
                                         Timer& timer, RetryOptions options) {
  return std::make_unique<RetryingModel>(std::move(transport),
                                         std::move(throttle), timer, options);
}

}  // namespace coppice::agents

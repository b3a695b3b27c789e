#include "agents/provider/retrying_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "agents/provider/test_timer.h"
#include "agents/provider/transport_observer.h"

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Lt;
using ::testing::SizeIs;

Delivery Answer(const std::string& text) {
  Delivery delivery;
  delivery.answer.text = text;
  delivery.answer.usage.input_tokens = 10;
  delivery.answer.usage.output_tokens = 5;
  delivery.answer.cost_usd = 0.25;
  delivery.http_status = 200;
  return delivery;
}

Delivery Refused(Again again, std::optional<double> wait_s = std::nullopt,
                 Errc code = Errc::kUnavailable) {
  Delivery delivery;
  delivery.refusal = Refusal{{code, "refused"}, again, false, wait_s};
  delivery.http_status = 503;
  return delivery;
}

// Gives its deliveries in order, then "done"; each takes a second.
class ScriptedTransport final : public Transport {
 public:
  ScriptedTransport(std::deque<Delivery> deliveries, FakeTimer& timer)
      : deliveries_(std::move(deliveries)), timer_(timer) {}

  std::string_view Provider() const override { return "scripted"; }
  std::string_view ModelName() const override { return "m"; }
  // The second body, unlike the first, says no temperature.
  TransportBody Body(const ModelRequest& request) const override {
    TransportBody body{request.user_prompt + std::to_string(sent), {}};
    if (sent == 0) body.sampling.temperature = 0.5;
    return body;
  }
  Bound BoundOf(const ModelRequest& request,
                const TransportBody& body) const override {
    return {std::ssize(body.text), request.sampling.max_output_tokens, 0.5,
            is_told};
  }
  Delivery Send(const ModelRequest&, const std::string&,
                double timeout_s) override {
    ++sent;
    timeouts_s.push_back(timeout_s);
    timer_.Advance(1);
    if (deliveries_.empty()) return Answer("done");
    Delivery delivery = std::move(deliveries_.front());
    deliveries_.pop_front();
    return delivery;
  }

  int sent = 0;
  bool is_told = true;
  std::vector<double> timeouts_s;

 private:
  std::deque<Delivery> deliveries_;
  FakeTimer& timer_;
};

// Writes down what it is told: "1 sent", "1 failed: ...".
class Clerk final : public TransportObserver {
 public:
  Result<WireCallId> BeforeSend(const TransportCall& call) override {
    const WireCallId id = ++calls_;
    if (refuses_from != 0 && id >= refuses_from) {
      return Fail(Errc::kUsage, "cap reached");
    }
    if (call.bound.output_tokens > longest) {
      lines.push_back(std::to_string(id) + " is too long");
      return Fail(Errc::kSpent, "cap reached");
    }
    std::string line = std::to_string(id) + " sent " + std::string(call.body);
    if (call.retry_of) line += ", again of " + std::to_string(*call.retry_of);
    lines.push_back(line);
    last = call;
    return id;
  }
  Result<void> AfterEnd(WireCallId id, const TransportResult& end) override {
    const char* outcome = end.outcome == CallOutcome::kAnswered ? "answered "
                          : end.outcome == CallOutcome::kFailed ? "failed "
                                                                : "unknown ";
    lines.push_back(std::to_string(id) + " " + outcome + end.answer +
                    end.error);
    ends.push_back(end);
    if (breaks) return Fail(Errc::kIo, "disk full");
    return {};
  }

  WireCallId refuses_from = 0;
  std::int64_t longest = 1'000'000;  // Answer that it has room for.
  bool breaks = false;
  TransportCall last;
  std::vector<std::string> lines;
  std::vector<TransportResult> ends;

 private:
  WireCallId calls_ = 0;
};

class RetryingModelTest : public testing::Test {
 protected:
  Result<ModelAnswer> Ask(std::deque<Delivery> deliveries,
                          RetryOptions options = {}) {
    auto transport =
        std::make_unique<ScriptedTransport>(std::move(deliveries), timer_);
    transport_ = transport.get();
    retrying_model_ =
        MakeRetryingModel(std::move(transport), throttle_, timer_, options);
    ModelRequest request;
    request.user_prompt = "p";
    request.sampling.max_output_tokens = 100;
    request.observer = &clerk_;
    request.cancel = cancel_;
    request.shorter = [this] { return shorter_; };
    request.on_setback = [this](const Error& why) {
      setbacks_.push_back(why.what);
    };
    return retrying_model_->Complete(request);
  }

  FakeTimer timer_;
  std::shared_ptr<Throttle> throttle_ =
      std::make_shared<Throttle>(Limits{}, timer_);
  Clerk clerk_;
  std::optional<int> shorter_;
  std::vector<std::string> setbacks_;
  const std::atomic<bool>* cancel_ = nullptr;
  ScriptedTransport* transport_ = nullptr;  // Of the retrying model.
  std::unique_ptr<Model> retrying_model_;
};

TEST_F(RetryingModelTest, WhatEachBodySaysIsAnnouncedAndWhoAnsweredReported) {
  Delivery answer = Answer("Hi.");
  answer.served_model = "m-2026";
  ASSERT_TRUE(Ask({answer}));
  EXPECT_EQ(clerk_.last.sampling.temperature, 0.5);
  EXPECT_EQ(clerk_.ends.back().served_model, "m-2026");
  ASSERT_TRUE(Ask({Refused(Again::kAtOnce), answer}));
  EXPECT_EQ(clerk_.last.sampling.temperature, std::nullopt);
}

TEST_F(RetryingModelTest, AnAnswerIsOneCallAnnouncedAndReported) {
  EXPECT_EQ(Ask({Answer("Hi.")}).value().text, "Hi.");
  EXPECT_EQ(retrying_model_->Provider(), "scripted");
  EXPECT_EQ(retrying_model_->ModelName(), "m");
  EXPECT_THAT(clerk_.lines, ElementsAre("1 sent p0", "1 answered Hi."));
  EXPECT_EQ(clerk_.ends[0].usage.output_tokens, 5);
  EXPECT_EQ(clerk_.ends[0].cost_usd, 0.25);
  EXPECT_EQ(clerk_.ends[0].http_status, 200);
  EXPECT_EQ(clerk_.ends[0].latency_s, 1.0);
  EXPECT_EQ(clerk_.last.bound.input_tokens, 2);  // Of "p0".
  EXPECT_EQ(clerk_.last.bound.output_tokens, 100);
  EXPECT_EQ(clerk_.last.bound.cost_usd, 0.5);
}

TEST_F(RetryingModelTest, EachRetryNamesTheCallBefore) {
  EXPECT_TRUE(Ask({Refused(Again::kLater), Refused(Again::kLater)}));
  EXPECT_THAT(clerk_.lines,
              ElementsAre("1 sent p0", "1 failed refused",
                          "2 sent p1, again of 1", "2 failed refused",
                          "3 sent p2, again of 2", "3 answered done"));
}

TEST_F(RetryingModelTest, ACallThatMayBeBilledEndsUnknown) {
  Delivery cut = Refused(Again::kNever);
  cut.refusal->may_be_billed = true;
  cut.answer.text = "half ";
  EXPECT_FALSE(Ask({cut}));
  EXPECT_THAT(clerk_.lines, ElementsAre("1 sent p0", "1 unknown half refused"));
}

// Jitter takes a part of 0.5, 1, 2, 4 and 8 seconds.
TEST_F(RetryingModelTest, WaitsGrowAndAreNeverWhole) {
  const Result<ModelAnswer> answer =
      Ask(std::deque<Delivery>(9, Refused(Again::kLater)), {.max_retries = 5});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUnavailable);
  EXPECT_EQ(transport_->sent, 6);
  const std::vector<double> waits = timer_.Waits();
  ASSERT_THAT(waits, SizeIs(5));
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_THAT(waits[k], AllOf(testing::Gt(0.0), Lt(0.5 * (1 << k)))) << k;
  }
}

// A provider is away for longer than any one wait: 100 refusals of a second
// each, and waits of at most a minute, 30 seconds on average.
TEST_F(RetryingModelTest, AnOutageIsWaitedFor) {
  EXPECT_TRUE(Ask(std::deque<Delivery>(100, Refused(Again::kLater)),
                  {.timeout_s = 100 * 61}));
  EXPECT_EQ(transport_->sent, 101);
  EXPECT_THAT(timer_.Waits(), testing::Each(Lt(60.0)));
}

TEST_F(RetryingModelTest, TheDeadlineEndsIt) {
  const double start_s = timer_.Monotonic();
  const Result<ModelAnswer> answer = Ask(
      std::deque<Delivery>(1000, Refused(Again::kLater)), {.timeout_s = 600});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUnavailable);
  EXPECT_EQ(answer.error().what,
            "refused; tried " + std::to_string(transport_->sent) +
                " times (model_timeout_s, 600 s, allows for no more)");
  EXPECT_LE(timer_.Monotonic() - start_s, 600);
  EXPECT_GT(timer_.Monotonic() - start_s, 600 - 61);
}

// Each was begun, and may have to be paid for.
TEST_F(RetryingModelTest, AnswersThatAreCutAreNotAskedForForEver) {
  Delivery cut = Refused(Again::kLater);
  cut.refusal->may_be_billed = true;
  EXPECT_FALSE(Ask(std::deque<Delivery>(100, cut), {.timeout_s = 1e5}));
  EXPECT_EQ(transport_->sent, 6);
}

TEST_F(RetryingModelTest, NoTimeIsLeftForAnotherTry) {
  const Result<ModelAnswer> answer =
      Ask({Refused(Again::kLater)}, {.timeout_s = 1});
  EXPECT_EQ(answer.error().what,
            "refused; tried 1 time (model_timeout_s, 1 s, allows for no more)");
}

TEST_F(RetryingModelTest, EqualSeedsWaitEqually) {
  RetryOptions options;
  options.max_retries = 5;
  options.seed = 7;
  EXPECT_FALSE(Ask(std::deque<Delivery>(6, Refused(Again::kLater)), options));
  EXPECT_FALSE(Ask(std::deque<Delivery>(6, Refused(Again::kLater)), options));
  const std::vector<double> waits = timer_.Waits();
  ASSERT_THAT(waits, SizeIs(10));
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(waits[k], waits[k + 5]) << k;
}

TEST_F(RetryingModelTest, AProvidersOwnWaitIsTheLeast) {
  EXPECT_TRUE(Ask({Refused(Again::kLater, 7.0)}));
  EXPECT_THAT(timer_.Waits(), ElementsAre(7.0));
}

TEST_F(RetryingModelTest, ALongWaitIsToldOfOnceAMinute) {
  EXPECT_TRUE(Ask({Refused(Again::kLater, 150.0)}));
  EXPECT_THAT(timer_.Waits(), ElementsAre(60.0, 60.0, 30.0));
  EXPECT_THAT(setbacks_, ElementsAre("refused", "refused", "refused"));
}

TEST_F(RetryingModelTest, AWaitBeyondTheDeadlineIsNotBegun) {
  const Result<ModelAnswer> answer =
      Ask({Refused(Again::kLater, 3600.0, Errc::kBusy)});
  EXPECT_EQ(answer.error().code, Errc::kBusy);
  EXPECT_EQ(
      answer.error().what,
      "refused; it asks to wait 3600 s, and model_timeout_s leaves 599 s");
  EXPECT_THAT(timer_.Waits(), ElementsAre());
}

// 100 s - 1 s on the wire - 60 s of waiting - 1 s leave 38 s, less than 60.
TEST_F(RetryingModelTest, WaitsCountAgainstTheDeadline) {
  RetryOptions options;
  options.timeout_s = 100;
  EXPECT_FALSE(Ask({Refused(Again::kLater, 60.0), Refused(Again::kLater, 60.0)},
                   options));
  EXPECT_THAT(timer_.Waits(), ElementsAre(60.0));
  EXPECT_THAT(transport_->timeouts_s, ElementsAre(100.0, 39.0));
}

TEST_F(RetryingModelTest, WhatCannotGoWellIsNotTriedAgain) {
  EXPECT_EQ(Ask({Refused(Again::kNever, {}, Errc::kUsage)}).error().code,
            Errc::kUsage);
  EXPECT_EQ(transport_->sent, 1);
}

TEST_F(RetryingModelTest, ALessonIsNoRetry) {
  RetryOptions options;
  options.max_retries = 0;
  EXPECT_TRUE(Ask({Refused(Again::kAtOnce), Refused(Again::kAtOnce)}, options));
  EXPECT_EQ(transport_->sent, 3);
  EXPECT_THAT(timer_.Waits(), ElementsAre());
}

TEST_F(RetryingModelTest, AThrottledCallHoldsOthersBack) {
  Delivery slow = Refused(Again::kLater, 5.0, Errc::kBusy);
  slow.refusal->throttled = true;
  RetryOptions options;
  options.max_retries = 0;
  EXPECT_FALSE(Ask({slow}, options));
  EXPECT_THAT(timer_.Waits(), ElementsAre());
  EXPECT_TRUE(Ask({}));  // Another retrying model to the provider.
  EXPECT_THAT(timer_.Waits(), ElementsAre(5.0));
}

TEST_F(RetryingModelTest, AnObserverMayForbidACall) {
  clerk_.refuses_from = 2;
  const Result<ModelAnswer> answer = Ask({Refused(Again::kLater)});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "cap reached");
  EXPECT_EQ(transport_->sent, 1);
  EXPECT_THAT(clerk_.lines, ElementsAre("1 sent p0", "1 failed refused"));
}

// 100 tokens do not fit, 40 do.
TEST_F(RetryingModelTest, WhereACapIsNearTheAnswerIsHeldToWhatItHasToBe) {
  clerk_.longest = 50;
  EXPECT_EQ(Ask({Answer("Hi.")}).error().code, Errc::kSpent);
  shorter_ = 60;
  EXPECT_EQ(Ask({Answer("Hi.")}).error().code, Errc::kSpent);
  shorter_ = 40;
  EXPECT_TRUE(Ask({Answer("Hi.")}).has_value());
  EXPECT_EQ(clerk_.last.bound.output_tokens, 40);
  EXPECT_THAT(clerk_.lines,
              ElementsAre("1 is too long", "2 is too long", "3 is too long",
                          "4 is too long", "5 sent p0", "5 answered Hi."));
}

TEST_F(RetryingModelTest, WhatCannotBeRecordedGoesNoFurther) {
  clerk_.breaks = true;
  EXPECT_EQ(Ask({Refused(Again::kLater)}).error().what, "disk full");
  EXPECT_EQ(transport_->sent, 1);
}

TEST_F(RetryingModelTest, NothingIsSentOnceCancelled) {
  const std::atomic<bool> cancel = true;
  cancel_ = &cancel;
  EXPECT_EQ(Ask({}).error().code, Errc::kCancelled);
  EXPECT_EQ(transport_->sent, 0);
  EXPECT_THAT(clerk_.lines, ElementsAre());
}

TEST(RetryingModelCancelTest, ASleepingBackoffEndsAtOnce) {
  RealTimer timer;
  FakeTimer script;
  Delivery later = Refused(Again::kLater, 100.0);
  const auto retrying_model = MakeRetryingModel(
      std::make_unique<ScriptedTransport>(std::deque<Delivery>{later}, script),
      std::make_shared<Throttle>(Limits{}, timer), timer, {});
  std::atomic<bool> cancel = false;
  ModelRequest request;
  request.cancel = &cancel;
  Result<ModelAnswer> answer = Fail(Errc::kIo, "none");
  std::thread call([&] { answer = retrying_model->Complete(request); });
  cancel = true;
  call.join();  // Else it would last 100 s, and the test time out.
  EXPECT_EQ(answer.error().code, Errc::kCancelled);
}

// Each call has a row, whatever the model: also one that has no transport.
class Parrot final : public Model {
 public:
  std::string_view Provider() const override { return "parrot"; }
  std::string_view ModelName() const override { return "p"; }
  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    if (request.user_prompt.empty()) return Fail(Errc::kUsage, "mute");
    ModelAnswer answer;
    answer.text = request.user_prompt;
    return answer;
  }
};

TEST(ModelTransportTest, AModelWithoutATransportHasOneCallEach) {
  FakeTimer timer;
  const auto retrying_model =
      MakeRetryingModel(MakeModelTransport(std::make_unique<Parrot>()),
                        std::make_shared<Throttle>(Limits{}, timer), timer, {});
  EXPECT_EQ(retrying_model->Provider(), "parrot");
  Clerk clerk;
  ModelRequest request;
  request.observer = &clerk;
  request.user_prompt = "a";
  EXPECT_EQ(retrying_model->Complete(request).value().text, "a");
  request.user_prompt = "";
  EXPECT_EQ(retrying_model->Complete(request).error().what, "mute");
  EXPECT_THAT(clerk.lines, SizeIs(4));
  EXPECT_THAT(clerk.lines[0], testing::HasSubstr(R"("user":"a")"));
  EXPECT_EQ(clerk.lines[1], "1 answered a");
  EXPECT_EQ(clerk.lines[3], "2 failed mute");
}

// Eight threads share a retrying model, its throttle and its provider.
TEST(RetryingModelThreadsTest, EveryCallIsAnsweredAndReported) {
  FakeTimer timer;
  const auto retrying_model = MakeRetryingModel(
      MakeModelTransport(std::make_unique<Parrot>()),
      std::make_shared<Throttle>(Limits{.concurrent = 2}, timer), timer, {});
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Clerk clerk;
      for (int i = 0; i < 20; ++i) {
        ModelRequest request;
        request.observer = &clerk;
        request.user_prompt = std::to_string(t * 100 + i);
        const auto answer = retrying_model->Complete(request);
        good += answer && answer->text == request.user_prompt;
      }
      good += clerk.lines.size() == 40;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8 * 21);
}

}  // namespace
}  // namespace coppice::agents

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>
#include <utility>

#include "agents/chat_wire.h"
#include "agents/http.h"
#include "agents/providers.h"

namespace coppice::agents {
namespace {

// Before retry k = 0, 1, ... unless the server says otherwise.
double Backoff(int k) { return std::min(0.5 * std::exp2(k), 8.0); }

bool IsRetried(int status) {
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

// The HTTP status that a fault of its own carries as its code, else 502.
int StatusIn(const ChatFault& fault) {
  int status = 0;
  const char* end = fault.code.data() + fault.code.size();
  std::from_chars(fault.code.data(), end, status);
  return status >= 400 && status < 600 ? status : 502;
}

Errc CodeOf(int status) {
  if (status == 429) return Errc::kBusy;
  if (status == 408) return Errc::kTimeout;
  if (status == 409 || status >= 500) return Errc::kUnavailable;
  return Errc::kUsage;
}

// "https://user:secret@host/v1/" -> "https://host/v1".
std::string Shown(std::string url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t path = std::min(url.find('/', host), url.size());
  const std::size_t user = url.rfind('@', path);
  if (user != std::string::npos && user > host) {
    url.erase(host, user + 1 - host);
  }
  return url.substr(0, url.find('?'));
}

// What a try came to when it brought no answer.
struct Refusal {
  Error error;
  bool retried = false;
  std::optional<double> wait_s;  // That the server asked for.
};

class OpenAiModel final : public Model {
 public:
  explicit OpenAiModel(OpenAiOptions options) : options_(std::move(options)) {
    while (options_.base_url.ends_with('/')) options_.base_url.pop_back();
    url_ = options_.base_url + "/chat/completions";
    // OpenAI's reasoning models reject the old name; others may know no other
    // and ignore the new one in silence.
    if (url_.find("api.openai.com") != std::string::npos) {
      parameters_.output_limit = "max_completion_tokens";
    }
  }

  std::string_view Provider() const override { return "openai"; }
  std::string_view ModelName() const override { return options_.model; }

  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    double left_s = options_.timeout_s;
    for (int retries = 0;;) {
      if (Cancelled()) return Fail(Errc::kCancelled, Named("cancelled"));
      const ChatParameters parameters = Parameters();
      auto reply =
          Send(ChatRequestBody(options_.model, request, parameters), left_s);
      left_s -= reply ? reply->elapsed_s : reply.error().elapsed_s;
      if (reply && Adapt(*reply, parameters)) continue;
      tl::expected<ModelAnswer, Refusal> answer =
          reply ? Read(*reply) : tl::unexpected(Refuse(reply.error()));
      if (answer) return std::move(*answer);
      const Refusal& refusal = answer.error();
      const double wait_s =
          std::max(Backoff(retries), refusal.wait_s.value_or(0.0));
      const bool ends = !refusal.retried || retries == options_.max_retries ||
                        wait_s > options_.max_retry_wait_s || wait_s >= left_s;
      if (ends) {
        return Fail(refusal.error.code, Named(refusal.error.what));
      }
      options_.wait(wait_s);
      left_s -= wait_s;
      ++retries;
    }
  }

 private:
  bool Cancelled() const {
    return options_.cancel != nullptr && options_.cancel->load();
  }

  // Names the URL, and takes the key out of whatever a server echoed.
  std::string Named(const std::string& what) const {
    std::string text = Shown(url_) + ": " + what;
    const std::string& key = options_.api_key;
    for (std::size_t at = 0;
         !key.empty() && (at = text.find(key, at)) != std::string::npos;) {
      text.replace(at, key.size(), "[key]");
    }
    return text;
  }

  ChatParameters Parameters() const {
    const std::lock_guard lock(mutex_);
    return parameters_;
  }

  tl::expected<HttpReply, HttpFailure> Send(std::string body,
                                            double timeout_s) const {
    HttpRequest request;
    request.url = url_;
    request.headers = {"Content-Type: application/json",
                       "Accept: application/json", "Expect:"};
    if (!options_.api_key.empty()) {
      if (options_.api_key.find_first_of("\r\n") != std::string::npos) {
        return tl::unexpected(HttpFailure{
            {Errc::kUsage, "the API key holds a line break"}, false, 0});
      }
      request.headers.push_back("Authorization: Bearer " + options_.api_key);
    }
    request.body = std::move(body);
    request.timeout_s = timeout_s;
    request.cancel = options_.cancel;
    return Post(request);
  }

  // If the reply rejects a parameter that was sent, drops or renames it for all
  // later requests and returns true.  Each step can be taken only once.
  bool Adapt(const HttpReply& reply, const ChatParameters& sent) {
    if (reply.status != 400 && reply.status != 422) return false;
    const std::optional<ChatFault> fault = ReadChatFault(reply.body);
    if (!fault) return false;
    const std::optional<std::string> rejected = RejectedParameter(*fault);
    if (!rejected) return false;
    const std::lock_guard lock(mutex_);
    if (*rejected == "temperature" && sent.temperature) {
      parameters_.temperature = false;
      return true;
    }
    if (*rejected == "top_p" && sent.top_p) {
      parameters_.top_p = false;
      return true;
    }
    if (*rejected != sent.output_limit) return false;
    if (parameters_.output_limit == sent.output_limit) {
      parameters_.output_limit = renamed_ ? ""
                                 : *rejected == "max_tokens"
                                     ? "max_completion_tokens"
                                     : "max_tokens";
      renamed_ = true;
    }
    return true;
  }

  tl::expected<ModelAnswer, Refusal> Read(const HttpReply& reply) const {
    const std::optional<ChatFault> fault = ReadChatFault(reply.body);
    if (reply.status / 100 != 2) {
      return tl::unexpected(
          Refuse(reply, reply.status,
                 fault.value_or(ChatFault{reply.body.substr(0, 300), "", ""})));
    }
    Result<ModelAnswer> answer = ReadChatReply(
        reply.body, {options_.usd_per_million_input,
                     options_.usd_per_million_cached_input.value_or(
                         options_.usd_per_million_input),
                     options_.usd_per_million_output});
    // Some routers wrap a provider's failure in status 200.
    if (fault && !(answer && answer->fault.empty())) {
      return tl::unexpected(Refuse(reply, StatusIn(*fault), *fault));
    }
    if (answer) return std::move(*answer);
    return tl::unexpected(Refusal{answer.error(), false, std::nullopt});
  }

  static Refusal Refuse(const HttpReply& reply, int status,
                        const ChatFault& fault) {
    Refusal refusal;
    refusal.error.code = CodeOf(status);
    refusal.error.what =
        "HTTP " + std::to_string(reply.status) + ": " +
        (fault.message.empty() ? "no reason given" : fault.message);
    refusal.retried = reply.should_retry.value_or(IsRetried(status));
    refusal.wait_s = reply.retry_after_s;
    if (status == 429 && IsOutOfMoney(fault)) {
      refusal.error.code = Errc::kUsage;
      refusal.retried = false;
    }
    return refusal;
  }

  static Refusal Refuse(const HttpFailure& failure) {
    return {failure.error, failure.transient, std::nullopt};
  }

  OpenAiOptions options_;
  std::string url_;
  mutable std::mutex mutex_;  // Guards what follows.
  ChatParameters parameters_;
  bool renamed_ = false;  // The output limit, once already.
};

}  // namespace

std::unique_ptr<Model> MakeOpenAiModel(OpenAiOptions options) {
  return std::make_unique<OpenAiModel>(std::move(options));
}

}  // namespace coppice::agents

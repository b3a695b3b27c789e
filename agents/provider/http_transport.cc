#include "agents/provider/http_transport.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "agents/prompt/structured.h"
#include "agents/provider/http.h"
#include "agents/provider/secrets.h"

namespace coppice::agents {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{16} << 20;  // Bytes.
constexpr std::size_t kLongestExcerpt = 300;                   // In an error.
constexpr const char* kCheckUrl = " (check the base URL, and the server)";
// What a server may put around the messages: its chat template, a prompt of its
// own about the schema.
constexpr std::int64_t kTemplateTokens = 1000;
constexpr int kOverloaded = 529;  // Anthropic's.

// The fault is with the server's state or something on the way to it (421,
// 425), and not with what was asked.
bool IsRetried(int status) {
  return status == 408 || status == 409 || status == 421 || status == 425 ||
         status == 429 || status >= 500;
}

Errc CodeOf(int status) {
  if (status == 429) return Errc::kBusy;
  if (status == 408 || status == 504) return Errc::kTimeout;
  return IsRetried(status) ? Errc::kUnavailable : Errc::kUsage;
}

// "https://user:secret@host/v1?key=k" -> "https://host/v1".
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

// A base may end in "/", and in the "/v1" that a path starts with.
std::string Join(std::string base, std::string_view path) {
  constexpr std::string_view kVersion = "/v1";
  while (base.ends_with('/')) base.pop_back();
  if (path.starts_with(kVersion) && base.ends_with(kVersion)) {
    base.erase(base.size() - kVersion.size());
  }
  return base + std::string(path);
}

class HttpTransport final : public Transport {
 public:
  explicit HttpTransport(HttpTransportOptions options)
      : options_(std::move(options)),
        url_(Join(options_.base_url, options_.dialect->Path())),
        body_(options_.body) {}

  std::string_view Provider() const override { return options_.provider; }
  std::string_view ModelName() const override { return options_.body.model; }

  TransportBody Body(const ModelRequest& request) const override {
    return options_.dialect->Body(request, CurrentBody());
  }

  // A token stands for a byte at least; the body has more of them than the
  // prompts.  A limit that was dropped while the body was made is none.
  Bound BoundOf(const ModelRequest&, const TransportBody& body) const override {
    Bound bound{std::ssize(body.text) + kTemplateTokens};
    bound.is_told = body.sampling.max_output_tokens.has_value();
    bound.output_tokens = bound.is_told ? body.sampling.max_output_tokens
                                        : options_.output_tokens;
    return Priced(bound, options_.prices);
  }

  Delivery Send(const ModelRequest& request, const std::string& body,
                double timeout_s) override {
    Delivery delivery;
    if (options_.api_key.find_first_of("\r\n") != std::string::npos) {
      delivery.refusal =
          Refusal{Named(Errc::kUsage, "the API key holds a line break")};
      return delivery;
    }
    Reply reply;
    SseParser parser;
    HttpRequest http = Request(request, body, timeout_s);
    std::int64_t told = 0;
    std::size_t shown = 0;
    http.on_stream = [&](std::string_view bytes) {
      const bool fits = parser.Feed(bytes, [&](const SseEvent& event) {
        // Before any of it is cut: half a key is none that is recognised.
        options_.dialect->ReadEvent({event.type, Keyless(event.data)}, reply);
      });
      const std::int64_t tokens = TokensSoFar(reply);
      if (request.on_progress && tokens > told) request.on_progress(tokens);
      told = std::max(told, tokens);
      if (request.on_text && reply.text.size() > shown) {
        shown = reply.text.size();
        request.on_text(WithoutStartOfKey(Keyless(reply.text)));
      }
      return fits && SizeOf(reply) <= kLongestAnswer;
    };
    auto posted = Post(http);
    if (posted) {
      posted->body = Keyless(std::move(posted->body));
      delivery.http_status = posted->status;
      delivery.request_id = Keyless(posted->request_id);
      delivery.refusal = Judge(*posted, reply);
    } else {
      delivery.http_status = posted.error().status;
      delivery.request_id = Keyless(posted.error().request_id);
      delivery.refusal = Refuse(posted.error(), reply);
    }
    // Having learnt, here or in another thread, we would send another body.  A
    // rejection may come inside a 200.
    const bool misread = delivery.http_status == 400 ||
                         delivery.http_status == 422 ||
                         delivery.http_status / 100 == 2;
    if (misread && delivery.refusal &&
        delivery.refusal->error.code == Errc::kUsage &&
        Body(request).text != body) {
      delivery.refusal->again = Again::kAtOnce;
    }
    const bool worked = !delivery.refusal || delivery.refusal->may_be_billed;
    Fill(request, body, reply, worked, delivery);
    if (!reply.model.empty()) {
      delivery.served_model = Shortened(Keyless(reply.model));
    }
    // It may have come in two pieces, or in JSON under another spelling.
    ModelAnswer& answer = delivery.answer;
    answer.text = Keyless(std::move(answer.text));
    answer.fault = Shortened(Keyless(std::move(answer.fault)));
    return delivery;
  }

 private:
  BodyOptions CurrentBody() const {
    const std::lock_guard lock(mutex_);
    return body_;
  }

  std::string Keyless(std::string text) const {
    return WithoutKey(std::move(text), options_.api_key);
  }

  // An error that names the URL, and no key.
  Error Named(Errc code, const std::string& what) const {
    return {code, WithoutKeys(Shown(url_) + ": " + what, options_.api_key)};
  }

  HttpRequest Request(const ModelRequest& request, const std::string& body,
                      double timeout_s) const {
    HttpRequest http;
    http.url = url_;
    http.headers = {"Content-Type: application/json",
                    "Accept: application/json, text/event-stream", "Expect:"};
    for (std::string& header : options_.dialect->Headers(options_.api_key)) {
      http.headers.push_back(std::move(header));
    }
    if (!request.name.empty()) {
      http.headers.push_back("X-Client-Request-Id: " + request.name);
    }
    http.headers.insert(http.headers.end(), options_.headers.begin(),
                        options_.headers.end());
    http.body = body;
    http.timeout_s = timeout_s;
    // All of an answer that is not streamed comes after a long silence.
    if (options_.body.stream) http.silence_s = options_.silence_s;
    http.cancel = request.cancel;
    return http;
  }

  // What is wrong with what came, if anything; `reply` gets the rest of it.
  std::optional<Refusal> Judge(const HttpReply& posted, Reply& reply) {
    if (posted.status / 100 != 2) {
      return Refuse(posted, posted.status,
                    ReadFault(posted.body)
                        .value_or(WireFault{
                            posted.body.substr(0, kLongestExcerpt), "", ""}));
    }
    // Proxies and servers that are about to go end a reply early, or put a page
    // of their own in its place.
    if (!posted.streamed && !options_.dialect->ReadWhole(posted.body, reply)) {
      return Lost(posted.body.empty()
                      ? std::string("the reply is empty")
                      : "the reply is no answer of a model: " +
                            posted.body.substr(0, kLongestExcerpt) + kCheckUrl);
    }
    const bool whole =
        (reply.finish == Finish::kWhole && !reply.text.empty()) ||
        CallsTools(reply);
    if (reply.error && !whole) {
      Refusal refusal = Refuse(posted, StatusOf(*reply.error), *reply.error);
      refusal.may_be_billed = TokensSoFar(reply) > 0 || reply.has_usage;
      return refusal;
    }
    if (reply.finish == Finish::kNotYet) {
      return Lost("the stream ended before the answer did");
    }
    if (reply.is_damaged) return Lost("a part of the stream is no JSON");
    return std::nullopt;
  }

  // What a server that says all is well did not bring: it may be billed, and
  // come the next time.
  Refusal Lost(const std::string& what) const {
    return {Named(Errc::kUnavailable, what), Again::kLater, false, std::nullopt,
            true};
  }

  Refusal Refuse(const HttpReply& posted, int status, const WireFault& fault) {
    std::string what =
        "HTTP " + std::to_string(posted.status) + ": " +
        (fault.message.empty()
             ? "no reason given"
             : Shortened(WithoutKeys(fault.message, options_.api_key)));
    Refusal refusal;
    if (status == 402 ||
        (status / 100 == 4 && !posted.retry_after_s && IsOutOfMoney(fault))) {
      refusal.error =
          Named(Errc::kUsage, what + " (no credit or quota is left: add some)");
      return refusal;
    }
    if (status == 400 || status == 422) Adapt(fault);
    if (posted.should_retry.value_or(IsRetried(status))) {
      refusal.again = Again::kLater;
    }
    refusal.error = Named(CodeOf(status), what + Advice(status));
    refusal.throttled = status == 429 || status == kOverloaded;
    refusal.wait_s = posted.retry_after_s;
    return refusal;
  }

  Refusal Refuse(const HttpFailure& failure, const Reply& reply) const {
    Refusal refusal;
    refusal.error =
        Named(failure.error.code, failure.error.what + Advice(failure));
    // Who was silent from the start may be thinking; who broke off is not.
    const bool broke_off = failure.silent && TokensSoFar(reply) > 0;
    if (failure.transient || broke_off) refusal.again = Again::kLater;
    refusal.may_be_billed = failure.sent;
    return refusal;
  }

  // What the user may do, who is told of the last of several refusals.
  std::string Advice(int status) const {
    if (status == 401 || status == 403) {
      const std::string place =
          options_.key_place.empty() ? "" : " in " + options_.key_place;
      return options_.api_key.empty() ? " (there is no key" + place + ")"
                                      : " (check the key" + place + ")";
    }
    if (status / 100 == 3) return kCheckUrl;
    if (status == 404) {
      return " (check the model's name, " + options_.body.model +
             ", and the base URL)";
    }
    if (status == 429) return " (the provider throttles: try later)";
    return status >= 500 ? " (the provider is in trouble: try later)" : "";
  }

  static std::string Advice(const HttpFailure& failure) {
    if (failure.silent) {
      return " (silence_s of its row in a models_file allows for more)";
    }
    if (failure.error.code == Errc::kTimeout && !failure.transient) {
      return " (model_timeout_s allows for more)";
    }
    const bool none = !failure.sent && failure.error.code != Errc::kCancelled;
    return none ? kCheckUrl : "";
  }

  // If the fault rejects a parameter that is sent, drops or renames it for all
  // later requests.
  void Adapt(const WireFault& fault) {
    const std::optional<std::string> rejected = RejectedParameter(fault);
    if (!rejected) return;
    const std::lock_guard lock(mutex_);
    if (*rejected == "temperature") body_.temperature = false;
    if (*rejected == "top_p") body_.top_p = false;
    if (*rejected == "response_format") body_.structured = false;
    if (*rejected == "stream_options") body_.stream_usage = false;
    if (*rejected != body_.output_limit) return;
    // To the other name, then to none.
    body_.output_limit = std::exchange(renamed_, true) ? ""
                         : *rejected == "max_tokens"   ? "max_completion_tokens"
                                                       : "max_tokens";
  }

  // The answer as far as it came; if the model `worked`, what it used.
  void Fill(const ModelRequest& request, const std::string& body,
            const Reply& reply, bool worked, Delivery& delivery) const {
    constexpr std::int64_t kBytesPerToken = 4;
    ModelAnswer& answer = delivery.answer;
    answer.text = reply.text;
    if (!delivery.refusal) {
      const bool calls = request.conversation != nullptr && CallsTools(reply);
      answer.fault = calls ? "" : Shortcoming(reply);
      if (calls) TakeCalls(reply, answer);
      if (request.conversation == nullptr) {
        Unwrap(request, answer);
      } else if (answer.fault.empty()) {
        answer.kept = Keyless(reply.kept);
      }
    }
    answer.usage = reply.usage;
    if (worked && (!reply.has_usage || delivery.refusal)) {
      const auto at_least = [](std::int64_t& count, std::int64_t least) {
        count = std::max(count, least);
      };
      if (!reply.has_usage) {
        at_least(answer.usage.input_tokens, std::ssize(body) / kBytesPerToken);
      }
      at_least(answer.usage.output_tokens, TokensSoFar(reply));
      answer.usage.estimated = true;
    }
    if (reply.cost_usd) {
      answer.cost_usd = reply.cost_usd;
      answer.price_version = "provider";
    } else if (!worked && !reply.has_usage) {
      answer.cost_usd = 0.0;
    } else if (options_.prices) {
      answer.cost_usd = CostUsd(answer.usage, *options_.prices);
      answer.price_version = options_.prices->version;
    }
  }

  // Sizes of all that grows while a stream comes.
  static std::size_t SizeOf(const Reply& reply) {
    std::size_t size = reply.text.size() + reply.refusal.size() +
                       reply.thought.size() + reply.kept.size();
    for (const ReplyCall& call : reply.calls) {
      size += call.call.arguments.size() + sizeof(call);
    }
    return size;
  }

  // More of it may be on its way.
  std::string WithoutStartOfKey(std::string text) const {
    const std::string_view key = options_.api_key;
    for (std::size_t length = std::min(key.size(), text.size()); length > 0;
         --length) {
      if (text.ends_with(key.substr(0, length))) {
        text.resize(text.size() - length);
        break;
      }
    }
    return text;
  }

  void TakeCalls(const Reply& reply, ModelAnswer& answer) const {
    for (const ReplyCall& call : reply.calls) {
      answer.calls.push_back({Keyless(call.call.id), Keyless(call.call.name),
                              Keyless(call.call.arguments)});
    }
  }

  // An answer that was asked for as JSON becomes prose; one that is not JSON,
  // though it should be, may be prose already.
  void Unwrap(const ModelRequest& request, ModelAnswer& answer) const {
    if (!options_.body.structured || !answer.fault.empty()) return;
    auto prose = ProseOfStructured(request.role, answer.text);
    if (prose) answer.text = std::move(*prose);
  }

  const HttpTransportOptions options_;
  const std::string url_;
  mutable std::mutex mutex_;  // Guards what follows.
  BodyOptions body_;
  bool renamed_ = false;  // The output limit, once already.
};

}  // namespace

std::unique_ptr<Transport> MakeHttpTransport(HttpTransportOptions options) {
  return std::make_unique<HttpTransport>(std::move(options));
}

}  // namespace coppice::agents

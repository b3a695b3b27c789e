#include "agents/provider/command_transport.h"

#include <stdlib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "agents/prompt/reply.h"
#include "agents/provider/secrets.h"
#include "store/records/io_error.h"

namespace coppice::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestComplaint = 500;  // Of its standard error.
// A command that has failed so often, and never worked, is mistyped or not set
// up: its user has to mend it, and no waiting helps.
constexpr int kVainTries = 3;

// An empty folder that goes with this object.
class Folder {
 public:
  static Result<Folder> Make() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string path = (parent / "coppice-exec-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) {
      const int why = error ? error.value() : errno;
      return Fail(IoErrc(why), path + ": " + std::strerror(why));
    }
    return Folder(std::move(path));
  }
  Folder(Folder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  Folder& operator=(Folder&&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// What the user may do.
const char* Advice(Errc code) {
  if (code == Errc::kNotFound) return " (is it installed?)";
  if (code == Errc::kTimeout) return " (model_timeout_s allows for more)";
  return "";
}

// A program that is missing is the user's to install; one that said too much
// may say less another time.
Errc CodeOf(Errc ran) {
  if (ran == Errc::kNotFound) return Errc::kUsage;
  return ran == Errc::kCorrupt ? Errc::kUnavailable : ran;
}

// The last lines say what went wrong.
std::string LastOf(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  if (text.size() > kLongestComplaint) {
    text.erase(0, text.size() - kLongestComplaint);
  }
  return text;
}

class CommandTransport final : public Transport {
 public:
  CommandTransport(CommandTransportOptions options, Timer& timer)
      : options_(std::move(options)), timer_(timer) {}

  std::string_view Provider() const override { return options_.provider; }
  std::string_view ModelName() const override { return options_.model; }

  // A command is told of no sampling.
  TransportBody Body(const ModelRequest& request) const override {
    if (request.conversation != nullptr) {
      return {SpokenRules(*request.conversation) + "\n" +
                  SpokenMessages(*request.conversation),
              {}};
    }
    if (request.system_prompt.empty()) return {request.user_prompt, {}};
    return {request.system_prompt + "\n\n" + request.user_prompt, {}};
  }

  // What it would use, if the command asked its model once and with no more
  // than our prompts.  Nothing holds it to that.
  Bound BoundOf(const ModelRequest& request,
                const TransportBody& body) const override {
    Bound bound{std::ssize(body.text), request.sampling.max_output_tokens};
    if (options_.prices) {
      bound.cost_usd = CostBoundUsd(bound.input_tokens, *bound.output_tokens,
                                    *options_.prices);
      bound.input_usd = CostBoundUsd(bound.input_tokens, 0, *options_.prices);
    }
    return bound;
  }

  Delivery Send(const ModelRequest& request, const std::string& body,
                double timeout_s) override {
    Delivery delivery;
    auto ran = Run(request, body, timeout_s);
    if (!ran) {
      // Once it has run, it may have asked a model.
      const Errc code = ran.error().code;
      const bool has_run =
          code != Errc::kNotFound && code != Errc::kIo && code != Errc::kFull;
      delivery.refusal =
          Refusal{Named(CodeOf(code), ran.error().what + Advice(code)),
                  code == Errc::kFull ? Again::kLater : Again::kNever, false,
                  std::nullopt, has_run};
      return delivery;
    }
    delivery = ReadCommandOutput(options_.answer, Keyless(std::move(ran->out)));
    if (delivery.refusal) {
      Error& error = delivery.refusal->error;
      error = Named(error.code, error.what);
    }
    if (ran->exit_code == 0 && !delivery.refusal) has_worked_ = true;
    if (ran->exit_code != 0) {
      const std::string said = delivery.refusal
                                   ? delivery.refusal->error.what
                                   : LastOf(Keyless(std::move(ran->errors)));
      const bool is_vain = !has_worked_ && ++failures_ >= kVainTries;
      delivery.refusal =
          Refusal{Named(is_vain ? Errc::kUsage : Errc::kUnavailable,
                        "exit code " + std::to_string(ran->exit_code) +
                            (said.empty() ? " and no word why" : ": " + said) +
                            (is_vain ? "; it has never worked, so nothing "
                                       "waits for it: try it by hand"
                                     : "")),
                  Again::kNever, false, std::nullopt, true};
    }
    Account(body, delivery);
    // In JSON it may have come under another spelling.
    ModelAnswer& answer = delivery.answer;
    answer.text = Keyless(std::move(answer.text));
    answer.fault = Shortened(Keyless(std::move(answer.fault)));
    if (request.conversation != nullptr && answer.fault.empty() &&
        !delivery.refusal) {
      answer.calls = TakeSpokenCalls(answer.text);
    }
    return delivery;
  }

 private:
  // Whatever the command printed may hold a key that it was given.
  std::string Keyless(std::string text) const {
    return WithoutKeysOf(options_.env, std::move(text));
  }

  Error Named(Errc code, const std::string& what) const {
    return {code, Shortened(WithoutKeys(
                      Keyless(options_.provider + ": " + what), ""))};
  }

  Result<ChildOutput> Run(const ModelRequest& request, const std::string& body,
                          double timeout_s) {
    constexpr std::int64_t kBytesPerToken = 4;
    ChildOptions child;
    child.arguments = options_.command;
    child.input = body;
    child.passed = options_.env;
    child.timeout_s = timeout_s;
    child.cancel = request.cancel;
    if (request.on_progress) {
      child.on_output = [&request](std::size_t bytes) {
        request.on_progress(static_cast<std::int64_t>(bytes) / kBytesPerToken);
      };
    }
    if (!options_.own_directory) return RunChild(child, timer_);
    TRY(folder, Folder::Make());
    child.directory = folder.path();
    // "./agent" is meant from where we are.
    std::string& program = child.arguments.front();
    std::error_code error;
    if (program.find('/') != std::string::npos) {
      const fs::path absolute = fs::absolute(program, error);
      if (!error) program = absolute.string();
    }
    return RunChild(child, timer_);
  }

  // Tokens are guessed where the command reports none.
  void Account(const std::string& body, Delivery& delivery) const {
    constexpr std::int64_t kBytesPerToken = 4;
    ModelAnswer& answer = delivery.answer;
    if (answer.usage.input_tokens + answer.usage.output_tokens == 0) {
      answer.usage.input_tokens = std::ssize(body) / kBytesPerToken;
      answer.usage.output_tokens = std::ssize(answer.text) / kBytesPerToken;
      answer.usage.estimated = true;
    }
    if (!answer.cost_usd && options_.prices) {
      answer.cost_usd = CostUsd(answer.usage, *options_.prices);
      answer.price_version = options_.prices->version;
    }
  }

  const CommandTransportOptions options_;
  Timer& timer_;
  std::atomic<bool> has_worked_{false};
  std::atomic<int> failures_{0};  // Before it has.
};

}  // namespace

std::unique_ptr<Transport> MakeCommandTransport(CommandTransportOptions options,
                                                Timer& timer) {
  return std::make_unique<CommandTransport>(std::move(options), timer);
}

}  // namespace coppice::agents

#include "agents/provider/command_transport.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "agents/prompt/reply.h"
#include "agents/provider/child.h"
#include "store/records/io_error.h"

namespace coppice::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestComplaint = 500;  // Of its standard error.
constexpr std::int64_t kBytesOfToken = 4;

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
  CommandTransport(CommandOptions options, Timer& timer)
      : command_(std::move(options)),
        options_(command_.options()),
        timer_(timer) {}

  std::string_view Provider() const override { return options_.provider; }
  std::string_view ModelName() const override { return options_.model; }

  // A command is told of no sampling.
  TransportBody Body(const ModelRequest& request) const override {
    if (request.conversation == nullptr) return {PromptsOf(request), {}};
    return {SpokenRules(*request.conversation) + "\n" +
                SpokenMessages(*request.conversation),
            {}};
  }

  // What it would use, if the command asked its model once and with no more
  // than our prompts.  Nothing holds it to that.
  Bound BoundOf(const ModelRequest& request,
                const TransportBody& body) const override {
    return Priced({std::ssize(body.text), request.sampling.max_output_tokens},
                  options_.prices);
  }

  Delivery Send(const ModelRequest& request, const std::string& body,
                double timeout_s) override {
    auto ran = Run(request, body, timeout_s);
    if (!ran) return NotRun(ran.error());
    Delivery delivery = ReadCommandOutput(
        options_.answer, command_.Keyless(std::move(ran->out)));
    if (delivery.refusal) {
      Error& error = delivery.refusal->error;
      error = command_.Named(error.code, error.what);
    }
    if (ran->exit_code != 0) {
      delivery.refusal = command_.Failed(
          ran->exit_code,
          delivery.refusal ? delivery.refusal->error.what
                           : LastOf(command_.Keyless(std::move(ran->errors))));
    } else if (!delivery.refusal) {
      command_.Worked();
    }
    Account(body, delivery);
    // In JSON it may have come under another spelling.
    ModelAnswer& answer = delivery.answer;
    answer.text = command_.Keyless(std::move(answer.text));
    answer.fault = Shortened(command_.Keyless(std::move(answer.fault)));
    if (request.conversation != nullptr && answer.fault.empty() &&
        !delivery.refusal) {
      answer.calls = TakeSpokenCalls(answer.text);
    }
    return delivery;
  }

 private:
  // Once it has run, it may have asked a model.
  Delivery NotRun(const Error& why) const {
    Delivery delivery;
    delivery.refusal = Refusal{command_.NotRun(why)};
    if (why.code == Errc::kFull) delivery.refusal->again = Again::kLater;
    delivery.refusal->may_be_billed = why.code != Errc::kNotFound &&
                                      why.code != Errc::kIo &&
                                      why.code != Errc::kFull;
    return delivery;
  }

  Result<ChildOutput> Run(const ModelRequest& request, const std::string& body,
                          double timeout_s) {
    TRY(folder, Folder::Make());
    ChildOptions child;
    child.arguments = options_.command;
    child.input = body;
    child.passed = options_.env;
    child.directory = folder.path();
    child.timeout_s = timeout_s;
    child.cancel = request.cancel;
    if (request.on_progress) {
      child.on_output = [&request](std::size_t bytes) {
        request.on_progress(static_cast<std::int64_t>(bytes) / kBytesOfToken);
      };
    }
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
    ModelAnswer& answer = delivery.answer;
    if (answer.usage.input_tokens + answer.usage.output_tokens == 0) {
      answer.usage.input_tokens = std::ssize(body) / kBytesOfToken;
      answer.usage.output_tokens = std::ssize(answer.text) / kBytesOfToken;
      answer.usage.estimated = true;
    }
    if (!answer.cost_usd && options_.prices) {
      answer.cost_usd = CostUsd(answer.usage, *options_.prices);
      answer.price_version = options_.prices->version;
    }
  }

  AskedCommand command_;
  const CommandOptions& options_;  // Of command_.
  Timer& timer_;
};

}  // namespace

std::unique_ptr<Transport> MakeCommandTransport(CommandOptions options,
                                                Timer& timer) {
  return std::make_unique<CommandTransport>(std::move(options), timer);
}

}  // namespace coppice::agents

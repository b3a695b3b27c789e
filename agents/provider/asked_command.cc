#include "agents/provider/asked_command.h"

#include <utility>

#include "agents/prompt/reply.h"
#include "agents/provider/secrets.h"

namespace coppice::agents {
namespace {

constexpr int kVainTries = 3;

// A program that is missing is the user's to install; one that said too much
// may say less another time.
Errc CodeOf(Errc ran) {
  if (ran == Errc::kNotFound) return Errc::kUsage;
  return ran == Errc::kCorrupt ? Errc::kUnavailable : ran;
}

const char* Advice(Errc code) {
  if (code == Errc::kNotFound) return " (is it installed?)";
  if (code == Errc::kTimeout) return " (model_timeout_s allows for more)";
  return "";
}

}  // namespace

std::string PromptsOf(const ModelRequest& request) {
  if (request.system_prompt.empty()) return request.user_prompt;
  return request.system_prompt + "\n\n" + request.user_prompt;
}

std::string AskedCommand::Keyless(std::string text) const {
  return WithoutKeysOf(options_.env, std::move(text));
}

Error AskedCommand::Named(Errc code, const std::string& what) const {
  return {code,
          Shortened(WithoutKeys(Keyless(options_.provider + ": " + what), ""))};
}

Error AskedCommand::NotRun(const Error& why) const {
  return Named(CodeOf(why.code), why.what + Advice(why.code));
}

Refusal AskedCommand::Failed(int exit_code, const std::string& said) {
  const bool is_vain = !has_worked_ && ++failures_ >= kVainTries;
  return MayBeBilled(
      Named(is_vain ? Errc::kUsage : Errc::kUnavailable,
            "exit code " + std::to_string(exit_code) +
                (said.empty() ? " and no word why" : ": " + said) +
                (is_vain ? "; it has never worked, so nothing waits for it: "
                           "try it by hand"
                         : "")));
}

}  // namespace coppice::agents

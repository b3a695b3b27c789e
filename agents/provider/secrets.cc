#include "agents/provider/secrets.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "agents/provider/child.h"

namespace coppice::agents {
namespace {

constexpr std::string_view kShown = "[key]";
constexpr double kCommandTimeout = 60;  // Seconds: it may ask for a passphrase.
constexpr std::size_t kLongestKey = 16384;
constexpr std::size_t kShortestKey = 8;  // Shorter is a stand-in: "none".

bool IsKeyCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
}

}  // namespace

Result<std::string> ReadKey(const KeySource& source, Timer& timer) {
  if (source.command.empty()) {
    const char* key = std::getenv(source.env.c_str());
    return key == nullptr ? std::string() : std::string(key);
  }
  ChildOptions options;
  TRY_ASSIGN(options.arguments, SplitCommand(source.command));
  options.environment = ChildEnvironment::kOurs;
  options.timeout_s = kCommandTimeout;
  options.output_limit = kLongestKey;
  TRY(output, RunChild(options, timer));
  const std::string program = "key command '" + options.arguments.front() + "'";
  if (output.exit_code != 0) {
    return Fail(Errc::kUsage,
                program + ": exit code " + std::to_string(output.exit_code));
  }
  std::string key = output.out.substr(0, output.out.find_first_of("\r\n"));
  if (key.empty()) return Fail(Errc::kUsage, program + ": printed no key");
  return key;
}

std::string WithoutKey(std::string text, std::string_view key) {
  if (key.size() < kShortestKey) return text;
  for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;
       at += kShown.size()) {
    text.replace(at, key.size(), kShown);
  }
  return text;
}

std::string WithoutKeysOf(const std::vector<std::string>& variables,
                          std::string text) {
  for (const std::string& name : variables) {
    const char* value = std::getenv(name.c_str());
    if (value != nullptr) text = WithoutKey(std::move(text), value);
  }
  return text;
}

std::string WithoutKeys(std::string text, std::string_view key) {
  constexpr std::size_t kLeast = 8;  // Characters after the prefix.
  text = WithoutKey(std::move(text), key);
  for (const std::string_view prefix : {"sk-", "AIza", "hf_", "gsk_", "xai-"}) {
    for (std::size_t at = 0;
         (at = text.find(prefix, at)) != std::string::npos;) {
      const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = std::find_if_not(begin, text.end(), IsKeyCharacter);
      const auto length = static_cast<std::size_t>(end - begin);
      const bool starts = at == 0 || !IsKeyCharacter(text[at - 1]);
      if (starts && length >= prefix.size() + kLeast) {
        text.replace(at, length, kShown);
      }
      ++at;
    }
  }
  return text;
}

}  // namespace coppice::agents

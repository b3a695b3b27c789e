#include "engine/documents/continuing.h"

#include <algorithm>
#include <cctype>

#include "config/continue.h"
#include "config/keys.h"
#include "eval/torch/shell.h"

namespace coppice::cli {

std::string ShellWord(const std::string& text) {
  constexpr std::string_view kPlain = "_-./:=@%+,";
  const auto is_plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           kPlain.find(c) != kPlain.npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  return eval::torch::ShellQuoted(text);
}

std::string ContinueCommand(std::string_view verb, const config::Loaded& now) {
  std::string command = "coppice " + std::string(verb) + " " +
                        ShellWord(now.settings.db.string());
  for (const auto& [key, value] : config::ToSayAgain(now)) {
    command += " --" + config::OptionName(key) + " " + ShellWord(value);
  }
  return command;
}

}  // namespace coppice::cli

// Reads the words after a verb.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/load.h"
#include "engine/documents/verb.h"

namespace coppice::cli {

// Those that every verb has, beside its own.
struct ParsedWords {
  bool help = false;  // Then nothing else was checked.
  std::optional<std::string> config_file;
  std::vector<config::Override> settings;
  std::vector<std::string> arguments;
  std::map<std::string, std::string, std::less<>> options;
};

// kUsage says what is wrong with which word.
Result<ParsedWords> ParseWords(const Verb& verb,
                               const std::vector<std::string>& words);

}  // namespace coppice::cli

// Settings from where users put them.  Later ones win:
//
//   defaults
//   ~/.config/coppice/coppice.conf   (below $XDG_CONFIG_HOME, if that is set)
//   ./coppice.conf                   (or, instead of both files, --config FILE)
//   the environment                  (COPPICE_POLICY=greedy)
//   the command line                 (--policy greedy)
//
// An unknown key and a bad value are errors that name their place.  Variables
// COPPICE_TEST_* are not settings: they belong to tests.  Nor are those that
// tell a command of --on what has happened (engine/campaign/notices.h).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "store/records/result.h"

namespace coppice::config {

using Environment = std::map<std::string, std::string>;

// Facts about this machine and process, passed in by who may ask for them.
struct Surroundings {
  Environment environment;
  int cores = 1;
  unsigned user = 0;                     // Its number on this machine.
  std::filesystem::path data_directory;  // That this program came with.
  // Whether coppice.conf in the current folder is a plain file of this user's,
  // or root's, that nobody else may write.
  bool trusts_folder = true;
  // Runs candidates in the sandbox; empty: this program has none.
  std::filesystem::path runner{};
};

struct Override {
  std::string key;
  std::string value;
};

struct Origin {
  std::string key;
  std::string value;
  std::string origin;  // "default", "coppice.conf:12", "command line", ...
};

struct Loaded {
  Settings settings;
  std::vector<Origin> origins;  // Every key, in the order of Keys().
};

Result<Loaded> Load(const Surroundings& surroundings,
                    const std::optional<std::filesystem::path>& config_file,
                    const std::vector<Override>& command_line);

// Whether anything but the default says the key's value.
bool IsGiven(const Loaded& loaded, std::string_view key);

// The option by which the command line says the key's value: "--policy", or
// "--preset" if it is of that.  None if it does not say it.
std::optional<std::string> SaidBy(const Loaded& loaded, std::string_view key);

}  // namespace coppice::config

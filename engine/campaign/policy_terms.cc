#include "engine/campaign/policy_terms.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "engine/process/clock.h"
#include "engine/process/installation.h"
#include "engine/process/system_timer.h"
#include "engine/python_policy/policy_process.h"
#include "engine/python_policy/python_policy.h"

namespace coppice::engine {
namespace {

namespace fs = std::filesystem;

// As long-lived as the policies that are known.
std::shared_ptr<agents::Timer> CommonTimer() {
  static const SystemClock clock;
  static const auto timer = std::make_shared<SystemTimer>(clock);
  return timer;
}

}  // namespace

fs::path PolicyScript(const config::Settings& settings) {
  const fs::path script = "policy.py";
  std::error_code error;
  if (fs::exists(settings.data_directory / script, error)) {
    return fs::absolute(settings.data_directory / script, error);
  }
  const auto installation = FindInstallation(ExecutablePath());
  return installation ? installation->data / script
                      : settings.data_directory / script;
}

void LendPolicy(std::string_view typed, const config::Settings& settings) {
  if (!IsPythonPolicy(typed)) return;
  PythonTerms terms;
  terms.python = settings.policy_python;
  terms.script = PolicyScript(settings);
  terms.timeout_s = settings.policy_timeout_s;
  terms.check_all = settings.policy_check == "all";
  terms.timer = CommonTimer();
  LendPythonPolicy(typed, terms);
}

}  // namespace coppice::engine

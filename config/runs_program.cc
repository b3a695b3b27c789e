#include "config/runs_program.h"

#include <variant>

#include "config/keys.h"
#include "config/model_list.h"

namespace coppice::config {

bool RunsProgram(std::string_view key, const std::string& value) {
  return key == "python" || key == "policy_python" ||
         (key == "policy" && value.starts_with("python:")) ||
         (std::holds_alternative<ModelList Settings::*>(FindKey(key)->member) &&
          RunsCommand(ParseModelList(value).value_or(ModelList{})));
}

}  // namespace coppice::config

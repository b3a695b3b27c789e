// The models of a role, as a user types them: "openai:gpt-5.4-mini", or several
// with commas between.
//
// A comma parts two models where what follows it, up to the next colon, comma
// or end, could be a provider's name or is nothing; so most commands of exec:
// may have commas.  "\," is a comma anywhere.
#pragma once

#include <string>
#include <string_view>

#include "config/settings.h"
#include "store/records/result.h"

namespace coppice::config {

// kUsage if one is empty, is no PROVIDER or PROVIDER:MODEL, or stands there
// twice.
Result<ModelList> ParseModelList(std::string_view text);

// A text that ParseModelList would read back.
std::string Print(const ModelList& models);

// "openai:gpt-5.4-mini"
std::string NameOf(const ModelChoice& model);

// Whether one of them is a command that the user names.
bool RunsCommand(const ModelList& models);

}  // namespace coppice::config

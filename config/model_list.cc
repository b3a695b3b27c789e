#include "config/model_list.h"

#include <algorithm>
#include <cstddef>

#include "store/records/own_providers.h"

namespace coppice::config {
namespace {

constexpr std::string_view kLettersOfNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

// Whether the comma before `rest` parts two models.
bool Parts(std::string_view rest) {
  const std::size_t end = rest.find_first_not_of(kLettersOfNames);
  return end == rest.npos || rest[end] == ':' || rest[end] == ',';
}

Result<ModelChoice> ParseModel(const std::string& text) {
  const std::size_t colon = text.find(':');
  ModelChoice choice{text.substr(0, colon), ""};
  if (colon != text.npos) choice.model = text.substr(colon + 1);
  // A comma in a provider's name would not be read back.
  if (choice.provider.empty() || choice.provider.find(',') != text.npos ||
      (colon != text.npos && choice.model.empty())) {
    return Fail(Errc::kUsage, "expected PROVIDER or PROVIDER:MODEL");
  }
  return choice;
}

}  // namespace

Result<ModelList> ParseModelList(std::string_view text) {
  std::vector<std::string> texts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\\,")) {
      texts.back() += text[++i];
    } else if (text[i] == ',' && Parts(text.substr(i + 1))) {
      texts.emplace_back();
    } else {
      texts.back() += text[i];
    }
  }
  ModelList models;
  for (const std::string& each : texts) {
    if (each.empty() && texts.size() > 1) {
      return Fail(Errc::kUsage,
                  "expected models with commas between, but one is empty");
    }
    TRY(model, ParseModel(each));
    if (std::ranges::find(models, model) != models.end()) {
      return Fail(Errc::kUsage, "expected each model once, but " +
                                    NameOf(model) + " is there twice");
    }
    models.push_back(std::move(model));
  }
  return models;
}

std::string Print(const ModelList& models) {
  std::string text;
  for (const ModelChoice& model : models) {
    if (!text.empty()) text += ',';
    for (const char c : NameOf(model)) {
      if (c == ',') text += '\\';
      text += c;
    }
  }
  return text;
}

std::string NameOf(const ModelChoice& model) {
  return model.model.empty() ? model.provider
                             : model.provider + ":" + model.model;
}

bool RunsCommand(const ModelList& models) {
  return std::ranges::any_of(models, [](const ModelChoice& model) {
    return OwnProviderOf(model.provider).RunsCommand();
  });
}

}  // namespace coppice::config

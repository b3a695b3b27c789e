// For tests: a model that says what is written down, one utterance for each
// time it is asked.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/provider/model.h"

namespace coppice::assistant {

struct Line {
  std::string text;
  std::vector<std::pair<std::string, std::string>> calls{};  // Name, arguments.
  std::string fault{};
  std::optional<double> cost_usd = 0.25;
};

class ScriptedModel final : public agents::Model {
 public:
  explicit ScriptedModel(std::vector<Line> lines) : lines_(std::move(lines)) {}

  std::string_view Provider() const override { return "test"; }
  std::string_view ModelName() const override { return "script"; }

  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    asked_.push_back(*request.conversation);
    if (said_ == lines_.size()) {
      return Fail(Errc::kUnavailable, "the script is at its end");
    }
    const Line& line = lines_[said_++];
    agents::ModelAnswer answer;
    answer.text = line.text;
    for (const auto& [name, arguments] : line.calls) {
      answer.calls.push_back({"c" + std::to_string(calls_++), name, arguments});
    }
    answer.usage.input_tokens = 100;
    answer.usage.output_tokens = 10;
    answer.fault = line.fault;
    answer.cost_usd = line.cost_usd;
    return answer;
  }

  // What it was asked, each time.
  const std::vector<agents::Conversation>& asked() const { return asked_; }

 private:
  const std::vector<Line> lines_;
  std::size_t said_ = 0;
  int calls_ = 0;
  std::vector<agents::Conversation> asked_;
};

}  // namespace coppice::assistant

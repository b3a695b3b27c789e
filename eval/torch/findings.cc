#include "eval/torch/findings.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

namespace coppice::eval::torch {
namespace {

bool IsOfTexts(const nlohmann::json& one) {
  return one.is_object() && std::ranges::all_of(one, [](const auto& value) {
           return value.is_string();
         });
}

}  // namespace

std::optional<std::vector<Finding>> ReadFindings(const std::string& workload,
                                                 const std::string& found) {
  const auto document = nlohmann::json::parse(found, nullptr, false);
  if (!document.is_array() || !std::ranges::all_of(document, IsOfTexts)) {
    return std::nullopt;
  }
  std::vector<Finding> findings;
  for (const auto& one : document) {
    Finding finding;
    finding.candidate = one.value("name", "");
    finding.workload = workload;
    finding.expected =
        ParseVerdict(one.value("expected", "")).value_or(Verdict::kWrongOutput);
    finding.found =
        ParseVerdict(one.value("verdict", "")).value_or(Verdict::kInconclusive);
    finding.worst_error_ratio =
        std::strtod(one.value("worst_error_ratio", "inf").c_str(), nullptr);
    finding.log = one.value("log", "");
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> ByCandidate(
    std::vector<std::vector<Finding>> by_workload) {
  std::vector<Finding> findings;
  for (std::vector<Finding>& of_one : by_workload) {
    for (Finding& finding : of_one) {
      const auto last =
          std::ranges::find(findings.rbegin(), findings.rend(),
                            finding.candidate, &Finding::candidate);
      const auto place = last == findings.rend() ? findings.end() : last.base();
      findings.insert(place, std::move(finding));
    }
  }
  return findings;
}

}  // namespace coppice::eval::torch

#include "eval/torch/findings.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

namespace coppice::eval::torch {

std::optional<std::vector<Finding>> ReadFindings(const std::string& workload,
                                                 const std::string& found) {
  const auto document = nlohmann::json::parse(found, nullptr, false);
  if (!document.is_array()) return std::nullopt;
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
  const std::size_t count = by_workload.empty() ? 0 : by_workload[0].size();
  for (std::size_t candidate = 0; candidate < count; ++candidate) {
    for (std::vector<Finding>& of_one : by_workload) {
      findings.push_back(std::move(of_one.at(candidate)));
    }
  }
  return findings;
}

}  // namespace coppice::eval::torch

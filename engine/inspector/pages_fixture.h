// For tests: an Inspector over two databases that a test fills, "a.db" with a
// campaign `a` and "b.db" with a campaign `b`, both of the task matmul.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/inspector/inspector.h"
#include "store/scratch.h"

namespace coppice::inspector {

class PagesTest : public ::testing::Test {
 protected:
  using json = nlohmann::json;

  http::Answer Ask(const std::string& target);
  json Get(const std::string& target);
  http::Answer Post(const std::string& path, const json& body);
  // What is wrong, by its status.
  static std::string Refusal(const http::Answer& answer, int status);

  store::ScratchDirectory directory_;
  const std::filesystem::path first_path_ = directory_.File("a.db");
  const std::filesystem::path second_path_ = directory_.File("b.db");
  store::Database first_ = store::NewFile(first_path_);
  store::Database second_ = store::NewFile(second_path_);
  const CampaignId a_ = store::Plant(first_, "a");
  const CampaignId b_ = store::Plant(second_, "b");
  const engine::SystemClock clock_{};
  Inspector inspector_{{{first_path_, second_path_}, false, "ana"}, clock_};
};

}  // namespace coppice::inspector

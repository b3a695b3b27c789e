#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/keys.h"
#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::ContainsRegex;

class ConfigTest : public ::testing::Test, protected Rehearsal {};

TEST_F(ConfigTest, ShowsEachSettingWithItsOrigin) {
  surroundings.environment["COPPICE_POLICY"] = "greedy";
  const std::string out = SayBare({"config", "show", "--seed", "9"}).out;
  EXPECT_THAT(out, ContainsRegex("policy +greedy +environment COPPICE_POLICY"));
  EXPECT_THAT(out, ContainsRegex("seed +9 +command line"));
  EXPECT_THAT(out, ContainsRegex("threads +4 +default"));
}

TEST_F(ConfigTest, JsonHoldsEveryKey) {
  const auto json =
      nlohmann::json::parse(SayBare({"config", "show", "--json"}).out);
  EXPECT_EQ(json.size(), config::Keys().size());
  EXPECT_EQ(json[0]["key"], "db");
  EXPECT_EQ(json[0]["origin"], "default");
}

TEST_F(ConfigTest, ASecretInTheEnvironmentIsNeverShown) {
  surroundings.environment["OPENAI_API_KEY"] = "sk-secret";
  EXPECT_EQ(SayBare({"config", "show"}).out.find("secret"), std::string::npos);
}

TEST_F(ConfigTest, ListsPoliciesWithTheirConstants) {
  EXPECT_THAT(SayBare({"config", "policies"}).out,
              ContainsRegex("stark +epsilon=0.3 \\(0 to 1\\), n_root=5"));
  const auto json =
      nlohmann::json::parse(SayBare({"config", "policies", "--json"}).out);
  EXPECT_EQ(json[0]["policy"], "stark");
  EXPECT_EQ(json[0]["constants"][1]["name"], "n_root");
  EXPECT_EQ(json[0]["constants"][1]["most"], nullptr);
}

TEST_F(ConfigTest, KnowsOnlyToShow) {
  EXPECT_EQ(SayBare({"config", "edit"}).err,
            "coppice config: unknown 'edit'; there are: config show, config "
            "policies\n");
}

}  // namespace
}  // namespace coppice::cli

// For tests: a service over the program's own tasks, with a cache of its own.
// What it answers is held against the schema of its operation.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/load.h"
#include "engine/service/json.h"
#include "engine/service/operation.h"
#include "engine/service/service.h"
#include "store/scratch.h"

namespace coppice::service {

bool IsOfType(const Json& value, std::string_view type);

// Why a schema does not allow a value, "rows[3]: has a type that the schema
// does not"; empty: it does.  Of JSON Schema it knows what the operations use.
std::string WhyAgainst(const Json& schema, const Json& value,
                       const std::string& at = "");

class TestService {
 public:
  TestService() : service_(Options(scratch_), clock_) {}

  Service& service() { return service_; }

  // Its history, which is not there before somebody makes it.
  std::filesystem::path database() const { return scratch_.File("h.db"); }

  Result<std::string> Ask(const char* name, const std::string& request,
                          const Call& call = {"test", {}, {}});

  // The same of JSON, however long it takes, unless the request says how long
  // it waits.
  Result<Json> Do(const char* name, const Json& request,
                  const Call& call = {"test", {}, {}});

 private:
  static ServiceOptions Options(const store::ScratchDirectory& scratch) {
    config::Surroundings surroundings;
    surroundings.environment = {
        {"COPPICE_CACHE_DIRECTORY", COPPICE_TEST_CACHE}};
    surroundings.cores = 2;
    surroundings.data_directory = COPPICE_TASKS;
    const std::string db = scratch.File("h.db").string();
    return {.config = store::Must(
                config::Load(surroundings, std::nullopt, {{"db", db}})),
            .runner = COPPICE_RUNNER,
            .database = db,
            .verdicts = scratch.File("verdicts.db")};
  }

  engine::SystemClock clock_;
  store::ScratchDirectory scratch_;
  Service service_;
};

}  // namespace coppice::service

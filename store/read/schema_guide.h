// What schema.sql says of the views, for who completes questions and explains
// columns.
#pragma once

#include <string>
#include <vector>

#include "store/database.h"

namespace coppice::store {

struct GuidedColumn {
  std::string name;
  std::string comment;  // Empty: its name and unit say it.
};

struct GuidedView {
  std::string name;
  std::string comment;
  std::vector<GuidedColumn> columns;  // As a question of it answers.
};

// In the order of the schema.
Result<std::vector<GuidedView>> ReadSchemaGuide(Database& database);

}  // namespace coppice::store

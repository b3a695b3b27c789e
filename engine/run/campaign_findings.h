// For tests: what is wrong with a campaign's file.
#pragma once

#include <string>
#include <vector>

namespace coppice::store {
struct CampaignRow;
class Database;
}  // namespace coppice::store

namespace coppice::engine {

// Each a line: of doctor, and of decisions that come out differently when they
// are made again, after one another or each alone.
std::vector<std::string> CampaignFindings(store::Database& database,
                                          const store::CampaignRow& row);

}  // namespace coppice::engine

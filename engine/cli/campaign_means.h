// What the verbs that run campaigns run them with.
#pragma once

namespace coppice::engine {
class CampaignFactory;
class Display;
class Notices;
enum class Surface;
}  // namespace coppice::engine
namespace coppice::store {
class Database;
}

namespace coppice::cli {

struct CampaignMeans {
  engine::CampaignFactory& factory;
  store::Database& database;
  engine::Surface surface;
  engine::Display& display;  // Says all that is said on stderr meanwhile.
  engine::Notices& notices;
};

}  // namespace coppice::cli

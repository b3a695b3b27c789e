// What the agents were asked that made a node: `coppice show --prompts`.
#pragma once

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {
struct CampaignRow;
class Database;
}  // namespace coppice::store

namespace coppice::cli {

enum class Exit : int;
struct Invocation;
struct Streams;

Result<Exit> ShowPrompts(const Invocation& invocation,
                         store::Database& database,
                         const store::CampaignRow& campaign, NodeId id,
                         Streams& streams);

}  // namespace coppice::cli

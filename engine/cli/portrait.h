// Everything that is shown of a node, for people.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/read/node_decision.h"
#include "store/records/node.h"

namespace coppice {
enum class Protocol : std::uint8_t;
}
namespace coppice::store {
struct CampaignRow;
}

namespace coppice::cli {

struct RowSheet;
struct Streams;

struct Portrait {
  NodeRecord node;
  std::optional<store::Decision> decision;
  std::vector<Evaluation> evaluations;  // In the order made.
  bool is_quarantined = false;
};

// `protocol`: the one that its task is judged by.
void PrintPortrait(const Portrait& portrait, const store::CampaignRow& campaign,
                   Protocol protocol, Streams& streams);

// Configurations that were tried, with columns for people and for programs.
RowSheet TrialsSheet(const std::vector<TriedConfiguration>& trials);

}  // namespace coppice::cli

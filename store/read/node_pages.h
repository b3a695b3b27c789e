// Nodes as people look at them on a page: rows of lists, one node with all that
// belongs to it, and the calls that made it.  Columns have the names of the
// views', shortened where a list is sent for each node: `low` and `high` are
// the ends of the interval of `speedup`.
//
// Each is read by indexes, however many nodes there are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/read/listing.h"
#include "store/records/ids.h"

namespace coppice::store {

// A row for each number, in their order: node, parent, verdict, speedup, low,
// high, technique, policy, decision, refuted, confirmed, same_as, lines_again,
// committed_at_s, cost_usd.  What is no node is left out.
Result<Listing> ReadNodeRows(Database& database, CampaignId campaign,
                             std::span<const std::int64_t> numbers);

// Numbers of the nodes whose technique, advice or reason holds the text.
Result<std::vector<std::int64_t>> FindNodes(Database& database,
                                            CampaignId campaign,
                                            const std::string& text);

// Children by number: so many, and how many there are.
struct Children {
  std::vector<std::int64_t> numbers;
  std::int64_t total = 0;
};
Result<Children> ReadChildren(Database& database, CampaignId campaign,
                              std::int64_t node, int limit);

// What a node's row does not have: one row, or none if there is no such node.
Result<Listing> ReadNodeDetail(Database& database, CampaignId campaign,
                               std::int64_t node);
Result<Listing> ReadParentsOf(Database& database, CampaignId campaign,
                              std::int64_t node);
// In how many windows it was shown.
Result<std::int64_t> CountShown(Database& database, CampaignId campaign,
                                std::int64_t node);

// What was measured of it, or of the node that was judged in its place.  Each
// list has a column `ordinal`.
struct Measured {
  Listing evaluations, workload_results, profiles, kernels;
};
Result<Measured> ReadMeasured(Database& database, CampaignId campaign,
                              std::int64_t node);
Result<Listing> ReadTuningTrials(Database& database, CampaignId campaign,
                                 std::int64_t node);
// A row for each timed round: position, workload, shape, runtime_s,
// root_runtime_s, session.
Result<Listing> ReadSamples(Database& database, CampaignId campaign,
                            std::int64_t node, std::int64_t ordinal);

// From the root on: generation, node, verdict, speedup, low, high, technique,
// source.
Result<Listing> ReadLineageSources(Database& database, CampaignId campaign,
                                   std::int64_t node);

// Source and language of a node.
Result<Listing> ReadSource(Database& database, CampaignId campaign,
                           std::int64_t node);

// The calls of the attempt that made a node, in the order made; of each call
// its window, and what was cut of that.
Result<Listing> ReadCallsOf(Database& database, CampaignId campaign,
                            std::int64_t node);
Result<Listing> ReadWindow(Database& database, std::int64_t call);
Result<Listing> ReadWindowCut(Database& database, std::int64_t call);
// Its texts, and what its last request said of sampling: one row, or none.
Result<Listing> ReadCallTexts(Database& database, CampaignId campaign,
                              std::int64_t call);

// A kernel of the same tokens as that node, judged in any campaign of the file.
Result<std::optional<std::int64_t>> KernelHashOf(Database& database,
                                                 CampaignId campaign,
                                                 std::int64_t node);
Result<Listing> ReadKernelHistory(Database& database, std::int64_t kernel_hash);

}  // namespace coppice::store

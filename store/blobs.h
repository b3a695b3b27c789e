// Texts by content: equal texts are stored once, similar ones as a difference.
// There are no trained dictionaries: all but the first text of each kind in a
// campaign have a similar one as their base, which serves better.
//
// REQUIRES: the caller is inside Connection::Write (Put) or Read (Text).
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "store/compression.h"
#include "store/digest.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;

enum class BlobId : std::int64_t {};

// Texts of one kind in one campaign resemble each other.
enum class TextKind : std::uint8_t {
  kSource,
  kLog,
  kSystemPrompt,
  kPlanPrompt,
  kCodePrompt,
  kDebugPrompt,
  kAnswer,
  kProfile,
  kRequest,
  kTemplates,
};

// Whether others will be built on a text.
enum class Future : std::uint8_t {
  kBase,  // A source, since its node may have children.
  kLeaf,  // An answer.
};

class Blobs {
 public:
  // A difference of a difference of ...: so many at most.  Reading costs a
  // frame each, and damage spoils what is built on it.  Measured on
  // tests/tree_memory_benchmark.cc, the file over its texts: 21.1 % with 4,
  // 18.2 % with 8, 17.0 % with 16, 15.7 % with no bound.
  static constexpr int kMaxDepth = 8;

  explicit Blobs(Connection& connection) : connection_(connection) {}

  struct Stored {
    BlobId id;
    Digest digest;
  };

  // `base`: a text that `text` probably resembles.
  Result<Stored> Put(std::string_view text, std::optional<BlobId> base,
                     Future future);

  // Against the last text of that kind in the campaign that this process
  // stored, if it has stored one.
  Result<Stored> PutLike(CampaignId campaign, TextKind kind,
                         std::string_view text);

  // kCorrupt if the text has not the hash it is stored under.
  Result<std::string> Text(BlobId id);

  // After a roll-back: what was stored is not there.
  void Forget();

 private:
  struct Entry {
    std::string text;
    int depth = 0;
    std::optional<BlobId> base;
  };
  Result<const Entry*> Fetch(BlobId id);
  const Entry* Remember(BlobId id, Entry entry);
  void Drop(BlobId id);  // From the recent ones, if it is there.
  Result<BlobId> UsableBase(BlobId base, Future future);
  Result<BlobId> Insert(std::string_view text, const Digest& digest,
                        std::optional<BlobId> base);

  Connection& connection_;
  Compressor compressor_;
  std::map<std::pair<CampaignId, TextKind>, BlobId> latest_;
  // Recently used texts, the newest in front.
  std::list<std::pair<BlobId, Entry>> recent_;
  std::unordered_map<BlobId, std::list<std::pair<BlobId, Entry>>::iterator>
      by_id_;
  std::size_t recent_bytes_ = 0;
};

}  // namespace coppice::store

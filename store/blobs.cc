#include "store/blobs.h"

#include "store/connection.h"

namespace coppice::store {
namespace {

constexpr std::size_t kRecentBytes = 8 << 20;
// A zstd frame has a header of some 10 bytes: shorter texts do not shrink.
constexpr std::size_t kWorthCompressing = 32;
// SQLite holds no larger one; a larger claim is damage, not a text.
constexpr std::size_t kLargestText = 1'000'000'000;

std::string NamedBlob(BlobId id) {
  return "blob " + std::to_string(static_cast<std::int64_t>(id));
}

}  // namespace

Result<Blobs::Stored> Blobs::Put(std::string_view text,
                                 std::optional<BlobId> base, Future future) {
  const Digest digest = Sha256(text);
  const auto found = connection_.Find<BlobId>(
      "SELECT blob_id FROM blob WHERE sha256 = ?", Bytes(digest));
  if (found) return Stored{*found, digest};
  if (text.size() < kWorthCompressing) base.reset();
  if (base) {
    TRY_ASSIGN(base, UsableBase(*base, future));
  }
  TRY(id, Insert(text, digest, base));
  return Stored{id, digest};
}

Result<BlobId> Blobs::Insert(std::string_view text, const Digest& digest,
                             std::optional<BlobId> base) {
  Entry entry{std::string(text), 0, base};
  std::string_view prefix;
  if (base) {
    TRY(below, Fetch(*base));
    prefix = below->text;
    entry.depth = below->depth + 1;
  }
  std::string frame;
  if (text.size() >= kWorthCompressing) {
    TRY_ASSIGN(frame, compressor_.Compress(text, prefix));
  }
  const bool is_stored_raw = frame.empty() || frame.size() >= text.size();
  if (is_stored_raw) {
    entry.base.reset();
    entry.depth = 0;
  }
  const int codec = is_stored_raw ? 0 : 1;
  const Bytes bytes(is_stored_raw ? text : frame);
  connection_.Run(
      "INSERT INTO blob (sha256, raw_bytes, codec, base_blob, depth, bytes)"
      " VALUES (?, ?, ?, ?, ?, ?)",
      Bytes(digest), text.size(), codec, entry.base, entry.depth, bytes);
  const auto id = static_cast<BlobId>(connection_.LastRowId());
  connection_.seals().Came("blob", id, Bytes(digest), text.size(), codec,
                           entry.base, entry.depth, bytes);
  Remember(id, std::move(entry));
  return id;
}

Result<Blobs::Stored> Blobs::PutLike(CampaignId campaign, TextKind kind,
                                     std::string_view text) {
  const auto key = std::make_pair(campaign, kind);
  const auto last = latest_.find(key);
  std::optional<BlobId> base;
  if (last != latest_.end()) base = last->second;
  TRY(stored, Put(text, base, Future::kBase));
  latest_[key] = stored.id;
  return stored;
}

// A base at the end of its chain gives way to its own base if only a leaf is
// to be built on it.  Else it is first moved to the start of the chain: written
// again as a difference of the text that the chain begins with.  Nothing is
// built on it yet, so no other row changes.
Result<BlobId> Blobs::UsableBase(BlobId base, Future future) {
  TRY(entry, Fetch(base));
  if (entry->depth < kMaxDepth) return base;
  if (future == Future::kLeaf) return *entry->base;
  const std::string text = entry->text;
  BlobId start = base;
  while (entry->base) {
    start = *entry->base;
    TRY_ASSIGN(entry, Fetch(start));
  }
  TRY(frame, compressor_.Compress(text, entry->text));
  connection_.Run(
      "UPDATE blob SET base_blob = ?2, depth = 1, bytes = ?3"
      " WHERE blob_id = ?1",
      base, start, Bytes(frame));
  Drop(base);
  return base;
}

Result<std::string> Blobs::Text(BlobId id) {
  TRY(entry, Fetch(id));
  return entry->text;
}

Result<const Blobs::Entry*> Blobs::Fetch(BlobId id) {
  if (const auto found = by_id_.find(id); found != by_id_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    return &found->second->second;
  }
  Entry entry;
  std::string frame;
  std::string stored_digest;
  std::size_t raw_bytes = 0;
  bool is_raw = false;
  {
    Statement read = connection_.Prepare(
        "SELECT sha256, raw_bytes, codec, base_blob, depth, bytes FROM blob"
        " WHERE blob_id = ?");
    if (!read.Bind(id).Step()) {
      return connection_.Missing(NamedBlob(id));
    }
    stored_digest = read.View(0);
    raw_bytes = static_cast<std::size_t>(read.Int(1));
    is_raw = read.Int(2) == 0;
    entry.base = read.OptionalAs<BlobId>(3);
    entry.depth = read.As<int>(4);
    frame = read.View(5);
  }
  if (raw_bytes > kLargestText) {
    return connection_.FailHere(Errc::kCorrupt,
                                NamedBlob(id) + " has an impossible size");
  }
  if (is_raw) {
    entry.text = std::move(frame);
  } else {
    std::string_view prefix;
    if (entry.base) {
      // Ids fall along a chain, so that a damaged one ends too.
      if (*entry.base >= id) {
        return connection_.FailHere(
            Errc::kCorrupt, NamedBlob(id) + " has a base that is not older");
      }
      TRY(below, Fetch(*entry.base));
      prefix = below->text;
    }
    auto text = compressor_.Decompress(frame, prefix, raw_bytes);
    if (!text) {
      return connection_.FailHere(Errc::kCorrupt,
                                  NamedBlob(id) + ": " + text.error().what);
    }
    entry.text = *std::move(text);
  }
  if (Bytes(Sha256(entry.text)).view != stored_digest) {
    return connection_.FailHere(
        Errc::kCorrupt, NamedBlob(id) + " has not the hash it is stored under");
  }
  return Remember(id, std::move(entry));
}

// The newest entry is never dropped, so the pointer holds until the next call.
const Blobs::Entry* Blobs::Remember(BlobId id, Entry entry) {
  recent_bytes_ += entry.text.size();
  recent_.emplace_front(id, std::move(entry));
  by_id_[id] = recent_.begin();
  while (recent_bytes_ > kRecentBytes && recent_.size() > 1) {
    Drop(recent_.back().first);
  }
  return &recent_.front().second;
}

void Blobs::Drop(BlobId id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  recent_bytes_ -= found->second->second.text.size();
  recent_.erase(found->second);
  by_id_.erase(found);
}

void Blobs::Forget() {
  latest_.clear();
  recent_.clear();
  by_id_.clear();
  recent_bytes_ = 0;
}

}  // namespace coppice::store

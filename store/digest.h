// SHA-256, by OpenSSL's libcrypto.
//
// Texts are addressed by it because agents write them: with a weaker hash a
// model could make two sources with one address.  Its cost (about 0.5 us a KB
// with the processor's instructions) is small beside that of a commit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace coppice::store {

using Digest = std::array<std::uint8_t, 32>;

Digest Sha256(std::string_view text);

// 64 lower-case hexadecimal digits.
std::string ToHex(const Digest& digest);

// The first 8 bytes, big endian; 1 instead of 0, which means "no text".
std::uint64_t ShortHash(const Digest& digest);

// Hashes a sequence of fields.  Each is preceded by its length, so that no two
// different sequences give the same bytes.
class FieldHasher {
 public:
  FieldHasher();
  ~FieldHasher();
  FieldHasher(const FieldHasher&) = delete;
  FieldHasher& operator=(const FieldHasher&) = delete;

  void Add(std::string_view field);
  void Add(std::int64_t field);  // Its decimal digits.
  Digest Finish();               // Once; nothing may be added after.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace coppice::store

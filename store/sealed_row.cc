#include "store/sealed_row.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "store/digest.h"

namespace coppice::store {
namespace {

// Lowest byte first, on any processor.
std::uint64_t LowestFirst(std::uint64_t number) {
  if constexpr (std::endian::native == std::endian::big) {
    number = __builtin_bswap64(number);
  }
  return number;
}

}  // namespace

void SealedRow::Begin(std::string_view table) {
  bytes_.clear();
  PutBytes('t', table);
}

void SealedRow::Add(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      Add(sqlite3_value_int64(value));
      return;
    case SQLITE_FLOAT:
      Add(sqlite3_value_double(value));
      return;
    case SQLITE_NULL:
      PutNull();
      return;
    default: {
      const char type = sqlite3_value_type(value) == SQLITE_TEXT ? 't' : 'b';
      const auto* data = static_cast<const char*>(sqlite3_value_blob(value));
      const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
      PutBytes(type, {data == nullptr ? "" : data, size});
    }
  }
}

void SealedRow::Add(double value) {
  if (std::isnan(value)) {
    PutNull();
  } else {
    PutNumber('r', std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value));
  }
}

void SealedRow::PutNumber(char type, std::uint64_t number) {
  std::array<char, 9> bytes;
  bytes[0] = type;
  number = LowestFirst(number);
  std::memcpy(bytes.data() + 1, &number, 8);
  bytes_.append(bytes.data(), bytes.size());
}

void SealedRow::PutBytes(char type, std::string_view value) {
  PutNumber(type, value.size());
  bytes_.append(value);
}

std::uint64_t HashOfRow(std::string_view bytes) {
  const Digest digest = Sha256(bytes);
  std::uint64_t hash = 0;
  std::memcpy(&hash, digest.data(), sizeof hash);
  return LowestFirst(hash);
}

}  // namespace coppice::store

// A row as bytes that stand for its table and its values alone, and their hash.
// Equal rows have equal bytes wherever and however they are stored.
//
// Each value is a letter for its type and what it is: 'n' NULL; 'i' an integer
// and 'r' an IEEE double, of 8 bytes; 't' a text and 'b' a blob, as the number
// of its bytes (an integer of 8 bytes) and these.  Before all stands the name
// of the table, as a text.  Numbers have their lowest byte first.  -0 is 0,
// since SQLite stores it so.
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "store/statement.h"

namespace coppice::store {

// The first 8 bytes of the SHA-256 of a row's bytes, the lowest first.
std::uint64_t HashOfRow(std::string_view bytes);

class SealedRow {
 public:
  void Begin(std::string_view table);
  void Add(sqlite3_value* value);
  // What is bound to a column of the type that SQLite has for it.
  void Add(std::integral auto value) {
    PutNumber('i', static_cast<std::uint64_t>(value));
  }
  void Add(double value);  // NULL, as in SQLite, if it is not a number.
  void Add(const Bytes& blob) { PutBytes('b', blob.view); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void Add(Enum value) { Add(static_cast<std::int64_t>(value)); }
  template <class Value>
  void Add(const std::optional<Value>& value) {
    if (value) {
      Add(*value);
    } else {
      PutNull();
    }
  }

  std::uint64_t Hash() const { return HashOfRow(bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void PutNull() { bytes_ += 'n'; }
  void PutNumber(char type, std::uint64_t number);
  void PutBytes(char type, std::string_view value);

  std::string bytes_;
};

}  // namespace coppice::store

#pragma once
// The file below the store: rows in SQLite, one for each object, by the version that wrote it.
//
// A row's key is its version, so that a write appends and the latest version is the last key. The row that an object had before goes in
// the same transaction; a deletion leaves a row without an object until the next write. Each row carries a checksum: what was damaged is
// refused, never served.
// Not thread-safe.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace allot::apiserver {

class Database {
 public:
  struct Row {
    uint64_t version = 0;
    uint64_t replaces = 0;  // the version of the row that goes; 0: none
    bool deleted = false;   // the object is gone: only the version is kept
    std::string_view resource, space, name, uid, json;
  };

  // See Store::Open.
  static Result<std::unique_ptr<Database>> Open(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Calls `row` for each object, in the order of versions; returns the latest version, that of a deletion included.
  Result<uint64_t> Load(const std::function<void(const Row&)>& row);

  // All of the rows, or none; their versions rise. Lasting when it returns ok. kExhausted: no space; kUnavailable: anything else.
  Status Commit(const std::vector<Row>& rows);

  // Gives the space of what is gone back to the file system; CompactIfWorth only where that is much, and most of the file.
  Status Compact();
  Status CompactIfWorth();

  // No more pages than this (of 4 KiB): a full disk, for tests.
  Status LimitPages(int pages);

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}
  Status Prepare();
  Status CheckFormat(const std::string& path);
  Status Run(const char* sql);
  Result<int> Number(const char* sql);
  Status Error(std::string_view doing) const;
  Status Step(sqlite3_stmt* statement);
  Status RemoveRow(uint64_t version);
  Status InsertRow(const Row& row);
  Status WriteRows(const std::vector<Row>& rows);

  sqlite3* handle_;
  sqlite3_stmt *begin_ = nullptr, *commit_ = nullptr, *insert_ = nullptr, *remove_ = nullptr;
  uint64_t tombstone_ = 0;  // the row of the last deletion, while nothing was written since
};

}  // namespace allot::apiserver

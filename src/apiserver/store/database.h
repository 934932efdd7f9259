#pragma once
// The store's file: rows in SQLite, one for each object, keyed by the version that wrote it.
//
// A write appends a row, and the latest version is the last key. The object's previous row is deleted in the same transaction. A deletion
// leaves a row without an object until the next write. Each row has a checksum, so damaged data is rejected, never served.
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
    uint64_t replaces = 0;  // version of the row to delete; 0: none
    bool deleted = false;   // the object is gone: only the version is kept
    std::string_view resource, space, name, uid, json;
  };

  // See Store::Open.
  static Result<std::unique_ptr<Database>> Open(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Calls `row` for each object, in the order of versions. Returns the latest version, including deletions.
  Result<uint64_t> Load(const std::function<void(const Row&)>& row);

  // Writes all rows or none; their versions increase. Durable when it returns ok. Returns kExhausted if the disk is full, else
  // kUnavailable.
  Status Commit(const std::vector<Row>& rows);

  // Return free space to the file system. CompactIfWorth does so only if it is much, and most of the file.
  Status Compact();
  Status CompactIfWorth();

  // For tests: limits the file to this many pages of 4 KiB, like a full disk.
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
  uint64_t tombstone_ = 0;  // the row of the last deletion, until the next write
};

}  // namespace allot::apiserver

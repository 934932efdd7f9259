#include "apiserver/store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/system_error.h"

namespace allot::apiserver {

namespace {

constexpr int kFormat = 1;                // user_version: raised when older programs cannot read the file
constexpr int kApplication = 0x616c6c6f;  // application_id: "allo"
constexpr int kWorthPages = 4096;         // 16 MiB
constexpr const char* kTable =
    "CREATE TABLE objects(version INTEGER PRIMARY KEY, sum INTEGER NOT NULL, resource TEXT, space TEXT, name TEXT, uid TEXT, json TEXT)";

// FNV-1a over all parts, each with its length.
int64_t Checksum(const Database::Row& row) {
  uint64_t sum = 14695981039346656037ULL;
  const auto add = [&](const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211ULL;
  };
  add(&row.version, sizeof row.version);
  for (const std::string_view part : {row.resource, row.space, row.name, row.uid, row.json}) {
    const uint64_t size = part.size();
    add(&size, sizeof size);
    add(part.data(), part.size());
  }
  return static_cast<int64_t>(sum);
}

std::string_view TextAt(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
}

int Bind(sqlite3_stmt* statement, int index, std::string_view text) {
  return sqlite3_bind_text64(statement, index, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

// Returns the errno behind SQLite's I/O error, or 0 if unknown. The database records it for a statement, but not for a COMMIT; then one of
// its files has it, the second being the log.
int LastErrno(sqlite3* handle) {
  for (const int which : {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER}) {
    sqlite3_file* file = nullptr;
    int error = 0;
    if (sqlite3_file_control(handle, "main", which, static_cast<void*>(&file)) != SQLITE_OK || file == nullptr || file->pMethods == nullptr)
      continue;
    if (file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error) == SQLITE_OK && error != 0) return error;
  }
  return sqlite3_system_errno(handle);
}

struct Finalizer {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

}  // namespace

Database::~Database() {
  for (sqlite3_stmt* statement : {begin_, commit_, insert_, remove_}) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

Status Database::Error(std::string_view doing) const {
  const int code = sqlite3_errcode(handle_) & 0xff;
  std::string message = StrCat(doing, ": ", sqlite3_errmsg(handle_));
  // The advice is part of the message, because the message also reaches the clients of the API.
  const auto full = [this](std::string_view error) {
    const char* const file = sqlite3_db_filename(handle_, "main");
    return Status(Code::kExhausted, StrCat(error, "; free space on the disk of ", file == nullptr ? "the store" : file));
  };
  switch (code) {
    case SQLITE_FULL: return full(message);
    case SQLITE_IOERR: {
      // SQLite reports "disk I/O error" for all of these, including a full disk found by a quota or a sync.
      const int cause = LastErrno(handle_);
      if (cause != 0) message += StrCat(": ", std::generic_category().message(cause));
      return cause == ENOSPC || cause == EDQUOT ? full(message) : Unavailable(message);
    }
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_READONLY:
      return Invalid(message, "; the file is damaged: restore it from a copy, or move it away to start with an empty store");
    case SQLITE_BUSY: return SystemFailure(EBUSY, "another process has it open");
    default: return Unavailable(message);
  }
}

Status Database::Run(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return Error("SQLite");
  return Status();
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path) {
  // The file contains secrets. SQLite gives the files beside it the same mode.
  if (const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); made >= 0) ::close(made);
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(handle));
  Status status = opened == SQLITE_OK ? database->Prepare() : database->Error("open");
  if (!status.ok()) return std::move(status).Context("store ", path);
  return database;
}

// Takes the lock with the first write and keeps it, so no second process can open the file, and SQLite needs no shared memory file.
Status Database::Prepare() {
  TRY(Run("PRAGMA locking_mode=EXCLUSIVE"));
  TRY(CheckFormat(sqlite3_db_filename(handle_, "main")));
  TRY(Run("PRAGMA journal_mode=WAL"));
  TRY(Run("PRAGMA synchronous=FULL"));
  TRY(Run("PRAGMA cache_size=-2048"));  // objects are read from memory; the cache is only for pages being written
  // Write once, to detect a read-only file now.
  TRY(Run("BEGIN IMMEDIATE"));
  Status written = Run(StrCat("PRAGMA user_version=", kFormat).c_str());
  if (written.ok()) written = Run("COMMIT");
  if (sqlite3_get_autocommit(handle_) == 0) TRY(Run("ROLLBACK"));
  if (!written.ok() && written.code() != Code::kExhausted) return written;  // a full disk can still be read
  const std::pair<sqlite3_stmt**, const char*> statements[] = {
      {&begin_, "BEGIN IMMEDIATE"},
      {&commit_, "COMMIT"},
      {&insert_, "INSERT INTO objects(version,sum,resource,space,name,uid,json) VALUES(?,?,?,?,?,?,?)"},
      {&remove_, "DELETE FROM objects WHERE version=?"},
  };
  for (const auto& [statement, sql] : statements) {
    if (sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, nullptr) != SQLITE_OK) return Error("prepare");
  }
  return Status();
}

Result<int> Database::Number(const char* sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(handle_, sql, -1, &raw, nullptr) != SQLITE_OK) return Error("read");
  const Statement statement(raw);
  if (sqlite3_step(raw) != SQLITE_ROW) return Error("read");
  return sqlite3_column_int(raw, 0);
}

Status Database::CheckFormat(const std::string& path) {
  ASSIGN_OR_RETURN(const int application, Number("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int format, Number("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const int tables, Number("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && format == 0 && tables == 0) {
    TRY(Run("BEGIN IMMEDIATE"));
    TRY(Run(kTable));
    TRY(Run(StrCat("PRAGMA application_id=", kApplication).c_str()));
    TRY(Run(StrCat("PRAGMA user_version=", kFormat).c_str()));
    return Run("COMMIT");
  }
  if (application != kApplication) return Invalid("this is not a store of allot; name another file");
  if (format > kFormat) {
    return Unsupported("a newer allot wrote it (format ", format, "; this one knows ", kFormat,
                       "); start the newer one, or name another file");
  }
  // Detect a truncated or overwritten file now, not when a lost object is read.
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(handle_, "PRAGMA quick_check(1)", -1, &raw, nullptr) != SQLITE_OK) return Error("check");
  const Statement statement(raw);
  if (sqlite3_step(raw) != SQLITE_ROW || TextAt(raw, 0) != "ok") {
    return Invalid("the file is damaged (", sqlite3_column_count(raw) > 0 ? TextAt(raw, 0) : "unreadable",
                   "): restore it from a copy, or move ", std::filesystem::path(path).filename().string(),
                   " away to start with an empty store");
  }
  return Status();
}

Result<uint64_t> Database::Load(const std::function<void(const Row&)>& each) {
  sqlite3_stmt* raw = nullptr;
  constexpr const char* kSelect = "SELECT version,sum,resource,space,name,uid,json FROM objects ORDER BY version";
  if (sqlite3_prepare_v2(handle_, kSelect, -1, &raw, nullptr) != SQLITE_OK) return Error("read");
  const Statement statement(raw);
  uint64_t latest = 0;
  int step = 0;
  while ((step = sqlite3_step(raw)) == SQLITE_ROW) {
    Row row;
    row.version = static_cast<uint64_t>(sqlite3_column_int64(raw, 0));
    row.deleted = sqlite3_column_type(raw, 6) == SQLITE_NULL;
    row.resource = TextAt(raw, 2);
    row.space = TextAt(raw, 3);
    row.name = TextAt(raw, 4);
    row.uid = TextAt(raw, 5);
    row.json = TextAt(raw, 6);
    if (Checksum(row) != sqlite3_column_int64(raw, 1)) {
      return Invalid("the row of version ", row.version, " (", row.resource, " ", row.name, ") is damaged; restore the file from a copy");
    }
    latest = row.version;
    tombstone_ = row.deleted ? row.version : 0;
    if (!row.deleted) each(row);
  }
  if (step != SQLITE_DONE) return Error("read");
  return latest;
}

Status Database::Step(sqlite3_stmt* statement) {
  const Status status = sqlite3_step(statement) == SQLITE_DONE ? Status() : Error("write");
  sqlite3_reset(statement);
  return status;
}

Status Database::RemoveRow(uint64_t version) {
  if (version == 0) return Status();
  sqlite3_bind_int64(remove_, 1, static_cast<int64_t>(version));
  return Step(remove_);
}

Status Database::InsertRow(const Row& row) {
  sqlite3_bind_int64(insert_, 1, static_cast<int64_t>(row.version));
  sqlite3_bind_int64(insert_, 2, Checksum(row));
  Bind(insert_, 3, row.resource);
  Bind(insert_, 4, row.space);
  Bind(insert_, 5, row.name);
  Bind(insert_, 6, row.uid);
  row.deleted ? sqlite3_bind_null(insert_, 7) : Bind(insert_, 7, row.json);
  return Step(insert_);
}

Status Database::WriteRows(const std::vector<Row>& rows) {
  TRY(Step(begin_));
  TRY(RemoveRow(tombstone_));
  for (const Row& row : rows) {
    TRY(RemoveRow(row.replaces));
    if (!row.deleted) TRY(InsertRow(row));
  }
  // A restart must know that the last version was a deletion.
  if (rows.back().deleted) {
    Row last;
    last.version = rows.back().version;
    last.deleted = true;
    TRY(InsertRow(last));
  }
  return Step(commit_);
}

Status Database::Commit(const std::vector<Row>& rows) {
  if (rows.empty()) return Status();
  const Status status = WriteRows(rows);
  if (status.ok()) {
    tombstone_ = rows.back().deleted ? rows.back().version : 0;
  } else if (sqlite3_get_autocommit(handle_) == 0) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return status;
}

Status Database::Compact() {
  TRY(Run("VACUUM"));
  return Run("PRAGMA wal_checkpoint(TRUNCATE)");
}

Status Database::CompactIfWorth() {
  ASSIGN_OR_RETURN(const int free, Number("PRAGMA freelist_count"));
  ASSIGN_OR_RETURN(const int all, Number("PRAGMA page_count"));
  return free > kWorthPages && free > all / 2 ? Compact() : Status();
}

Status Database::LimitPages(int pages) { return Run(StrCat("PRAGMA max_page_count=", pages).c_str()); }

}  // namespace allot::apiserver

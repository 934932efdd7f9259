#pragma once
// For tests: a folder that is removed with the test, and waiting for conditions that other processes cause.

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "base/strings.h"
#include "base/test_util.h"

namespace allot::local {

class TestFolder {
 public:
  TestFolder() {
    std::string pattern = (std::filesystem::path(testing::TempDir()) / "allot-local-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return StrCat(path_, "/", name); }

 private:
  std::string path_;
};

// Whether the condition becomes true within `limit`.
template <typename Condition>
bool Eventually(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(30)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

inline std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The texts of a log's entries, one line each.
inline std::string LogText(const std::string& folder) {
  std::istringstream lines(FileText(folder + "/log"));
  std::string all, line;
  while (std::getline(lines, line)) {
    const size_t text = line.find(' ', line.find(' ', line.find(' ') + 1) + 1) + 1;
    all += line.substr(text) + "\n";
  }
  return all;
}

}  // namespace allot::local

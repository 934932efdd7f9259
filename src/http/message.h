#pragma once
// Requests and responses of HTTP/1.1 as values.

#include <string>
#include <string_view>
#include <vector>

namespace allot::http {

// In the order in which they were added. Names are compared without case.
class Headers {
 public:
  struct Field {
    std::string name, value;
  };

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  // The first of that name; empty when there is none.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;
  // Replaces all of that name.
  void Set(std::string_view name, std::string_view value);
  void Add(std::string_view name, std::string_view value) { fields_.push_back({std::string(name), std::string(value)}); }
  void Remove(std::string_view name);

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<Field> fields_;
};

struct Request {
  std::string method = "GET";
  std::string target = "/";  // path and query, as it stands in the request line
  Headers headers;
  std::string body;
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

// "Not Found" for 404; "Unknown" for what has no name.
std::string_view ReasonPhrase(int status);

}  // namespace allot::http

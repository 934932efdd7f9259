#pragma once
// HTTP/1.1 requests and responses as values.

#include <string>
#include <string_view>
#include <vector>

namespace allot::http {

// Headers in the order of their addition. Names are case-insensitive.
class Headers {
 public:
  struct Field {
    std::string name, value;
  };

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  // The first value of the name, or empty.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;
  // Replaces all values of the name.
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
  std::string target = "/";  // path and query, as in the request line
  Headers headers;
  std::string body;
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

// "Not Found" for 404; "Unknown" for an unknown status.
std::string_view ReasonPhrase(int status);

}  // namespace allot::http

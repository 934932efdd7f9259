#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "json/json.h"

namespace allot::json {

namespace {

// Bytes that need no escape in a string.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t c = 0x20; c < 0x100; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// Returns how many bytes from `at` on need no escape, checked eight at a time. That covers nearly all of most strings.
size_t CountPlain(std::string_view text, size_t at) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const auto has_zero = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHighs; };
  const size_t begin = at;
  for (uint64_t bytes = 0; text.size() - at >= sizeof bytes; at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const uint64_t low = (bytes - kOnes * 0x20) & ~bytes & kHighs;
    if ((low | has_zero(bytes ^ kOnes * '"') | has_zero(bytes ^ kOnes * '\\')) != 0) break;
  }
  return at - begin;
}

void WriteString(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  size_t done = 0;
  for (size_t i = CountPlain(text, 0); i < text.size(); ++i) {
    const char c = text[i];
    if (kPlain[static_cast<unsigned char>(c)]) continue;
    out.append(text, done, i - done);
    done = i + 1;
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        out += "\\u00";
        out += kHex[c >> 4 & 0xF];
        out += kHex[c & 0xF];
    }
  }
  out.append(text, done);
  out += '"';
}

class Writer {
 public:
  static constexpr size_t kUsual = 512;  // initial buffer size in bytes

  explicit Writer(WriteOptions options) : indent_(options.indent > 0 ? static_cast<size_t>(options.indent) : 0) { out_.reserve(kUsual); }

  void Write(const Value& value) {
    switch (value.kind()) {
      case Kind::kNull: out_ += "null"; break;
      case Kind::kBool: out_ += value.AsBool() ? "true" : "false"; break;
      case Kind::kNumber: out_ += value.NumberText(); break;
      case Kind::kString: WriteString(out_, value.AsString()); break;
      case Kind::kArray: WriteList('[', value.Items(), ']', [this](const Value& item) { Write(item); }); break;
      case Kind::kObject:
        WriteList('{', value.Members(), '}', [this](const Member& member) {
          WriteString(out_, member.key);
          out_ += indent_ > 0 ? ": " : ":";
          Write(member.value);
        });
        break;
    }
  }

  std::string Take() && { return std::move(out_); }

 private:
  template <typename T, typename WriteOne>
  void WriteList(char open, std::span<const T> list, char close, WriteOne write_one) {
    out_ += open;
    ++depth_;
    for (const T& one : list) {
      if (&one != list.data()) out_ += ',';
      NewLine();
      write_one(one);
    }
    --depth_;
    if (!list.empty()) NewLine();
    out_ += close;
  }

  void NewLine() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(depth_ * indent_, ' ');
  }

  const size_t indent_;
  size_t depth_ = 0;
  std::string out_;
};

}  // namespace

std::string Write(const Value& value, WriteOptions options) {
  Writer writer(options);
  writer.Write(value);
  return std::move(writer).Take();
}

}  // namespace allot::json

// Compares how our schema and Kubernetes' own types decode random request bodies. tests/conformance/schema/differential runs it.

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "apiserver/schema/normalize.h"
#include "json/json.h"
#include "tests/conformance/generate_random.h"
#include "tests/conformance/oracle_process.h"

namespace {

using allot::Quoted;
using allot::StrCat;
using allot::apiserver::Field;
using allot::apiserver::Schema;
using allot::apiserver::Shape;
using allot::apiserver::Type;
using allot::conformance::Dice;

// Makes random bodies of a type as JSON text, sometimes with an error.
class Generator {
 public:
  explicit Generator(uint64_t seed) : dice_(seed, 77), wrong_(dice_.Percent(30)) {}

  Dice& dice() { return dice_; }

  std::string Make(const Type& type, int depth) {
    if (dice_.Percent(4)) return "null";
    // Some fields accept a schema, or a list or a bool instead; our tables do not say which.
    const bool open = type.shape == Shape::kAny && type.element != nullptr;
    if (wrong_ && !open && dice_.PerMille(15))
      return dice_.Pick<const char*>({"1", "1.5", "true", R"("x")", "[]", "{}", R"(["x"])", "[7,null]"});
    switch (type.shape) {
      case Shape::kString: return dice_.Pick<const char*>({R"("")", R"("a")", R"("x y")", R"("é")", R"("0")"});
      case Shape::kBool: return dice_.Pick<const char*>({"true", "false"});
      case Shape::kInt32: return Number({"0", "1", "-5", "2147483647", "-2147483648", "-0"}, "2147483648");
      case Shape::kInt64: return Number({"0", "1", "9223372036854775807", "-9223372036854775808"}, "9223372036854775808");
      case Shape::kDouble: return Number({"0", "-0", "1.50", "1e3", "1e-7", "1.25e21", "123456789", "0.000001", "1e-400"}, "1e400");
      case Shape::kBytes: return Number({R"("")", R"("YQ==")", R"("YR==")", R"("Y\nWI=")", R"("YWJj")"}, R"("YQ=")");
      case Shape::kTime:
        return Number({R"("2026-01-01T00:00:00Z")", R"("2026-01-01T5:00:00.123+05:30")", R"("0001-01-01T00:00:00Z")"},
                      R"("2026-02-30T00:00:00Z")");
      case Shape::kMicroTime:
        return Number({R"("2026-01-01T00:00:00.000000Z")", R"("2026-01-01T00:00:00.000123-01:00")"}, R"("2026-01-01T00:00:00Z")");
      case Shape::kDuration: return R"("1h0m0s")";
      case Shape::kQuantity:
        return Number({R"("1")", R"("0.5")", R"("1024Mi")", R"("1e3")", "3", "1.5", R"("100m")", R"("1000")", R"("0")"}, R"("1x")");
      case Shape::kIntOrString: return Number({"5", R"("50%")", "0", R"("")"}, "1.5");
      case Shape::kAny: return type.element != nullptr ? MakeStruct(*type.element, depth + 1) : Any();
      case Shape::kStruct: return MakeStruct(type, depth + 1);
      case Shape::kList: return MakeList(type, depth + 1);
      case Shape::kMap: return MakeMap(type, depth + 1);
    }
    return "null";
  }

 private:
  std::string Number(std::initializer_list<const char*> right, const char* wrong) {
    return wrong_ && dice_.PerMille(15) ? wrong : dice_.Pick(right);
  }

  std::string Any() { return dice_.Pick<const char*>({R"({"z":1.0,"a":[null,1e2],"b":{}})", "{}", R"({"x":{"y":true}})"}); }

  std::string MakeStruct(const Type& type, int depth) {
    std::vector<std::string> members;
    const int chance = depth > 9 ? 0 : std::clamp(400 / static_cast<int>(type.fields.size() + 1), 8, 80);
    for (const Field& field : type.fields) {
      if (!dice_.Percent(chance)) continue;
      std::string value = Make(*field.type, depth);
      members.push_back(StrCat(Quoted(field.name), ":", value));
    }
    if (dice_.Percent(5)) members.push_back(R"("nonsense":{"a":1})");
    if (dice_.Percent(2)) members.push_back(R"("Kind":"x")");
    dice_.Shuffle(members);
    return StrCat("{", allot::Join(members, ","), "}");
  }

  std::string MakeList(const Type& type, int depth) {
    std::vector<std::string> items(dice_.Index(depth > 9 ? 1 : 3));
    for (std::string& item : items) item = Make(*type.element, depth);
    return StrCat("[", allot::Join(items, ","), "]");
  }

  std::string MakeMap(const Type& type, int depth) {
    std::vector<std::string> members;
    for (const char* key : {"b.c/d", "a", "", "B"}) {
      if (!dice_.Percent(depth > 9 ? 0 : 35)) continue;
      const std::string value = Make(*type.element, depth);
      // Maps of lists are only in reviews, which are not stored, unlike the oracle assumes.
      if (type.element->shape == Shape::kList && value == "null") continue;
      members.push_back(StrCat("\"", key, "\":", value));
    }
    return StrCat("{", allot::Join(members, ","), "}");
  }

  Dice dice_;
  const bool wrong_;
};

// An error without details of Go's types, which we do not have: the names of inlined structs in the path, and of named strings and numbers.
std::string Comparable(std::string_view error) {
  if (const size_t at = error.find(" of type "); at != error.npos) error = error.substr(0, at);
  for (const std::string_view start : {"quantities must match", "illegal base64 data"}) {
    if (error.starts_with(start)) return std::string(start);
  }
  if (error.starts_with("unable to parse quantity") || error.starts_with("unable to parse numeric")) return "quantities must match";
  if (error.starts_with("parsing time ")) return std::string(error.substr(0, error.find(" (")));
  std::string text;
  for (const std::string_view part : allot::Split(error, '.')) {
    const bool inlined = !text.empty() && !part.empty() && part[0] >= 'A' && part[0] <= 'Z' && part != "Port";
    if (!inlined) text += StrCat(text.empty() ? "" : ".", part);
  }
  return text;
}

struct Outcome {
  std::string value, unknown, error;
};

Outcome Ours(const Type& type, const std::string& body) {
  auto document = allot::json::Parse(body);
  CHECK(document.ok());
  allot::json::Editor edit(document->arena());
  const auto normalized = allot::apiserver::Normalize(edit, type, document->root());
  if (!normalized.ok()) return {"", "", Comparable(normalized.status().message())};
  return {allot::json::Write(normalized->value), allot::Join(normalized->unknown, " "), ""};
}

Outcome Theirs(const allot::json::Value& answer) {
  if (!answer["error"].IsNull()) return {"", "", Comparable(answer["error"].AsString())};
  std::vector<std::string> unknown;
  for (const auto& path : allot::json::ItemsOf(answer["unknown"])) unknown.emplace_back(path.AsString());
  return {allot::json::Write(answer["value"]), allot::Join(unknown, " "), ""};
}

struct Counts {
  uint64_t written = 0, refused = 0, differed = 0;
};

allot::Result<Counts> Run(uint64_t count, uint64_t first, const std::string& oracle_path) {
  ASSIGN_OR_RETURN(allot::conformance::Oracle oracle, allot::conformance::Oracle::Start(oracle_path));
  std::vector<const Type*> kinds;
  for (const auto& [name, type] : Schema::BuiltIn().types()) {
    if (!type->kind.empty() && !type->kind.ends_with("List") && type->kind != "Table") kinds.push_back(type);
  }
  Counts counts;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Generator generator(seed);
    const Type& type = *generator.dice().Pick(kinds);
    const std::string body = generator.Make(type, 0);
    ASSIGN_OR_RETURN(const allot::json::Document answer, oracle.Ask(StrCat(R"({"group":")", type.group, R"(","version":")", type.version,
                                                                           R"(","kind":")", type.kind, R"(","body":)", body, "}")));
    const Outcome ours = Ours(type, body), theirs = Theirs(answer.root());
    if (ours.value == theirs.value && ours.unknown == theirs.unknown && ours.error == theirs.error) {
      ++(ours.error.empty() ? counts.written : counts.refused);
      continue;
    }
    ++counts.differed;
    std::printf("seed %lu: %s\n  body   %s\n  ours   %s%s [%s]\n  theirs %s%s [%s]\n", seed, type.kind.c_str(), body.c_str(),
                ours.value.c_str(), ours.error.c_str(), ours.unknown.c_str(), theirs.value.c_str(), theirs.error.c_str(),
                theirs.unknown.c_str());
  }
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [](const char* text, uint64_t& to) {
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), to);
    return error == std::errc() && *end == '\0';
  };
  uint64_t count = 0, first = 0;
  if (argc != 4 || !number(argv[1], count) || !number(argv[2], first) || count == 0) {
    std::fputs("usage: allot_schema_differential COUNT FIRST_SEED ORACLE\n", stderr);
    return 2;
  }
  const allot::Result<Counts> counts = Run(count, first, argv[3]);
  if (!counts.ok()) {
    std::fprintf(stderr, "error: %s\n", counts.status().message().c_str());
    return 1;
  }
  std::printf("schema: seeds %lu to %lu: agreed on %lu objects and %lu errors, %lu disagreements\n", first, first + count - 1,
              counts->written, counts->refused, counts->differed);
  return counts->differed > 0 || counts->written == 0 ? 1 : 0;
}

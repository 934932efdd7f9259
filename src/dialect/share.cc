#include "dialect/share.h"

#include <algorithm>
#include <limits>
#include <set>

#include "json/editor.h"
#include "json/json.h"
#include "model/quantity.h"

namespace allot::dialect {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kBillion = 1'000'000'000;
constexpr int64_t kMostGpus = 32;  // of one claim
constexpr size_t kMostSizes = 7;   // of eight alternatives
constexpr std::string_view kClass = "gpu.nvidia.com";

std::string LowerWithoutSpaces(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    if (c != ' ') lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

std::string MemoryText(int64_t mib) { return StrCat(mib, "Mi"); }

class Writer {
 public:
  Writer() : edit_(arena_) {}

  json::Value Selector(const std::string& expression) {
    return edit_.Object({{"cel", edit_.Object({{"expression", edit_.String(expression)}})}});
  }

  // One way to satisfy a request.
  json::Value Ask(std::vector<json::Value> selectors, std::optional<int64_t> mib) {
    json::Value ask =
        edit_.Object({{"deviceClassName", edit_.String(kClass)}, {"allocationMode", edit_.String("ExactCount")}, {"count", edit_.Int(1)}});
    if (!selectors.empty()) ask = edit_.Set(ask, "selectors", edit_.Array(selectors));
    if (mib) ask = edit_.SetAt(ask, {"capacity", "requests", "memory"}, edit_.String(MemoryText(*mib)));
    return ask;
  }

  json::Value Request(const Share& share, const std::string& name, const std::set<int64_t>& sizes) {
    std::vector<json::Value> selectors;
    if (!share.model.empty()) {
      selectors.push_back(Selector(StrCat("device.attributes[\"gpu.nvidia.com\"].productName.lowerAscii().replace(\" \", \"\").contains(\"",
                                          LowerWithoutSpaces(share.model), "\")")));
    }
    if (!share.fraction) {
      return edit_.Object({{"name", edit_.String(name)}, {"exactly", Ask(selectors, share.memory_mib)}});
    }
    constexpr std::string_view kMemory = "device.capacity[\"gpu.nvidia.com\"].memory";
    std::vector<json::Value> alternatives;
    std::string others;
    for (const int64_t size : sizes) {
      const std::string same = StrCat(kMemory, ".compareTo(quantity(\"", MemoryText(size), "\")) == 0");
      others += StrCat(others.empty() ? "" : " && ", "!(", same, ")");
      std::vector<json::Value> own = selectors;
      own.push_back(Selector(same));
      alternatives.push_back(edit_.Set(Ask(own, share.fraction->Of(size)), "name", edit_.String(StrCat("of-", size))));
    }
    std::vector<json::Value> rest = selectors;
    rest.push_back(Selector(others));
    alternatives.push_back(edit_.Set(Ask(rest, share.fraction->Of(*sizes.rbegin())), "name", edit_.String("of-other")));
    return edit_.Object({{"name", edit_.String(name)}, {"firstAvailable", edit_.Array(alternatives)}});
  }

  json::Editor& edit() { return edit_; }

 private:
  json::Arena arena_;
  json::Editor edit_;
};

}  // namespace

Result<Fraction> Fraction::Parse(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return Invalid(Quoted(text), " ", why, "; give a part of a GPU between 0 and 1, like 0.5");
  };
  const Result<model::Quantity> quantity = model::Quantity::Parse(text);
  if (!quantity.ok()) return fail("is not a number");
  // A quantity with an exponent or a suffix may have been rounded already.
  if (text.find_first_not_of("+-.0123456789") != text.npos) return fail("has an exponent or a unit");
  const model::Quantity whole = model::Quantity::FromInt64(1, model::Quantity::Format::kDecimalSI);
  if (quantity->Sign() <= 0) return fail("is not above 0");
  if (*quantity == whole) return fail("is a whole GPU, which is given where no fraction is asked for");
  if (*quantity > whole) return fail("is more than a whole GPU");
  // A quantity is rounded up at one billionth: what is smaller than that would become something else.
  const size_t dot = text.find('.');
  if (dot != text.npos && text.size() - dot - 1 > 9) return fail("has more than 9 decimals");
  Fraction fraction;
  fraction.text_ = text;
  const double parts = quantity->AsApproximateFloat64() * static_cast<double>(kBillion);
  fraction.billionths_ = static_cast<int64_t>(parts + 0.5);
  return fraction;
}

int64_t Fraction::Of(int64_t mib) const { return mib / kBillion * billionths_ + mib % kBillion * billionths_ / kBillion; }

Result<int64_t> ParseMemory(std::string_view text) {
  const Result<model::Quantity> quantity = model::Quantity::Parse(text);
  const auto fail = [&](std::string_view why, std::string_view instead) { return Invalid(Quoted(text), " ", why, "; give ", instead); };
  constexpr std::string_view kAmount = "an amount like 6Gi or 6144Mi";
  if (!quantity.ok()) return fail("is not an amount", kAmount);
  if (quantity->Sign() <= 0) return fail("is not above 0", StrCat(kAmount, ", or none for a whole GPU"));
  const std::optional<int64_t> bytes = quantity->Value();  // rounded up
  // Kubernetes takes what is larger than any number for the largest one.
  if (!bytes || *bytes == std::numeric_limits<int64_t>::max()) return fail("is more than any GPU has", kAmount);
  if (*quantity < model::Quantity::FromInt64(kMiB, quantity->format())) {
    const bool is_number = text.find_first_not_of("0123456789") == text.npos;
    return fail("is less than a MiB", is_number && text.size() < 4 ? StrCat("a unit with it: ", text, "Gi") : kAmount);
  }
  if (*bytes % kMiB != 0 || model::Quantity::FromInt64(*bytes, quantity->format()) != *quantity) {
    // The bytes are rounded up: where they are whole MiB, it is a bit less than these.
    const int64_t above = (*bytes - 1) / kMiB + 1;
    return fail("is not a whole number of MiB", StrCat(above - 1, "Mi or ", above, "Mi"));
  }
  return *bytes / kMiB;
}

Status CheckModel(std::string_view model) {
  const auto is_bad = [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' ') || c == 0x7f; };
  if (!LowerWithoutSpaces(model).empty() && std::none_of(model.begin(), model.end(), is_bad)) return Status();
  return Invalid(Quoted(model), " is no name of a GPU; give a part of one, like rtx3090");
}

bool IsOfModel(std::string_view product_name, std::string_view model) {
  return LowerWithoutSpaces(product_name).find(LowerWithoutSpaces(model)) != std::string::npos;
}

Result<std::string> ClaimSpec(const Share& share, std::span<const int64_t> sizes) {
  if (share.memory_mib && share.fraction) return Invalid("memory and fraction exclude each other; give one of them");
  if (share.gpus < 1 || share.gpus > kMostGpus) return Invalid("gpus: ", share.gpus, " is not from 1 to ", kMostGpus);
  if (!share.model.empty()) TRY(CheckModel(share.model).Context("model"));
  std::set<int64_t> known(sizes.begin(), sizes.end());
  known.erase(0);
  if (share.fraction && known.empty()) {
    return Unavailable("no GPU has told its memory yet, of which ", share.fraction->text(), " is asked for; ask for an amount instead");
  }
  // The largest are the ones that matter most when they are charged wrongly.
  while (known.size() > kMostSizes) known.erase(known.begin());
  for (const int64_t size : known) {
    if (share.fraction && share.fraction->Of(size) == 0) {
      return Invalid("fraction: ", share.fraction->text(), " of ", size, " MiB is less than a MiB; give a larger part");
    }
  }
  Writer writer;
  std::vector<json::Value> requests;
  for (int64_t i = 0; i < share.gpus; ++i) requests.push_back(writer.Request(share, share.gpus == 1 ? "gpu" : StrCat("gpu-", i), known));
  json::Editor& edit = writer.edit();
  json::Value devices = edit.Object({{"requests", edit.Array(requests)}});
  if (share.gpus > 1) {
    devices = edit.Set(devices, "constraints", edit.Array({edit.Object({{"distinctAttribute", edit.String("gpu.nvidia.com/uuid")}})}));
  }
  return json::Write(edit.Object({{"devices", devices}}));
}

}  // namespace allot::dialect

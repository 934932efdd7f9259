#include "dialect/share.h"

#include <algorithm>
#include <limits>
#include <set>

#include "model/quantity.h"

namespace allot::dialect {
namespace {

using model::MiB;

constexpr int64_t kMostGpus = 32;  // per claim
constexpr size_t kMostSizes = 7;   // with the alternative for other sizes, the eight that Kubernetes allows
constexpr std::string_view kClass = "gpu.nvidia.com";

std::string LowerWithoutSpaces(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    if (c != ' ') lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

// Returns the sizes that a claim distinguishes: the largest ones, because a wrong charge on them wastes the most memory.
std::set<MiB> SizesOf(const Facts& facts) {
  std::set<MiB> sizes(facts.gpu_sizes.begin(), facts.gpu_sizes.end());
  sizes.erase(MiB(0));
  while (sizes.size() > kMostSizes) sizes.erase(sizes.begin());
  return sizes;
}

class Writer {
 public:
  explicit Writer(json::Editor& edit) : edit_(edit) {}

  json::Value Selector(const std::string& expression) {
    return edit_.Object({{"cel", edit_.Object({{"expression", edit_.String(expression)}})}});
  }

  // Returns one alternative of a request.
  json::Value Ask(std::vector<json::Value> selectors, std::optional<MiB> memory) {
    json::Value ask =
        edit_.Object({{"deviceClassName", edit_.String(kClass)}, {"allocationMode", edit_.String("ExactCount")}, {"count", edit_.Int(1)}});
    if (!selectors.empty()) ask = edit_.Set(ask, "selectors", edit_.Array(selectors));
    if (memory) ask = edit_.SetAt(ask, {"capacity", "requests", "memory"}, edit_.String(memory->ToText()));
    return ask;
  }

  json::Value Request(const Share& share, const std::string& name, const std::set<MiB>& sizes) {
    std::vector<json::Value> selectors;
    if (!share.model.empty()) {
      selectors.push_back(Selector(StrCat("device.attributes[\"gpu.nvidia.com\"].productName.lowerAscii().replace(\" \", \"\").contains(\"",
                                          LowerWithoutSpaces(share.model), "\")")));
    }
    if (!share.fraction) {
      return edit_.Object({{"name", edit_.String(name)}, {"exactly", Ask(selectors, share.memory)}});
    }
    constexpr std::string_view kMemory = "device.capacity[\"gpu.nvidia.com\"].memory";
    std::vector<json::Value> alternatives;
    std::string others;
    for (const MiB size : sizes) {
      const std::string same = StrCat(kMemory, ".compareTo(quantity(\"", size.ToText(), "\")) == 0");
      others += StrCat(others.empty() ? "" : " && ", "!(", same, ")");
      std::vector<json::Value> own = selectors;
      own.push_back(Selector(same));
      alternatives.push_back(edit_.Set(Ask(own, share.fraction->Of(size)), "name", edit_.String(StrCat("of-", size.count()))));
    }
    std::vector<json::Value> rest = selectors;
    rest.push_back(Selector(others));
    alternatives.push_back(edit_.Set(Ask(rest, share.fraction->Of(*sizes.rbegin())), "name", edit_.String("of-other")));
    return edit_.Object({{"name", edit_.String(name)}, {"firstAvailable", edit_.Array(alternatives)}});
  }

 private:
  json::Editor& edit_;
};

}  // namespace

Result<MiB> ParseMemory(std::string_view text) {
  const Result<model::Quantity> quantity = model::Quantity::Parse(text);
  const auto fail = [&](std::string_view why, std::string_view instead) { return Invalid(Quoted(text), " ", why, "; give ", instead); };
  constexpr std::string_view kAmount = "an amount like 6Gi or 6144Mi";
  if (!quantity.ok()) return fail("is not an amount", kAmount);
  if (quantity->Sign() <= 0) return fail("is not above 0", StrCat(kAmount, ", or none for a whole GPU"));
  const std::optional<int64_t> bytes = quantity->Value();  // rounded up
  // Kubernetes reads an amount beyond int64 as the largest int64.
  if (!bytes || *bytes == std::numeric_limits<int64_t>::max()) return fail("is more than any GPU has", kAmount);
  if (*quantity < MiB(1).ToQuantity()) {
    const bool is_number = text.find_first_not_of("0123456789") == text.npos;
    return fail("is less than a MiB", is_number && text.size() < 4 ? StrCat("a unit with it: ", text, "Gi") : kAmount);
  }
  const std::optional<MiB> whole = MiB::Exactly(*quantity);
  if (!whole) return fail("is not a whole number of MiB", StrCat(MiB::Offered(*quantity).ToText(), " or ", MiB::Taken(*quantity).ToText()));
  return *whole;
}

Status CheckModel(std::string_view model) {
  const auto is_bad = [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' ') || c == 0x7f; };
  if (!LowerWithoutSpaces(model).empty() && std::none_of(model.begin(), model.end(), is_bad)) return Status();
  return Invalid(Quoted(model), " is not the name of a GPU; give a part of one, like rtx3090");
}

bool IsOfModel(std::string_view product_name, std::string_view model) {
  return LowerWithoutSpaces(product_name).find(LowerWithoutSpaces(model)) != std::string::npos;
}

std::vector<Refusal> RefusalsOf(const Share& share, const Facts& facts) {
  std::vector<Refusal> refusals;
  if (share.memory && share.fraction) refusals.push_back({"fraction", "memory and fraction exclude each other; give one of them"});
  if (share.gpus < 1 || share.gpus > kMostGpus) refusals.push_back({"gpus", StrCat(share.gpus, " is not from 1 to ", kMostGpus)});
  if (const Status model = share.model.empty() ? Status() : CheckModel(share.model); !model.ok()) {
    refusals.push_back({"model", std::string(model.message())});
  }
  if (!share.fraction) return refusals;
  const std::set<MiB> sizes = SizesOf(facts);
  if (sizes.empty()) {
    refusals.push_back(
        {"fraction",
         StrCat("no GPU has reported its memory yet, so ", share.fraction->text(), " of it is not known; ", "ask for an amount instead"),
         true});
  }
  for (const MiB size : sizes) {
    if (share.fraction->Of(size) > MiB(0)) continue;
    refusals.push_back({"fraction", StrCat(share.fraction->text(), " of ", size.ToString(), " is less than a MiB; give a larger part")});
    break;
  }
  return refusals;
}

std::string WarningOf(const Share& share, const Facts& facts) {
  const std::set<MiB> all(facts.gpu_sizes.begin(), facts.gpu_sizes.end()), known = SizesOf(facts);
  if (!share.fraction || all.size() - all.count(MiB(0)) == known.size()) return "";
  return StrCat("a claim can tell ", kMostSizes, " sizes of GPUs apart: on a GPU of less than ", known.begin()->ToString(), ", ",
                share.fraction->text(), " takes ", share.fraction->Of(*known.rbegin()).ToString());
}

json::Value ClaimSpec(json::Editor& edit, const Share& share, const Facts& facts) {
  Writer writer(edit);
  const std::set<MiB> sizes = SizesOf(facts);
  std::vector<json::Value> requests;
  for (int64_t i = 0; i < share.gpus; ++i) requests.push_back(writer.Request(share, share.gpus == 1 ? "gpu" : StrCat("gpu-", i), sizes));
  json::Value devices = edit.Object({{"requests", edit.Array(requests)}});
  if (share.gpus > 1) {
    devices = edit.Set(devices, "constraints", edit.Array({edit.Object({{"distinctAttribute", edit.String("gpu.nvidia.com/uuid")}})}));
  }
  return edit.Object({{"devices", devices}});
}

}  // namespace allot::dialect

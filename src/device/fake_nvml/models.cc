#include "device/fake_nvml/models.h"

#include <cstdio>

#include "base/strings.h"

namespace allot::device::fake {
namespace {

constexpr int kNvidia = 14, kGeForce = 5;
constexpr unsigned kAmpere = 7, kAda = 8, kHopper = 9;

// The memory is what nvidia-smi shows. GPUs with ECC in GDDR use a sixteenth for it (L4).
constexpr Model kModels[] = {
    {"a100", "NVIDIA A100-SXM4-80GB", kNvidia, kAmpere, 8, 0, 81920, 0x20B210DE, true, 14},
    {"h100", "NVIDIA H100 80GB HBM3", kNvidia, kHopper, 9, 0, 81559, 0x233010DE, true, 16},
    {"l4", "NVIDIA L4", kNvidia, kAda, 8, 9, 23034, 0x27B810DE, true, 0},
    {"rtx3060", "NVIDIA GeForce RTX 3060", kGeForce, kAmpere, 8, 6, 12288, 0x250310DE, false, 0},
    {"rtx3090", "NVIDIA GeForce RTX 3090", kGeForce, kAmpere, 8, 6, 24576, 0x220410DE, false, 0},
};

constexpr Profile kProfiles[] = {
    {"1g.10gb", 19, 1, 1, 9728, 1, 0, 0, 0},  {"1g.10gb+me", 20, 1, 1, 9728, 1, 1, 1, 1}, {"1g.20gb", 15, 1, 2, 19968, 1, 1, 0, 0},
    {"2g.20gb", 14, 2, 2, 19968, 2, 1, 0, 0}, {"3g.40gb", 9, 3, 4, 40192, 3, 2, 0, 0},    {"4g.40gb", 5, 4, 4, 40192, 4, 2, 0, 0},
    {"7g.80gb", 0, 7, 8, 80640, 7, 5, 1, 1},
};

}  // namespace

const Model* FindModel(std::string_view key) {
  for (const Model& model : kModels) {
    if (model.key == key) return &model;
  }
  return nullptr;
}

std::string MadeUpUuid(std::string_view prefix, std::string_view words) {
  uint64_t hash[2] = {0xCBF29CE484222325, 0x9E3779B97F4A7C15};
  for (const char c : words) {
    for (uint64_t& half : hash) half = (half ^ static_cast<unsigned char>(c)) * 0x100000001B3;  // FNV-1a
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.*s-%08x-%04x-%04x-%04x-%012llx", static_cast<int>(prefix.size()), prefix.data(),
                static_cast<unsigned>(hash[0] >> 32), static_cast<unsigned>(hash[0] >> 16 & 0xFFFF),
                static_cast<unsigned>(hash[0] & 0xFFFF), static_cast<unsigned>(hash[1] >> 48),
                static_cast<unsigned long long>(hash[1] & 0xFFFFFFFFFFFF));
  return text;
}

std::string CardUuid(std::string_view seed, const Model& model, unsigned minor) {
  return MadeUpUuid("GPU", StrCat(seed, "/", model.key, "/", minor));
}

std::string_view ModelKeys() { return "a100, h100, l4, rtx3060, rtx3090"; }

const Profile* FindProfile(std::string_view name) {
  for (const Profile& profile : kProfiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

}  // namespace allot::device::fake

#include "device/fake_nvml/machine.h"

#include <cstdio>

#include "device/fake_nvml/fields.h"
#include "device/fake_nvml/models.h"

namespace allot::device::fake {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;  // of NVML

Status ReadMigPart(const Fields& fields, const Model& model, const Card& card, MigPart& part) {
  part.profile = fields.Text("profile", "1g.10gb");
  const Profile* profile = FindProfile(part.profile);
  if (!profile) return fields.Wrong("profile", "no MIG profile of the 80 GB cards");
  part.profile_id = profile->id;
  part.gpu_instance = static_cast<unsigned>(fields.Number("gi", 1));
  part.compute_instance = static_cast<unsigned>(fields.Number("ci", 0));
  part.placement = {static_cast<unsigned>(fields.Number("start", 0)), profile->memory_slices};
  part.uuid = fields.Text("uuid", MadeUpUuid("MIG", StrCat(card.uuid, "/", part.gpu_instance, "/", part.compute_instance)));
  part.used = static_cast<uint64_t>(fields.Number("used", 0)) * kMegabyte;
  part.attributes = {.multiprocessorCount = profile->slices * model.multiprocessors_per_slice,
                     .sharedCopyEngineCount = profile->copy_engines,
                     .sharedDecoderCount = profile->decoders,
                     .sharedEncoderCount = 0,
                     .sharedJpegCount = profile->jpeg_engines,
                     .sharedOfaCount = profile->ofa_engines,
                     .gpuInstanceSliceCount = profile->slices,
                     .computeInstanceSliceCount = profile->slices,
                     .memorySizeMB = static_cast<uint64_t>(profile->memory_mib)};
  return fields.status();
}

Status ReadMig(const Fields& fields, const Model& model, Card& card) {
  card.can_split = model.multiprocessors_per_slice > 0;
  card.mig_enabled = fields.Has("mig");
  if (card.mig_enabled && !card.can_split) return fields.Wrong("mig", "this model cannot be split; a100 and h100 can");
  return fields.Each("mig", [&](const Fields& item) -> Status { return ReadMigPart(item, model, card, card.mig.emplace_back()); });
}

Status ReadMemory(const Fields& fields, const Model& model, Card& card) {
  card.used = static_cast<uint64_t>(fields.Number("used", 0)) * kMegabyte;
  if (!fields.IsText("memory", "none")) card.memory = static_cast<uint64_t>(fields.Number("memory", model.memory_mib)) * kMegabyte;
  return fields.Each("processes", [&](const Fields& item) -> Status {
    Process& process = card.processes.emplace_back();
    process.pid = static_cast<unsigned>(item.Number("pid", 1));
    if (item.Has("used")) process.used = static_cast<uint64_t>(item.Number("used", 0)) * kMegabyte;
    return item.status();
  });
}

Status ReadCard(const Fields& fields, const std::string& seed, unsigned index, Card& card) {
  const Model* model = FindModel(fields.Text("model", ""));
  if (!model) return fields.Wrong("model", StrCat("is one of ", ModelKeys()));
  card.minor = static_cast<unsigned>(fields.Number("minor", index));
  card.uuid = fields.Text("uuid", CardUuid(seed, *model, card.minor));
  card.name = fields.Text("name", model->name);
  char bus_id[24];
  std::snprintf(bus_id, sizeof bus_id, "00000000:%02X:00.0", card.minor + 1);
  card.pci_bus_id = fields.Text("pciBusID", bus_id);
  card.pci_device_id = model->pci_device_id;
  card.brand = static_cast<int>(fields.Number("brand", model->brand));
  card.architecture = static_cast<unsigned>(fields.Number("architecture", model->architecture));
  card.compute_major = model->compute_major;
  card.compute_minor = model->compute_minor;
  if (fields.Has("addressingMode")) card.addressing_mode = static_cast<unsigned>(fields.Number("addressingMode", 0));
  card.ecc = fields.Bool("ecc", model->ecc);
  card.lost = fields.Bool("lost", false);
  TRY(fields.status());
  TRY(ReadMemory(fields, *model, card));
  TRY(ReadMig(fields, *model, card));
  return fields.ReadFailures("fail", card.failures);
}

Status ReadEvent(const Fields& fields, const Machine& machine, Event& event) {
  event.id = fields.Number("id", 0);
  const auto gpu = static_cast<size_t>(fields.Number("gpu", 0));
  if (gpu >= machine.cards.size()) return fields.Wrong("gpu", "no GPU at this place of the list");
  event.uuid = machine.cards[gpu].uuid;
  event.type = fields.IsText("type", "double-bit")   ? nvml::kEventDoubleBitEcc
               : fields.IsText("type", "single-bit") ? nvml::kEventSingleBitEcc
                                                     : nvml::kEventXidCritical;
  event.data = static_cast<uint64_t>(fields.Number("xid", 0));
  if (fields.Has("gi")) event.gpu_instance = static_cast<unsigned>(fields.Number("gi", 0));
  if (fields.Has("ci")) event.compute_instance = static_cast<unsigned>(fields.Number("ci", 0));
  return fields.status();
}

}  // namespace

Result<Machine> ReadMachine(std::string_view yaml) {
  ASSIGN_OR_RETURN(const std::vector<json::Document> documents, json::ParseYaml(yaml));
  Machine machine;
  if (documents.empty()) return machine;
  const Fields fields(documents.front().root(), "");
  machine.driver_version = fields.Text("driverVersion", "580.105.08");
  machine.cuda_version = static_cast<int>(fields.Number("cudaVersion", 13000));
  machine.enumerate_once = fields.IsText("enumerate", "once");
  const std::string seed = fields.Text("seed", "");
  TRY(fields.status());
  TRY(fields.ReadFailures("fail", machine.failures));
  TRY(fields.Each("gpus", [&](const Fields& item) -> Status {
    const auto index = static_cast<unsigned>(machine.cards.size());
    return ReadCard(item, seed, index, machine.cards.emplace_back());
  }));
  TRY(fields.Each("events", [&](const Fields& item) -> Status { return ReadEvent(item, machine, machine.events.emplace_back()); }));
  return machine;
}

}  // namespace allot::device::fake

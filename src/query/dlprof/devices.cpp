// The GPUs of the machines: those that the source lists, idle ones too, and those that processes have.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "hardware/tensor_cores.h"
#include "query/dlprof/by_id.h"
#include "query/dlprof/recording.h"
#include "query/dlprof/sql.h"
#include "query/session/cells.h"

namespace opsight::query::dlprof {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& of, const char* key) {
    return of.is_object() && of.contains(key) && of[key].is_string() ? of[key].get<std::string>()
                                                                     : std::string();
}

int64_t number_of(const Json& of) {
    return of.is_number_integer() ? of.get<int64_t>() : -1;
}

struct Gpu {
    std::string host, bus, uuid, name;
    int64_t number = 0, compute_major = 0, compute_minor = 0;
    bool has_id() const { return !bus.empty() || !uuid.empty(); }
};

class Machines {
  public:
    // Each line is what one source tells of its machine; several sources may tell of the same one.
    void list(const std::string& line) {
        const Json machine = Json::parse(line, nullptr, false);
        if (!machine.is_object() || !machine.contains("gpus") || !machine["gpus"].is_array()) return;
        for (const Json& told : machine["gpus"]) {
            if (!told.is_object() || !told.contains("number")) continue;
            Gpu gpu;
            gpu.host = text_of(machine, "host");
            gpu.bus = text_of(told, "bus");
            gpu.uuid = text_of(told, "uuid");
            gpu.name = text_of(told, "name");
            gpu.number = number_of(told["number"]);
            const Json compute = told.contains("compute") ? told["compute"] : Json();
            if (compute.is_array() && compute.size() == 2) {
                gpu.compute_major = number_of(compute[0]);
                gpu.compute_minor = number_of(compute[1]);
            }
            place_of(gpu);
        }
    }

    // A GPU that several processes see is one, whatever its number is in each of them.
    int32_t place_of(const Gpu& gpu) {
        const auto next = static_cast<int32_t>(gpus_.size());
        const std::pair number(gpu.host, gpu.number);
        int32_t place = -1;
        if (gpu.has_id())
            place = by_id_.try_emplace({gpu.host, gpu.bus, gpu.uuid}, next).first->second;
        else
            place = by_number_.try_emplace(number, next).first->second;
        if (place == next) {
            gpus_.push_back(gpu);
            by_number_.try_emplace(number, next);
        }
        Gpu& known = gpus_[static_cast<size_t>(place)];
        if (known.name.empty()) known.name = gpu.name;
        if (known.compute_major <= 0) {
            known.compute_major = gpu.compute_major;
            known.compute_minor = gpu.compute_minor;
        }
        return place;
    }

    // By host and number; `places` follow. DLProf knows no hosts: numbers that several have count on.
    std::vector<Device> in_order(std::vector<int32_t>& places) const {
        std::vector<int32_t> order(gpus_.size()), rank(gpus_.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
            return std::tie(gpus_[a].host, gpus_[a].number) < std::tie(gpus_[b].host, gpus_[b].number);
        });
        std::vector<Device> devices;
        std::set<int64_t> used;
        int64_t free = 0;
        for (const Gpu& gpu : gpus_)
            free = std::max(free, std::min<int64_t>(gpu.number, INT32_MAX) + 1);
        const auto number_for = [&](int64_t wanted) {
            while (!used.insert(wanted).second)
                wanted = free++;
            return wanted;
        };
        for (const int32_t place : order) {
            const Gpu& gpu = gpus_[place];
            rank[place] = static_cast<int32_t>(devices.size());
            devices.push_back({gpu.name,
                               hardware::has_tensor_cores(gpu.name, static_cast<int>(gpu.compute_major),
                                                          static_cast<int>(gpu.compute_minor))
                                   .value_or(true),
                               number_for(gpu.number), std::max<int64_t>(gpu.compute_major, 0),
                               std::max<int64_t>(gpu.compute_minor, 0)});
        }
        for (int32_t& place : places)
            place = rank.at(place);
        return devices;
    }

  private:
    std::vector<Gpu> gpus_;
    std::map<std::tuple<std::string, std::string, std::string>, int32_t> by_id_;  // host, bus, uuid
    std::map<std::pair<std::string, int64_t>, int32_t> by_number_;                // host, number
};

}  // namespace

Status load_devices(Source& source, Recording& recording) {
    Machines machines;
    for (const std::string& line : recording.lines("source.gpus"))
        machines.list(line);
    OPSIGHT_ASSIGN(const duck::Rows rows, source.query(sql::devices));
    for (const auto& row : rows.rows)
        at(recording.device_of, integer(row[0], -1)) =
            machines.place_of({text(row[4]), text(row[5]), text(row[6]), text(row[7]), integer(row[1], -1),
                               integer(row[2], -1), integer(row[3], -1)});
    recording.devices = machines.in_order(recording.device_of);
    return {};
}

}  // namespace opsight::query::dlprof

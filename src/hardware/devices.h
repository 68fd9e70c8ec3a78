// Devices and what they can do at most. The table is data (devices.yaml, built into the program); users add
// devices with a file of the same form. Every device names its sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hardware/precision.h"

namespace opsight::hardware {

enum class UnitKind : uint8_t { kVector, kMatrix };

struct Peak {
    UnitKind unit = UnitKind::kVector;
    Precision precision = Precision::kFp32;
    double dense = 0;   // operations per second, a multiply-add counted as two
    double sparse = 0;  // with 2:4 structured sparsity; 0: the unit has none
    // The same where products are added up in FP16; 0: no faster than in FP32.
    double fp16_sums = 0, fp16_sums_sparse = 0;

    // The highest that a program can choose; sparse where that was asked for and the unit has it.
    double most(bool with_sparse = false) const;
    void scale(double factor);
};

struct Device {
    std::string key;   // "h100-sxm"
    std::string name;  // "NVIDIA H100 SXM5 80GB"
    std::string vendor, architecture;
    int major = 0, minor = 0;  // CUDA compute capability; 0: none
    bool consumer = false;     // a GeForce card: half the rate for FP16 products added up in FP32
    bool tensor_cores = true;  // false: the chip lacks those of its capability
    int64_t units = 0;         // multiprocessors or compute units
    double clock_hz = 0;       // boost clock
    double memory_bytes = 0;   // capacity
    double bandwidth = 0;      // of the memory, bytes per second; 0: not known
    double l2_bytes = 0;
    double last_cache_bytes = 0;   // the cache before the memory where it is not the L2
    double shared_unit_bytes = 0;  // shared memory of one unit
    double power_w = 0;            // limit of the board
    bool derived = false;  // peaks are rates of the architecture × units × clock, not published ones
    std::vector<Peak> peaks;
    // Figures that no source gives, by their keys in the file: "clock_mhz", "bandwidth_gbs", "matrix" (all of
    // them), "vector fp16".
    std::vector<std::string> estimates;
    std::vector<double> memories;      // other capacities that it is sold with
    std::vector<std::string> match;    // names that drivers report, less the words that match() leaves away
    std::vector<std::string> sources;  // datasheets and pages
    std::string note;

    double cache_bytes() const { return last_cache_bytes > 0 ? last_cache_bytes : l2_bytes; }
    // Null where the device has no such unit or the unit does not take the format.
    const Peak* peak(UnitKind unit, Precision precision) const;
    bool is_estimate(std::string_view figure) const;
    // Of a peak: its own figure, or what it is derived from.
    bool is_estimate(const Peak& peak) const;
};

// FLOP per clock and multiprocessor of a compute capability.
struct Rates {
    int major = 0, minor = 0;
    bool consumer = false, tensor_cores = true;
    std::vector<Peak> peaks;  // per clock and unit
};

class DeviceTable {
  public:
    // The table that is built in.
    static const DeviceTable& built_in();
    // The built-in table with the devices of a YAML file; equal keys replace.
    static Result<DeviceTable> with_file(const std::string& path);
    // The built-in table with the devices of a YAML text; `origin` names it in messages.
    static Result<DeviceTable> with_text(const std::string& text, const std::string& origin);

    const std::vector<Device>& devices() const { return devices_; }
    // By key, whatever its case; else an error that names the nearest key.
    Result<Device> find(std::string_view key) const;
    // The device that a driver calls so ("NVIDIA A100-SXM4-40GB"): whole names, compared word by word without
    // makers, series and memory. What else is known (units, memory, clock) must agree; null where nothing
    // does, or where several devices have the name and nothing tells which. A higher clock than the table's
    // raises derived peaks.
    std::optional<Device> match(const Device& known) const;
    std::optional<Device> match(std::string_view driver_name) const;
    // A device that is not in the table, from what a profile tells of it. Peaks are those of the nearest
    // compute capability that is not newer; without one there are none. Its bandwidth and
    // L2, where they are not known, are those of a device of the table with the same capability, units and
    // memory: of several, one of the same model's name, and of the nearest clock. `derived` is set.
    Device derive(const Device& known) const;
    // The same where the source tells no clock: that of the table's device of the same compute capability
    // that is nearest, of its kind (GeForce or not) where there is one, else by multiprocessors. Nothing
    // where there is no such device.
    std::optional<Device> derive_like(const Device& known) const;

  private:
    friend Result<DeviceTable> parse_device_table(const std::string&, const std::string&, DeviceTable);
    std::vector<Device> devices_;
    std::vector<Rates> rates_;
};

// Adds the devices and rates of a YAML text to `base`.
Result<DeviceTable> parse_device_table(const std::string& text, const std::string& origin, DeviceTable base);

// What a processor says of itself. Empty or 0: not told.
struct CpuFacts {
    std::string name, vendor;         // "AMD EPYC 9654", "AuthenticAMD"
    std::string features;             // words: "fma avx2 avx512f"
    int64_t family = 0, model = 0;    // of CPUID
    int64_t cores = 0, packages = 0;  // cores of all packages, not threads
    double clock_hz = 0;              // the highest that was seen
    double cache_bytes = 0;           // last level, of all packages together
};
// The text of Linux' /proc/cpuinfo.
CpuFacts read_cpuinfo(const std::string& cpuinfo);
// Rates of the instructions that it has × cores × clock; empty without a clock or known instructions.
std::vector<Peak> cpu_peaks(const CpuFacts& facts);
// The bandwidth is that of the memory channels of its family, and 0 where that is not in the list.
Device describe_cpu(const CpuFacts& facts);

}  // namespace opsight::hardware

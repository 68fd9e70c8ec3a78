// Starts a program so that NVTX, CUDA and PyTorch in it record themselves, waits for it, and tells how it
// ended.
//
// The program keeps the terminal: its input, output and working folder are ours. A Ctrl-C reaches it by
// itself (it is in our process group); signals sent to us alone are passed on. We outlive all of these
// signals, so that the profile is written whatever happens to the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace opsight::collect {

// Where the parts of the collector lie, relative to this program's own file. Empty: not found.
struct Parts {
    std::string observer;       // libopsight_torch.so
    std::string inject_folder;  // holds our sitecustomize.py
    std::string nvtx;           // libopsight_nvtx.so
    std::string cuda;           // libopsight_cuda.so
    std::string sources;        // of the observer, for a PyTorch that libopsight_torch.so does not fit
};
Parts find_parts(const std::string& program_folder);
// The folder of the running program's file.
Result<std::string> program_folder();

inline constexpr std::string_view kProfilerRange = "cudaProfilerApi";

struct RecordOptions {
    uint64_t limit_bytes = uint64_t{1} << 30;  // of each process's capture
    bool keep_last = false;                    // where that is full: the newest records instead of the first
    double delay_s = 0, duration_s = 0;        // duration 0: to the end
    uint64_t skip_iterations = 0, record_iterations = 0;
    bool shapes = true, memory = true, modules = true;
    uint32_t counters = 0;  // of the processor, to read around ops: bits of CpuCounter
    bool nvtx = true, cuda = true, pytorch = true;
    bool build_observer = true;   // where the one that came with Opsight does not fit
    bool whole_graphs = false;    // a launch of a CUDA graph as one piece of work
    bool unified_memory = false;  // migrations and page faults of CUDA's unified memory
    std::vector<std::pair<std::string, uint32_t>> domains;  // NVTX domain and N: every Nth range; 0: none
    // "NAME" or "NAME@DOMAIN": record while this NVTX range is open; kProfilerRange: from cudaProfilerStart
    // to cudaProfilerStop.
    std::string capture_range;
    bool capture_repeat = false;  // every time, not only the first
    double flush_every_s = 0;     // 0: as the system does it
    std::string json() const;
};

struct ProgramEnd {
    int exit_code = 0;  // as a shell tells it: 128 + N after signal N
    int signal = 0;     // that killed it; 0: none
    std::string signal_name;
};

// Runs `command` with its captures going to `capture_folder`. A command that cannot be started is an error
// with a shell's exit code: 127 not found, 126 not executable.
Result<ProgramEnd> run_recorded(const std::vector<std::string>& command, const std::string& capture_folder,
                                const Parts& parts, const RecordOptions& options);

}  // namespace opsight::collect

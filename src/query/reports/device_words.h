// What people call the devices of a profile, their matrix units and the API that they are used by.
#pragma once

#include <string>
#include <string_view>

#include "query/ask/report.h"
#include "query/session/session.h"

namespace opsight::query {

// Those of NVIDIA's GPUs, in whose words all texts are written.
struct DeviceWords {
    std::string device = "GPU";                     // "TPU", "accelerator"
    std::string matrix_unit = "Tensor Core";        // "Matrix Core", "matrix unit"
    std::string api = "CUDA";                       // "HIP", "runtime"
    std::string multiprocessor = "multiprocessor";  // "compute unit", "core": runs blocks
    // "Host" where ops are work of a device that the host timed: their "CPU Time" is none of the CPU's.
    std::string clock = "CPU";
    bool operator==(const DeviceWords&) const = default;
};

// Of all devices that ran kernels in the range, and of oneDNN's primitives on GPUs; NVIDIA's words where they
// are of several makers, or none told.
Result<DeviceWords> device_words(Session& session);
// What diagnostics help with is a sentence of ours; other cells are names of the program.
void say_helps(ResultTable& diagnostics, const DeviceWords& words);

// A text that speaks of GPUs, Tensor Cores, multiprocessors and CUDA's API, in other words.
std::string said(std::string_view text, const DeviceWords& words);
// A report for people, in its headers and notes; TC in headers stays, and a note tells what it stands for.
void say(Report& report, const DeviceWords& words);

}  // namespace opsight::query

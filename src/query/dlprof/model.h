// Ops, their instances and their work as DLProf counts them. See query/dlprof.h.
#pragma once

#include <string>
#include <vector>

#include "query/dlprof/recording.h"

namespace opsight::dlprof {

struct Op {
    std::string id, name, type, direction;  // "CONV2D_1", path, "conv2d", "fprop" or "bprop"
    std::string data_type, stack;
    bool eligible = false;  // for Tensor Cores
    bool uses_tc = false;   // in the range
    bool pseudo = false;    // API work outside of all ops
};

// Of one call: its tensors may have other sizes than those of the call before.
struct Details {
    std::string data_types, shapes, parameters, outputs;
};

struct Instance {
    int32_t op = -1, track = -1, iteration = -1;
    int32_t details = -1;  // in Model::details; -1: nothing is known
    int64_t begin = 0, end = 0;
    int64_t api_ns = 0, gpu_ns = 0, gpu_idle_ns = 0;
    int64_t last_end = 0;  // of its work
};

// A kernel, copy or set.
struct Work {
    int8_t kind = 0;
    int32_t op = -1, instance = -1, iteration = -1;
    int32_t device = -1, kernel = -1, config = -1;
    int64_t begin = 0, end = 0;
    int64_t call_begin = -1, call_ns = 0;  // of its API call; -1: not known
};

struct Iterations {
    std::vector<std::pair<int64_t, int64_t>> list;
    int64_t start = 0, stop = 0;  // the range, both taken
    std::string key_op;           // as asked for
    bool split = false;           // false: the whole profile is one
};

struct Model {
    Recording recording;
    std::vector<Op> ops;
    std::vector<Details> details;
    std::vector<Instance> instances;  // of the range
    std::vector<Work> work;           // of the range, by begin
    Iterations iterations;
};

// Ops and their calls, by (track, begin). In recordings of DLProf they may lie in each other, else not.
void find_ops(Model& model);
// Iterations and range, API calls and device work; leaves what lies outside of the range out.
Status find_work(Model& model, const Options& options);

// Names of ops as a table of DLProf has them.
std::string op_name_of_stack(std::string_view function_stack);  // "f(2)/relu(3)" -> "f[2]/relu[3]"
std::string shapes_of(std::string_view type, std::string_view json);
void number_ops(Model& model);  // ids, by first appearance

}  // namespace opsight::dlprof

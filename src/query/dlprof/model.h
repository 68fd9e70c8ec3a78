// Ops, their instances and their work as DLProf counts them. See query/dlprof/dlprof.h.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "query/dlprof/recording.h"

namespace opsight::query::dlprof {

// What the calls of one function have in common.
struct OpKind {
    std::string name, type, direction;  // path, "conv2d", "fprop" or "bprop" or empty
    bool pseudo = false;                // API work outside of all ops
    bool by_name = false;               // all its calls are one op
};

struct Op {
    std::string id;  // "CONV2D_1"
    int32_t kind = -1;
    std::string data_type, stack;  // of its first call, or as recorded
    bool eligible = false;         // for Tensor Cores: by its type, or seen to use them; or as recorded
    bool judged = false;           // that is recorded: kernels do not change it
    bool uses_tc = false;          // in the range
};

// Of one call: those of one function come from several lines, with tensors of other sizes and types.
struct Details {
    std::string shapes, parameters, outputs, data_type, stack;
};

struct Instance {
    int32_t kind = -1, op = -1, track = -1, iteration = -1;  // track -1: work without a known call
    int32_t details = -1;                                    // in Model::details; -1: nothing is known
    bool eligible = false;                                   // as that of ops
    int64_t begin = 0, end = 0;
    int64_t api_ns = 0, gpu_ns = 0, gpu_idle_ns = 0;
};

// A kernel, copy or set.
struct Work {
    int8_t kind = 0;
    int32_t instance = -1, iteration = -1;
    int32_t device = -1, kernel = -1, config = -1;
    int32_t call = -1;  // row of Calls; -1: not known
    int32_t row = -1;   // of DeviceRows
    int64_t begin = 0, end = 0;
};

struct Iterations {
    Spans list;
    int64_t start = 0, stop = 0;   // the range, both taken
    std::string key_op;            // as asked for
    bool split = false;            // false: the whole profile is one
    bool as_recorded = false;      // cut and chosen as a database of DLProf has it
    std::vector<int64_t> numbers;  // of the list, as a database counts; empty: from 0
    int64_t number(int64_t place) const { return numbers.empty() ? place : numbers.at(place); }
    std::optional<int64_t> place_of(int64_t number) const;
};

struct Model {
    Recording recording;
    std::vector<OpKind> kinds;
    std::vector<Op> ops;
    std::vector<Details> details;
    std::vector<Instance> instances;        // of the range
    std::vector<Work> work;                 // of the range, by begin
    std::vector<int32_t> instance_of_call;  // beside Calls; -1: outside of the range
    Iterations iterations;
    std::vector<std::string> notes;  // what went another way than was asked for or recorded

    int32_t kind(const OpKind& facts);  // its number; a new one is added

    const OpKind& kind_of(const Op& op) const { return kinds[op.kind]; }
    const Op& op_of(const Work& w) const { return ops[instances[w.instance].op]; }
    int64_t call_ns(const Work& w) const { return w.call < 0 ? 0 : recording.calls.duration(w.call); }
    bool uses_tc(const Work& w) const { return w.kind == 0 && recording.kernels.at(w.kernel).uses_tc; }

  private:
    absl::flat_hash_map<std::tuple<std::string, std::string, std::string, bool, bool>, int32_t> known_kinds_;
};

// The calls that are ops, by (track, begin). In recordings of DLProf they may lie in each other, else not;
// the ops of these are known from the start.
void find_calls(Model& model);
// Iterations and range, API calls, device work, and which calls are one op; leaves what lies outside of the
// range out.
Status find_work(Model& model, const Options& options);

// What a database of DLProf says of an op or a pseudo-op becomes an instance's kind and op.
class RecordedOps {
  public:
    explicit RecordedOps(Model& model) : model_(model) {}
    void take(int32_t told, Instance& instance);

  private:
    struct Known {
        int32_t kind = -1, op = -1, details = -1;
    };
    Known read(int32_t told);

    Model& model_;
    absl::flat_hash_map<int32_t, Known> known_;               // by number in Recording::told
    std::map<std::pair<std::string, int32_t>, int32_t> ops_;  // by id and kind
};

// The three behind one another.
Result<Model> read_model(Source& source, const Options& options);

// By its type, on a GPU that has Tensor Cores.
bool can_use_tensor_cores(const Recording& recording, const std::string& type);

// Names of ops as a table of DLProf has them: "/<module>/f(2)/relu" -> "/module/f[2]/relu".
std::string op_name_of_stack(std::string_view function_stack);
// Ops are calls of one kind that have the same place among those of their iteration (all of them, where the
// kind is by name); their ids count up by first call. What is recorded stays.
void make_ops(Model& model);

}  // namespace opsight::query::dlprof

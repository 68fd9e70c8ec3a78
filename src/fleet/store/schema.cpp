#include "fleet/store/schema.h"

#include <algorithm>
#include <initializer_list>

namespace opsight::fleet {
namespace {

constexpr bool kMaybe = true;  // may be NULL

using Columns = std::vector<Column>;

Column text(std::string_view name, std::string_view meaning, bool may_be_null = false) {
    return {name, Type::kText, may_be_null, {}, meaning};
}
Column count(std::string_view name, std::string_view meaning, bool may_be_null = false) {
    return {name, Type::kInteger, may_be_null, {}, meaning};
}
Column time(std::string_view name, std::string_view meaning, bool may_be_null = false) {
    return {name, Type::kInteger, may_be_null, "ns", meaning};
}
Column bytes(std::string_view name, std::string_view meaning) {
    return {name, Type::kInteger, kMaybe, "bytes", meaning};
}
Column percent(std::string_view name, std::string_view meaning) {
    return {name, Type::kReal, kMaybe, "%", meaning};
}
Column real(std::string_view name, std::string_view meaning) {
    return {name, Type::kReal, kMaybe, {}, meaning};
}

Columns joined(std::initializer_list<Columns> parts) {
    Columns all;
    for (const Columns& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

Columns by_rank() {
    return {count("rank", "rank in its job")};
}
Columns by_iteration() {
    return {count("rank", "rank in its job"),
            count("iteration", "number within the rank; -1: the whole recording, which has no iterations")};
}

Columns run_columns() {
    return {
        text("name", "name of the profile, without folder and ending"),
        text("profile",
             "where the profile lay when it was pushed, as an absolute path; NULL: a trace was pushed",
             kMaybe),
        time("recorded_ns", "moment of the recording's first event, since 1970 in UTC", kMaybe),
        time("pushed_ns", "moment of the push, since 1970 in UTC"),
        text("producer", "what recorded it"),
        text("rules", "stamp of the Opsight that made the profile"),
        count("ranks", "ranks that were recorded"),
        count("world_size", "ranks of the job, as the source tells", kMaybe),
        count("hosts", "different hosts that the ranks tell", kMaybe),
        count("devices", "devices that worked"),
        text("device_name", "their name; the first by alphabet where they differ", kMaybe),
        count("iterations", "iterations in the range, of the rank that has most", kMaybe),
        count("first_iteration", "first iteration of the range", kMaybe),
        count("last_iteration", "last one", kMaybe),
        time("wall_ns", "wall clock of the range, of the rank that took longest", kMaybe),
        time("all_wall_ns", "wall clock of the range, added over the ranks", kMaybe),
        time("device_wall_ns", "the same, added over the devices that worked: GPU time of the recording",
             kMaybe),
        time("iteration_ns", "time of an iteration, median over ranks and iterations", kMaybe),
        percent("gpu_utilization_pct", "time in which a device works, mean of the devices"),
        percent("tensor_core_pct", "share of the wall clock: Tensor Core kernels"),
        percent("other_kernel_pct", "share of the wall clock: kernels without Tensor Cores"),
        percent("unknown_kernel_pct", "share of the wall clock: kernels of which that is not known"),
        percent("communication_pct", "share of the wall clock: communication alone"),
        percent("memory_pct", "share of the wall clock: copies and sets alone"),
        percent("dataloader_pct", "share of the wall clock: loading data alone"),
        percent("io_pct", "share of the wall clock: reading and writing files alone"),
        percent("cpu_pct", "share of the wall clock: ops and calls on the CPU alone"),
        percent("host_pct", "share of the wall clock: other work of the host alone"),
        percent("idle_pct", "share of the wall clock: nothing that was recorded"),
        time("kernel_ns", "durations of compute and communication kernels, added; NULL: no work of a device",
             kMaybe),
        time("tc_kernel_ns", "of them: those that use Tensor Cores; NULL: no device has them", kMaybe),
        time("unknown_kernel_ns", "of them: those of which that is not known", kMaybe),
        time("eligible_plain_ns",
             "of them: those known to use no Tensor Cores, launched inside an op that could use them",
             kMaybe),
        time("waiting_ns",
             "waiting for other ranks in collectives that no computing hides, added over the ranks", kMaybe),
    };
}

Columns shares() {
    return {time("computing_ns", "compute kernels run", kMaybe),
            time("communicating_ns", "communication alone", kMaybe),
            time("waiting_ns", "waiting for other ranks in collectives, which no computing hides", kMaybe),
            time("transfer_ns", "in matched collectives from the last arrival on", kMaybe),
            time("copying_ns", "copies and sets alone", kMaybe),
            time("loading_ns", "loading data alone", kMaybe),
            time("host_ns", "work of the host alone", kMaybe),
            time("idle_ns", "nothing that was recorded", kMaybe)};
}

Columns rank_columns() {
    return joined(
        {by_rank(),
         {text("host", "its host", kMaybe), count("iterations", "iterations in the range"),
          time("wall_ns", "wall clock of the range", kMaybe)},
         shares(),
         {time("own_ns", "duration less waiting of an iteration, median", kMaybe),
          real("score", "own_ns / median of that of all ranks: 1.1 takes 10 % longer"),
          text("pattern", "persistent, wandering or none: how often it made most of the waiting", kMaybe),
          count("iterations_last", "iterations in which it made most of the waiting", kMaybe),
          count("times_last", "collectives to which it came last", kMaybe),
          time("caused_ns", "what others waited for it", kMaybe), percent("caused_pct", "of all waiting"),
          text("cause", "what took most of its time meanwhile", kMaybe),
          text("cause_op", "op of it", kMaybe)}});
}

Columns iteration_columns() {
    return joined({by_iteration(),
                   {time("duration_ns", "until the next one begins")},
                   shares(),
                   {time("own_ns", "duration less waiting", kMaybe),
                    real("score", "own_ns / median of that of all ranks in this iteration"),
                    real("own_score", "own_ns / median of that of the rank's iterations before"),
                    count("times_last", "collectives to which it came last", kMaybe),
                    time("caused_ns", "what others waited for it", kMaybe)}});
}

Columns device_columns() {
    return {count("rank", "rank in its job"),
            count("device", "number in the source"),
            text("name", "product name", kMaybe),
            text("compute_capability", "major.minor", kMaybe),
            count("sm_count", "streaming multiprocessors or compute units", kMaybe),
            bytes("memory_bytes", "device memory"),
            text("uuid", "identity of the board", kMaybe),
            text("bus_location", "PCI address", kMaybe),
            time("wall_ns", "wall clock of the range, of its rank", kMaybe),
            time("busy_ns", "of it: with kernels, copies or sets on the device")};
}

Columns op_columns() {
    return {
        text("op", "name"),
        text("type", "name without what tells instances apart"),
        text("layer", "path of the layer", kMaybe),
        text("direction", "fprop, bprop, optimizer, dataload or other"),
        count("tc_eligible", "1: could run on Tensor Cores; else 0"),
        count("calls", "instances"),
        time("cpu_ns", "durations, added"),
        time("self_cpu_ns", "durations less ops inside, added: adds up over ops"),
        time(
            "gpu_ns",
            "time in which devices worked for an instance, added; NULL, as what follows: no work of a device",
            kMaybe),
        time("self_gpu_ns", "of work launched with the op innermost: adds up over ops", kMaybe),
        time("kernel_ns", "durations of kernels launched in it or in ops inside", kMaybe),
        time("tc_kernel_ns", "of them: those that use Tensor Cores", kMaybe),
        count("kernels", "kernels launched in it or in ops inside", kMaybe),
        count("unknown_tc_kernels",
              "those of which use of Tensor Cores is not known, and graphs recorded as a whole", kMaybe)};
}

Columns kernel_columns() {
    return {
        text("kernel", "name without templates and arguments, with what tells kernels apart that share it"),
        text("class", "compute or communication"),
        text("uses_tc", "uses Tensor Cores: yes, no or unknown"),
        count("tc_eligible", "1: launched inside an op that could use Tensor Cores; else 0"),
        count("calls", "kernels"),
        time("gpu_ns", "durations, added")};
}

Columns layer_columns() {
    return {text("layer", "path of the layer; empty: outside of all"),
            text("direction", "fprop, bprop, optimizer, dataload or other"),
            count("calls", "instances of ops directly in it"),
            time("self_cpu_ns", "of these ops, less ops inside"),
            time("self_gpu_ns", "of work launched with these ops innermost", kMaybe)};
}

Columns collective_columns() {
    return {text("process_group", "name or ranks of the process group", kMaybe),
            text("group_kind", "what the group is for, guessed", kMaybe),
            text("collective", "all-reduce and the like; its kernel or range where that is not told"),
            count("calls", "calls of ranks"),
            count("matched", "of them: in collectives of which all members are known"),
            bytes("bytes", "the larger of what a rank gives and takes, added; NULL: not told of every call"),
            time("total_ns", "durations, added"),
            time("waiting_ns", "of matched ones: before the last rank came", kMaybe),
            time("transfer_ns", "of matched ones: from the last arrival on", kMaybe),
            time("exposed_ns", "in which no compute kernel ran on the device", kMaybe)};
}

Columns finding_columns() {
    return {text("finding", "id of the finding"),
            text("kind", "problem, unknown, fine or note"),
            text("severity", "high, medium, low or note"),
            text("title", "what was found"),
            text("evidence", "what else says so", kMaybe),
            text("advice", "what to do", kMaybe),
            text("confidence", "how sure it is, and why", kMaybe),
            percent("share_pct", "share of the wall clock that it is about"),
            time("bound_ns", "what following it saves at most, of an iteration on average", kMaybe),
            percent("bound_pct", "the same of the wall clock")};
}

// The three levels of a sum.
void add_levels(std::vector<Table>& all, std::string_view run, std::string_view rank,
                std::string_view iteration, std::string_view meaning, const Columns& columns) {
    all.push_back({run, meaning, false, columns});
    all.push_back({rank, "The same of each rank.", false, joined({by_rank(), columns})});
    all.push_back(
        {iteration, "The same of each iteration of each rank.", true, joined({by_iteration(), columns})});
}

std::vector<Table> made() {
    std::vector<Table> all = {
        {"runs", "A row for each run.", false, run_columns()},
        {"labels",
         "What the run was labelled with.",
         false,
         {text("label", "what stands before the ="), text("value", "what stands after it")}},
        {"configuration",
         "What the source says of program, libraries and machine.",
         false,
         {text("setting", "name of the property"), text("value", "as text")}},
        {"findings", "What `opsight advise` says of the run.", false, finding_columns()},
        {"ranks", "A row for each rank: docs/RANKS.md defines the columns.", false, rank_columns()},
        {"devices", "Devices that worked, by rank.", false, device_columns()},
        {"iterations", "Iterations in the range, of each rank.", false, iteration_columns()},
    };
    add_levels(all, "ops", "rank_ops", "iteration_ops",
               "Ops by name, layer and direction, all shapes together: sums over ranks and iterations. Work "
               "launched "
               "outside of ops is in kernels alone.",
               op_columns());
    add_levels(
        all, "kernels", "rank_kernels", "iteration_kernels",
        "Kernels by name, and by whether their op could use Tensor Cores: sums over ranks and iterations.",
        kernel_columns());
    add_levels(all, "layers", "rank_layers", "iteration_layers",
               "Layers without those below them: sums over ranks and iterations.", layer_columns());
    add_levels(all, "collectives", "rank_collectives", "iteration_collectives",
               "Collectives by process group and kind: sums over ranks and iterations.",
               collective_columns());
    return all;
}

}  // namespace

const std::vector<Table>& tables() {
    static const std::vector<Table> all = made();
    return all;
}

const Table* find_table(std::string_view name) {
    const auto found = std::find_if(tables().begin(), tables().end(),
                                    [name](const Table& table) { return table.name == name; });
    return found == tables().end() ? nullptr : &*found;
}

}  // namespace opsight::fleet

// Times the analysis alone, pass by pass: traces into a Profile, then every pass of analyze(), nothing
// written.
//
//   analyze_pass [--threads N] TRACE...      prints milliseconds, rows and bytes of the results as JSON
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "analyze/analyze.h"
#include "analyze/attribution.h"
#include "analyze/captures.h"
#include "analyze/direction.h"
#include "analyze/find_iterations.h"
#include "analyze/kernels.h"
#include "analyze/layers.h"
#include "analyze/nesting.h"
#include "analyze/op_work.h"
#include "analyze/ops.h"
#include "analyze/resources.h"
#include "import/import.h"

namespace opsight {
namespace {

template <class F>
double milliseconds(F&& f) {
    const auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
size_t bytes_of(const std::vector<T>& v) {
    return v.capacity() * sizeof(T);
}

size_t bytes_of(const analyze::Analysis& a) {
    return bytes_of(a.parent) + bytes_of(a.depth) + bytes_of(a.op_span) + bytes_of(a.iteration) +
           bytes_of(a.layer) + bytes_of(a.op) + bytes_of(a.self_ns) + bytes_of(a.forward) +
           bytes_of(a.launch) + bytes_of(a.launch_op) + bytes_of(a.device_op) + bytes_of(a.kernel) +
           bytes_of(a.device_iteration) + bytes_of(a.host_ns) + bytes_of(a.ops) + bytes_of(a.op_work) +
           bytes_of(a.resources) + bytes_of(a.busy) + bytes_of(a.communication);
}

int time_passes(const std::vector<std::string>& paths, unsigned threads) {
    Result<Profile> imported = importer::import_files(paths);
    if (!imported) {
        std::fprintf(stderr, "analyze_pass: %s\n", imported.error().message().c_str());
        return 1;
    }
    Profile& p = *imported;
    double whole = 0;
    {
        analyze::Analysis a;
        whole = milliseconds([&] { a = analyze::analyze(p, {.threads = threads}); });
    }
    analyze::Analysis a;
    std::vector<analyze::Direction> directions;
    std::vector<HostSpanId> annotations;
    std::printf("{\"host\": %zu, \"device\": %zu, \"analyze_ms\": %.0f", p.host.size(), p.device.size(),
                whole);
    const auto show = [](const char* name, double ms) { std::printf(", \"%s_ms\": %.0f", name, ms); };
    show("nesting", milliseconds([&] { analyze::find_nesting(p, a, threads); }));
    show("layers", milliseconds([&] { analyze::find_layers(p, a); }));
    show("directions", milliseconds([&] { directions = analyze::find_directions(p, a); }));
    show("attribution", milliseconds([&] { analyze::attribute_device_work(p, a, annotations); }));
    show("ops", milliseconds([&] {
             const analyze::Captures captures = analyze::find_captures(p, a, directions);
             analyze::identify_ops(p, a, directions, annotations, captures);
         }));
    show("kernels", milliseconds([&] { analyze::find_kernels(p, a, nullptr); }));
    show("occupancy", milliseconds([&] { analyze::find_occupancy(p, a); }));
    show("op_work", milliseconds([&] { analyze::sum_op_work(p, a); }));
    show("resources", milliseconds([&] { analyze::share_resources(p, a, directions); }));
    show("iterations", milliseconds([&] { a.iterations = analyze::find_iterations(p, a, {}); }));
    show("numbering", milliseconds([&] { analyze::number_spans(p, a); }));
    std::printf(", \"op_work\": %zu, \"resources\": %zu, \"busy\": %zu, \"result_mb\": %.1f}\n",
                a.op_work.size(), a.resources.size(), a.busy.size(), static_cast<double>(bytes_of(a)) / 1e6);
    return 0;
}

}  // namespace
}  // namespace opsight

int main(int argc, char** argv) {
    unsigned threads = 2;
    std::vector<std::string> paths;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            threads = static_cast<unsigned>(std::atoi(argv[++i]));
        else
            paths.emplace_back(argv[i]);
    }
    return opsight::time_passes(paths, threads);
}

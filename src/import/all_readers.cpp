#include "import/all_readers.h"

#include <algorithm>
#include <filesystem>

#include "import/capture/reader.h"
#include "import/dlprof/reader.h"
#include "import/horovod/reader.h"
#include "import/kineto/reader.h"
#include "import/ncu/reader.h"
#include "import/nsys/reader.h"
#include "import/nvprof/reader.h"
#include "import/onednn/reader.h"
#include "import/ort/reader.h"
#include "import/perfetto/reader.h"
#include "import/pyprof/reader.h"
#include "import/rocprof/reader.h"
#include "import/rocprofcsv/reader.h"
#include "import/rpd/reader.h"
#include "import/snapshot/reader.h"
#include "import/stacks/reader.h"
#include "import/tensorrt/reader.h"
#include "import/tftimeline/reader.h"
#include "import/xplane/reader.h"

namespace opsight::importer {
namespace {

// To add a format: a folder with its reader, and a line here.
std::vector<Reader> list() {
    return {
        kineto::trace_reader(),         //
        perfetto::trace_reader(),       //
        nsys::export_reader(),          //
        nsys::report_reader(),          //
        dlprof::database_reader(),      //
        ncu::table_reader(),            //
        nvprof::database_reader(),      //
        nvprof::printed_reader(),       //
        pyprof::output_reader(),        //
        horovod::timeline_reader(),     //
        ort::profile_reader(),          //
        onednn::log_reader(),           //
        rocprof::results_reader(),      //
        rocprof::database_reader(),     //
        rocprof::chrome_reader(),       //
        rocprof::plugin_reader(),       //
        rocprofcsv::table_reader(),     //
        rpd::trace_reader(),            //
        tensorrt::export_reader(),      //
        tftimeline::timeline_reader(),  //
        xplane::profile_reader(),       //
        snapshot::snapshot_reader(),    //
        stacks::pprof_reader(),         //
        stacks::folded_reader(),        //
        capture::recording_reader()     //
    };
}

constexpr std::string_view kOfAnyFile[] = {".gz", ".tgz", ".tar", ".opsight"};

// The part of a name that is one of the endings; empty: none, or the whole name is.
std::string_view ending_of(std::string_view name) {
    const auto ends = [&](std::string_view ending) {
        return name.size() > ending.size() && name.ends_with(ending);
    };
    for (const Reader& reader : all_readers())
        for (const std::string_view ending : reader.endings)
            if (ends(ending)) return ending;
    for (const std::string_view ending : kOfAnyFile)
        if (ends(ending)) return ending;
    return {};
}

}  // namespace

Readers all_readers() {
    static const std::vector<Reader> readers = list();
    return readers;
}

std::string what_is_read(Readers readers) {
    std::string text;
    for (const Reader& reader : readers) {
        text += text.empty() ? "Opsight reads " : ", ";
        text += reader.name;
        for (size_t i = 0; i < reader.endings.size(); ++i)
            text += std::string(i == 0 ? " (" : ", ") + std::string(reader.endings[i]);
        if (!reader.endings.empty()) text += ")";
    }
    return text;
}

std::string name_without_endings(const std::string& path) {
    namespace fs = std::filesystem;
    fs::path name = fs::path(path).filename();
    if (name.empty()) name = fs::path(path).parent_path().filename();
    std::string text = name.string();
    for (std::string_view ending = ending_of(text); !ending.empty(); ending = ending_of(text))
        text.resize(text.size() - ending.size());
    return text;
}

bool has_known_ending(std::string_view path) {
    const Readers readers = all_readers();
    return std::any_of(readers.begin(), readers.end(), [&](const Reader& reader) {
        return std::any_of(reader.endings.begin(), reader.endings.end(),
                           [&](std::string_view ending) { return path.ends_with(ending); });
    });
}

}  // namespace opsight::importer

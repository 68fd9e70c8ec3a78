// Writes an export of Nsight Systems for benchmarks: kernels, their calls, and NVTX ranges nested eight deep,
// over several threads, processes and GPUs. The same options give the same file.
//
//   nsys_export FILE [--kernels N] [--ranges N] [--threads N] [--gpus N]
//
// Defaults: 2 million kernels, 16 million ranges, 4 threads and 2 GPUs, each GPU of a process of its own.
// Ranges repeat every 8 kernels of a thread or so; in the proportion of the defaults each kernel has about 8
// ranges around it that are its own.
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kDepth = 8;
constexpr int64_t kSlotNs = 20'000;  // of host time for one kernel and the ranges around it

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "nsys_export: %s\n", what);
    std::exit(1);
}

class Writer {
  public:
    explicit Writer(const char* path) {
        std::remove(path);
        if (sqlite3_open(path, &db_) != SQLITE_OK) fail("cannot create the file");
        run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
            "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
            "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
            "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'), "
            "('EXPORT_SCHEMA_VERSION', '3.20.2');"
            "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER, computeMajor INTEGER, "
            "computeMinor INTEGER);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "
            "eventClass INTEGER NOT NULL, "
            "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT "
            "NULL, callchainId INTEGER);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId "
            "INTEGER NOT NULL, "
            "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid "
            "INTEGER, demangledName INTEGER "
            "NOT NULL, shortName INTEGER NOT NULL, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX "
            "INTEGER, blockY INTEGER, "
            "blockZ INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory "
            "INTEGER);"
            "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
            "rangeId INTEGER, category "
            "INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, "
            "domainId INTEGER, "
            "uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value "
            "INTEGER, floatValue REAL, "
            "jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);"
            "BEGIN");
        call_ = prepare("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 1, 0, NULL)");
        kernel_ = prepare(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 1, 7, ?, ?, ?, ?, ?, 1, 1, 256, 1, 1, "
            "32, 0, 0)");
        range_ = prepare(
            "INSERT INTO NVTX_EVENTS (start, end, eventType, globalTid, textId, text, domainId) VALUES (?, "
            "?, 59, ?, ?, ?, 0)");
        text_ = prepare("INSERT INTO StringIds VALUES (?, ?)");
    }
    ~Writer() {
        run("COMMIT");
        for (sqlite3_stmt* statement : {call_, kernel_, range_, text_})
            sqlite3_finalize(statement);
        sqlite3_close(db_);
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void call(int64_t start, int64_t end, int64_t thread, int64_t correlation) {
        insert(call_, {start, end, thread, correlation});
    }
    void kernel(int64_t start, int64_t end, int64_t gpu, int64_t correlation, int64_t process, int64_t name) {
        insert(kernel_, {start, end, gpu, correlation, process, name, name, 1 + name % 64});
    }
    // Every third name stands in the row itself, as in real exports.
    void range(int64_t start, int64_t end, int64_t thread, int64_t name, const std::string& text) {
        const bool inside = name % 3 == 0;
        if (inside)
            sqlite3_bind_text(range_, 5, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
        else
            sqlite3_bind_int64(range_, 4, name);
        insert(range_, {start, end, thread});
        sqlite3_bind_null(range_, 4);
        sqlite3_bind_null(range_, 5);
    }
    void text(int64_t id, const std::string& value) {
        sqlite3_bind_text(text_, 2, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
        insert(text_, {id});
    }
    void run(const std::string& sql) {
        if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(db_));
    }

  private:
    sqlite3_stmt* prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(db_));
        return statement;
    }
    void insert(sqlite3_stmt* statement, std::initializer_list<int64_t> values) {
        int at = 0;
        for (const int64_t value : values)
            sqlite3_bind_int64(statement, ++at, value);
        if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(db_));
        sqlite3_reset(statement);
    }
    sqlite3* db_ = nullptr;
    sqlite3_stmt *call_ = nullptr, *kernel_ = nullptr, *range_ = nullptr, *text_ = nullptr;
};

struct Options {
    const char* path = nullptr;
    int64_t kernels = 2'000'000, ranges = 16'000'000, threads = 4, gpus = 2;
};

Options options_of(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const auto number = [&] { return i + 1 < argc ? std::atoll(argv[++i]) : 0; };
        if (std::strcmp(argv[i], "--kernels") == 0)
            options.kernels = number();
        else if (std::strcmp(argv[i], "--ranges") == 0)
            options.ranges = number();
        else if (std::strcmp(argv[i], "--threads") == 0)
            options.threads = number();
        else if (std::strcmp(argv[i], "--gpus") == 0)
            options.gpus = number();
        else
            options.path = argv[i];
    }
    if (!options.path || options.kernels < 1 || options.threads < 1 || options.gpus < 1)
        fail("give a file to write");
    return options;
}

constexpr int64_t kFirstRangeName = 100, kRangeNames = 600, kKernelNames = 50;

std::vector<std::string> write_texts(Writer& writer) {
    writer.text(1, "cudaLaunchKernel_v7000");
    for (int64_t i = 0; i < kKernelNames; ++i)
        writer.text(2 + i, "void ns::kernel_" + std::to_string(i) + "<float, 128>(float const*, float*)");
    std::vector<std::string> names;
    for (int64_t i = 0; i < kRangeNames; ++i) {
        names.push_back(i < 200   ? "aten::op_" + std::to_string(i) + ", seq = " + std::to_string(i)
                        : i < 400 ? "/model/layer" + std::to_string(i % 24) + "/block" + std::to_string(i)
                                  : "range " + std::to_string(i));
        writer.text(kFirstRangeName + i, names.back());
    }
    return names;
}

// A slot of a thread: ranges one inside the other, the call in the innermost.
void write_all(Writer& writer, const Options& options) {
    const std::vector<std::string> names = write_texts(writer);
    int64_t ranges = 0;
    for (int64_t i = 0; i < options.kernels; ++i) {
        const int64_t lane = i % options.threads, gpu = lane % options.gpus, slot = i / options.threads;
        const int64_t process = (int64_t{1} << 48) + ((100 + gpu) << 24), thread = process + 200 + lane;
        const int64_t begin = slot * kSlotNs, wanted = options.ranges * (i + 1) / options.kernels;
        for (int64_t k = 0; ranges < wanted; ++k, ++ranges) {
            // More than eight a kernel stand one after another.
            const int64_t level = k % kDepth, run = k / kDepth, width = kSlotNs / (run + 1);
            const int64_t from = begin + kSlotNs - width + level * width / 20,
                          to = begin + kSlotNs - level * width / 20 - 1;
            const int64_t name = (slot * 7 + level * 75 + i / 1000) % kRangeNames;
            writer.range(from, to, thread, kFirstRangeName + name, names[static_cast<size_t>(name)]);
        }
        const int64_t call = begin + kSlotNs / 2, start = call + 3000 + i % 500;
        writer.call(call, call + 2000, thread, i + 1);
        writer.kernel(start, start + 1000 + i % 3000, gpu, i + 1, process, 2 + i % kKernelNames);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    Writer writer(options.path);
    for (int64_t gpu = 0; gpu < options.gpus; ++gpu)
        writer.run("INSERT INTO TARGET_INFO_GPU VALUES (" + std::to_string(gpu) +
                   ", 'NVIDIA H100 80GB HBM3', 132, 9, 0)");
    write_all(writer, options);
    std::printf("%lld kernels, %lld ranges\n", static_cast<long long>(options.kernels),
                static_cast<long long>(options.ranges));
}

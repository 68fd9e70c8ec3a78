// Imports and analyses exports of Nsight Systems, or databases of DLProf or nvprof, that were damaged at
// random: values of their rows, and bytes of their pages. Nothing may crash, hang or leave the limits of
// memory; whether an import succeeds does not matter. The same seed gives the same files.
//
//   mutate_exports [--count N] [--seed S] [--only I] [--columns AT-LEAST] [--write FILE] SCRIPT.sql
//
// The script makes the undamaged export; --write only leaves that as FILE. --only repeats file I of a run,
// and leaves it as mutated.sqlite.
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "analyze/analyze.h"
#include "import/import.h"

namespace {

using Random = std::mt19937_64;
namespace fs = std::filesystem;

// What hurts: numbers at the edges, other types, texts that are cut, deep or not UTF-8.
constexpr const char* kValues[] = {"NULL",
                                   "-1",
                                   "0",
                                   "1",
                                   "59",
                                   "60",
                                   "75",
                                   "4294967295",
                                   "9223372036854775807",
                                   "-9223372036854775807 - 1",
                                   "4611686018427387904",
                                   "-4611686018427387904",
                                   "1e300",
                                   "'text'",
                                   "''",
                                   "x'ff00fe'",
                                   "zeroblob(100000)",
                                   "281475060596743",
                                   "'{''op'': ''x'', ''args'': [[[[[[[[[['",
                                   "'{''funcStack'': ''/::forward//a::forward/'', ''traceMarker'': {}}'",
                                   "'aten::x, seq = 99999999999999999999, sizes = [[[(('",
                                   "'/////'",
                                   "'layer:'"};

struct Column {
    std::string table, name;
};

struct Seed {
    std::string bytes;
    std::vector<Column> columns;
};

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "mutate_exports: %s\n", what.c_str());
    std::exit(2);
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool run_sql(const std::string& path, const std::string& sql) {
    sqlite3* db = nullptr;
    const bool done = sqlite3_open(path.c_str(), &db) == SQLITE_OK &&
                      sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    if (!done && db) std::fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    sqlite3_close(db);
    return done;
}

// `least`: columns that the script makes at least.
Seed make_seed(const std::string& script, const std::string& path, uint64_t least) {
    if (!run_sql(path, "PRAGMA page_size = 1024;" + read_file(script)))
        fail("the script " + script + " failed");
    Seed seed;
    seed.bytes = read_file(path);
    sqlite3* db = nullptr;
    sqlite3_stmt* rows = nullptr;
    sqlite3_open(path.c_str(), &db);
    sqlite3_prepare_v2(
        db, "SELECT m.name, i.name FROM sqlite_master m, pragma_table_info(m.name) i WHERE m.type = 'table'",
        -1, &rows, nullptr);
    while (sqlite3_step(rows) == SQLITE_ROW)
        seed.columns.push_back({reinterpret_cast<const char*>(sqlite3_column_text(rows, 0)),
                                reinterpret_cast<const char*>(sqlite3_column_text(rows, 1))});
    sqlite3_finalize(rows);
    sqlite3_close(db);
    if (seed.columns.size() < least) fail("the script " + script + " made too little");
    return seed;
}

std::string damaging_sql(const Seed& seed, Random& random) {
    const Column& column = seed.columns[random() % seed.columns.size()];
    switch (random() % 12) {
        case 0:
            return "DROP TABLE IF EXISTS " + column.table + ";";
        case 1:
            return "DELETE FROM " + column.table + " WHERE rowid % 2 = 0;";
        case 2:
            return "INSERT INTO " + column.table + " SELECT * FROM " + column.table + ";";
        default:
            break;
    }
    const std::string value = kValues[random() % std::size(kValues)];
    const std::string rows = random() % 4 == 0 ? "" : " WHERE rowid % 7 = " + std::to_string(random() % 7);
    return "UPDATE OR IGNORE " + column.table + " SET \"" + column.name + "\" = " + value + rows + ";";
}

void damage_bytes(std::string& bytes, Random& random) {
    for (uint64_t i = random() % 20 + 1; i > 0; --i) {
        const size_t at = random() % bytes.size();
        switch (random() % 5) {
            case 0:
                bytes[at] = static_cast<char>(random());
                break;
            case 1:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
                break;
            case 2:
                bytes.replace(at, 4, 4, random() % 2 ? '\xff' : '\0');
                break;
            case 3:
                bytes.replace(at, 64, bytes.substr(random() % bytes.size(), 64));
                break;
            default:
                if (random() % 10 == 0) bytes.resize(std::max<size_t>(at, 1));
        }
    }
}

// One import and analysis; true where the importer took the file.
bool import_one(const std::string& path) {
    opsight::importer::ImportOptions options;
    options.threads = 1;
    opsight::Result<opsight::Profile> profile = opsight::importer::import_files({path}, options);
    if (!profile) return false;
    opsight::analyze::AnalysisOptions analysis;
    analysis.threads = 1;
    opsight::analyze::analyze(*profile, analysis);
    return true;
}

bool mutate_and_import(const Seed& seed, uint64_t number, const std::string& path) {
    Random random(number);
    std::ofstream(path, std::ios::binary) << seed.bytes;
    if (random() % 3 != 0) {
        std::string sql = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;";
        for (uint64_t i = random() % 8 + 1; i > 0; --i)
            sql += damaging_sql(seed, random);
        sqlite3* db = nullptr;  // a statement may fail: its table may be gone
        if (sqlite3_open(path.c_str(), &db) == SQLITE_OK)
            sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
        sqlite3_close(db);
    }
    if (random() % 2 == 0) {
        std::string bytes = read_file(path);
        damage_bytes(bytes, random);
        std::ofstream(path, std::ios::binary) << bytes;
    }
    return import_one(path);
}

}  // namespace

int main(int argc, char** argv) {
    uint64_t count = 1000, first = 1, only = 0, least = 100;
    std::string script, write;
    for (int i = 1; i < argc; ++i) {
        const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
        if (std::strcmp(argv[i], "--count") == 0)
            count = number();
        else if (std::strcmp(argv[i], "--seed") == 0)
            first = number();
        else if (std::strcmp(argv[i], "--only") == 0)
            only = number();
        else if (std::strcmp(argv[i], "--columns") == 0)
            least = number();
        else if (std::strcmp(argv[i], "--write") == 0 && i + 1 < argc)
            write = argv[++i];
        else
            script = argv[i];
    }
    if (script.empty()) fail("give the SQL script of an export");
    if (!write.empty()) return make_seed(script, write, least), 0;
    const std::string folder =
        (fs::temp_directory_path() / ("mutate_exports_" + std::to_string(getpid()))).string();
    fs::create_directories(folder);
    const Seed seed = make_seed(script, folder + "/seed.sqlite", least);
    if (!import_one(folder + "/seed.sqlite")) fail("the undamaged export was refused");
    uint64_t taken = 0;
    const uint64_t begin = only > 0 ? only : first, end = only > 0 ? only + 1 : first + count;
    for (uint64_t i = begin; i < end; ++i) {
        const auto start = std::chrono::steady_clock::now();
        taken += mutate_and_import(seed, i, only > 0 ? "mutated.sqlite" : folder + "/mutated.sqlite");
        if (std::chrono::steady_clock::now() - start > std::chrono::seconds(10)) {
            std::fprintf(stderr, "mutate_exports: file %llu took more than 10 s\n",
                         static_cast<unsigned long long>(i));
            return 1;
        }
    }
    fs::remove_all(folder);
    std::printf("%llu mutated exports, %llu of them imported; no crash\n",
                static_cast<unsigned long long>(end - begin), static_cast<unsigned long long>(taken));
    return taken > 0 ? 0 : 1;
}

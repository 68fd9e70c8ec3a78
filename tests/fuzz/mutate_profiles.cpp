// Opens profiles that were damaged at random and asks them questions: values of their rows (by SQL), and
// bytes of their blocks, with checksums that are right again. Each is opened in a process of its own first,
// as the viewer does: where DuckDB crashes on it there, it is refused. After that nothing may crash or hang.
//
//   mutate_profiles [--count N] [--seed S] [--only I]
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "db/schema.h"
#include "db/test_changes.h"
#include "query/reports/info.h"
#include "query/reports/reports.h"
#include "query/timeline/timeline.h"

namespace {

using Random = std::mt19937_64;
namespace fs = std::filesystem;
namespace db = opsight::db;

constexpr size_t kHeader = 4096, kHeaders = 3 * kHeader;
constexpr unsigned kSeconds = 60;  // for one file

// DuckDB's: words times a number, combined by exclusive or.
uint64_t checksum(const char* bytes, size_t size) {
    uint64_t sum = 5381;
    for (size_t at = 0; at + 8 <= size; at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes + at, 8);
        sum ^= word * 0xbf58476d1ce4e5b9ULL;
    }
    return sum;
}

bool checksums_are_known(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    uint64_t stored = 0;
    std::memcpy(&stored, bytes.data(), 8);
    return bytes.size() > kHeaders && stored == checksum(bytes.data() + 8, kHeader - 8);
}

void damage_bytes(std::string& file, Random& random) {
    uint64_t block = 0;
    std::memcpy(&block, file.data() + kHeader + 40, 8);
    if (block < 4096 || block > (1 << 20)) return;
    std::vector<std::pair<size_t, size_t>> parts = {{0, kHeader}, {kHeader, kHeader}, {2 * kHeader, kHeader}};
    for (size_t at = kHeaders; at + block <= file.size(); at += block)
        parts.emplace_back(at, block);
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
        const auto& [begin, size] = parts[random() % parts.size()];
        const size_t at = begin + 8 + random() % (std::min<size_t>(size, 4096) - 8);
        file[at] =
            random() % 2 ? static_cast<char>(random()) : static_cast<char>(file[at] ^ (1 << random() % 8));
        const uint64_t sum = checksum(file.data() + begin + 8, size - 8);
        std::memcpy(file.data() + begin, &sum, 8);
    }
}

std::string change_of_value(Random& random) {
    const char* values[] = {"NULL",
                            "-1",
                            "0",
                            "1",
                            "127",
                            "-2147483648",
                            "2147483647",
                            "'x'",
                            "''",
                            "repeat('/a', 9999)",
                            "9223372036854775807",
                            "-9223372036854775808",
                            "'nan'",
                            "'inf'",
                            "4611686018427387903"};
    const db::Table& table = db::tables()[random() % db::tables().size()];
    const db::Column& column = table.columns[random() % table.columns.size()];
    return "UPDATE raw." + std::string(table.name) + " SET " + std::string(column.name) + " = TRY_CAST(" +
           values[random() % std::size(values)] + " AS " +
           std::string(opsight::duck::type_name(column.type)) + ")" +
           (random() % 2 ? " WHERE rowid = 0" : "");
}

void make(const std::string& good, const std::string& path, Random& random) {
    fs::copy_file(good, path, fs::copy_options::overwrite_existing);
    if (random() % 2) {
        auto database = opsight::duck::Database::open(path, {});
        auto connection = database->connect();
        for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
            (void)connection->execute(change_of_value(random));
        return;
    }
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    damage_bytes(bytes, random);
    std::ofstream(path, std::ios::binary) << bytes;
}

void ask_all(const std::string& path) {
    auto session = opsight::query::Session::open(path, {});
    if (!session) return;
    (void)opsight::query::profile_info(*session);
    for (const auto& name : opsight::query::report_names())
        (void)opsight::query::make_report(*session, std::string(name), {});
    (void)opsight::query::Timeline::open(path, {});
}

// Whether a child that runs this ended by itself.
template <class Work>
bool survives(Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(kSeconds);
        work();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    uint64_t count = 100, seed = 1, only = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        (option == "--count"  ? count
         : option == "--seed" ? seed
                              : only) = std::strtoull(argv[i + 1], nullptr, 10);
    }
    std::string folder = (fs::temp_directory_path() / "opsight-mutate-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return 2;
    const std::string good = folder + "/good.opsight", path = folder + "/mutated.opsight";
    db::write_sample(good);
    if (!checksums_are_known(good)) {
        std::puts("the checksums of DuckDB's files are others than here");
        return 2;
    }
    uint64_t refused = 0, crashed = 0;
    for (uint64_t i = only ? only : seed; i < (only ? only + 1 : seed + count); ++i) {
        Random random(i);
        if (!survives([&] { make(good, path, random); })) continue;
        if (!survives([&] {
                if (!db::open_profile(path)) ::_exit(3);
            })) {
            ++refused;
            continue;
        }
        if (survives([&] { ask_all(path); })) continue;
        std::printf("file %llu of this seed crashes or hangs\n", static_cast<unsigned long long>(i));
        ++crashed;
        if (only) fs::copy_file(path, "mutated.opsight", fs::copy_options::overwrite_existing);
    }
    fs::remove_all(folder);
    std::printf("%llu profiles, %llu refused, %llu findings\n",
                static_cast<unsigned long long>(only ? 1 : count), static_cast<unsigned long long>(refused),
                static_cast<unsigned long long>(crashed));
    return crashed == 0 ? 0 : 1;
}

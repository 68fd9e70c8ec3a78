// Imports and analyses traces that were damaged at random. Nothing may crash, hang or leave the limits of
// memory; whether an import succeeds does not matter. The same seed gives the same traces.
//
//   mutate_traces [--count N] [--seed S] [--only I] SEED_TRACE_OR_FOLDER...
//
// --only repeats trace I of a run, and writes it to mutated.json. Meant for a build with sanitizers.
#include <sys/resource.h>

#include <algorithm>
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
#include "import/all_readers.h"
#include "import/capture/importer.h"
#include "import/kineto/importer.h"
#include "wire/reader.h"

namespace {

using Random = std::mt19937_64;

// What hurts parsers: brackets, quotes, escapes, numbers at the edges, broken UTF-8.
constexpr std::string_view kTokens[] = {"\"",
                                        "\\",
                                        "\\\"",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "null",
                                        "true",
                                        "NaN",
                                        "Infinity",
                                        "-1",
                                        "0",
                                        "1e400",
                                        "-1e-400",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551616",
                                        "1e15",
                                        "0.0000000001",
                                        "\\u0000",
                                        "\\ud800",
                                        "\\ud83d\\ude00",
                                        "\xff",
                                        "\xc3",
                                        "\xf0\x9f\x98",
                                        "\x01",
                                        "\n",
                                        "\t",
                                        "{\"ph\":\"X\"}",
                                        ",{\"ph\"",
                                        "[[[[[[[[",
                                        "]]]]]]]]",
                                        "\"ph\": \"B\",",
                                        "\"ph\": \"E\",",
                                        "\"ts\": \"x\",",
                                        "\"dur\": -5,",
                                        "\"pid\": [],",
                                        "\"args\": 3,",
                                        "\"args\": null,",
                                        "\"cat\": \"kernel\",",
                                        "\"traceEvents\": [",
                                        "],\"traceEvents\":[",
                                        "\"baseTimeNanoseconds\": 9e18,"};

std::string_view any_token(Random& random) {
    return kTokens[random() % std::size(kTokens)];
}

void damage_number(std::string& text, Random& random) {
    const size_t from = text.find_first_of("0123456789", random() % text.size());
    if (from == text.npos) return;
    const size_t end = std::min(text.find_first_not_of("0123456789.", from), text.size());
    text.replace(from, end - from, any_token(random));
}

void damage(std::string& text, Random& random) {
    if (text.empty()) return;
    const size_t at = random() % text.size(), length = random() % std::min<size_t>(400, text.size() - at) + 1;
    switch (random() % 9) {
        case 0:
            text[at] = static_cast<char>(random());
            break;
        case 1:
            text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
            break;
        case 2:
            text.erase(at, length);
            break;
        case 3:
            text.insert(at, text.substr(at, length));
            break;
        case 4:
            text.insert(at, any_token(random));
            break;
        case 5:
            text.replace(at, std::min<size_t>(length, 8), any_token(random));
            break;
        case 6:
            text.resize(at);
            break;
        case 7:
            text.insert(random() % text.size(), text.substr(at, length));
            break;
        default:
            damage_number(text, random);
    }
}

std::string mutated(const std::vector<std::string>& seeds, uint64_t seed) {
    Random random(seed);
    std::string text = seeds[random() % seeds.size()];
    for (uint64_t i = random() % 8 + 1; i > 0; --i)
        damage(text, random);
    return text;
}

// By the first reader of streams that claims it; anything else as a trace.
bool import_text(const std::string& text, opsight::ProfileBuilder& builder) {
    const opsight::importer::InputFile file{"mutated", false};
    opsight::PeekedSource source(opsight::memory_source(text));
    for (const opsight::importer::Reader& reader : opsight::importer::all_readers()) {
        const auto* read = std::get_if<opsight::importer::ReadStream>(&reader.read);
        if (read && reader.sniff(opsight::importer::Head(file, source)) == opsight::importer::Claim::kCertain)
            return static_cast<bool>((*read)(source, file, {}, builder));
    }
    return static_cast<bool>(opsight::importer::kineto::import_trace(source, "mutated", {}, builder));
}

// One import and analysis; true where the importer took the trace.
bool import_one(const std::string& text) {
    opsight::ProfileBuilder builder;
    if (opsight::wire::CaptureReader::matches(text)) {
        if (!opsight::importer::capture::import_capture(text, "mutated", builder)) return false;
    } else if (!import_text(text, builder)) {
        return false;
    }
    opsight::Profile profile = std::move(builder).finish();
    opsight::analyze::AnalysisOptions analysis;
    analysis.threads = 1;
    opsight::analyze::analyze(profile, analysis);
    return true;
}

std::vector<std::string> read_seeds(const std::vector<std::string>& paths) {
    std::vector<std::filesystem::path> files;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path))
            files.emplace_back(path);
        else
            for (const auto& entry : std::filesystem::directory_iterator(path))
                files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> seeds;
    for (const auto& path : files) {
        std::ifstream file(path, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return seeds;
}

}  // namespace

int main(int argc, char** argv) {
    uint64_t count = 1000, first_seed = 1, only = 0;
    std::vector<std::string> paths;
    for (int i = 1; i < argc; ++i) {
        const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
        if (std::strcmp(argv[i], "--count") == 0)
            count = number();
        else if (std::strcmp(argv[i], "--seed") == 0)
            first_seed = number();
        else if (std::strcmp(argv[i], "--only") == 0)
            only = number();
        else
            paths.emplace_back(argv[i]);
    }
    const std::vector<std::string> seeds = read_seeds(paths);
    if (seeds.empty()) {
        std::fprintf(stderr, "mutate_traces: give seed traces, or a folder of them\n");
        return 2;
    }
    uint64_t taken = 0;
    const uint64_t begin = only > 0 ? only : first_seed, end = only > 0 ? only + 1 : first_seed + count;
    for (uint64_t seed = begin; seed < end; ++seed) {
        const std::string text = mutated(seeds, seed);
        if (only > 0) std::ofstream("mutated.json", std::ios::binary) << text;
        const auto start = std::chrono::steady_clock::now();
        taken += import_one(text);
        if (std::chrono::steady_clock::now() - start > std::chrono::seconds(10)) {
            std::fprintf(stderr, "mutate_traces: trace %llu took more than 10 s\n",
                         static_cast<unsigned long long>(seed));
            return 1;
        }
    }
    std::printf("%llu mutated traces, %llu of them imported; no crash\n",
                static_cast<unsigned long long>(end - begin), static_cast<unsigned long long>(taken));
    return 0;
}

// What may be given to import_files, and what happens with what is not a trace.
#include "import/import.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/reader/rank_hint.h"

namespace opsight::importer {
namespace {

using testing::gzip;
using testing::tar_end;
using testing::tar_member;
using testing::TempFolder;

std::string trace(const std::string& name, const std::string& rank = "") {
    const std::string header = rank.empty() ? "" : R"("distributedInfo": {"rank": )" + rank + "}, ";
    return "{" + header + R"("schemaVersion": 1, "traceEvents": [{"ph":"X","cat":"cpu_op","name":")" + name +
           R"(","pid":1,"tid":1,"ts":5,"dur":2}]})";
}

Profile must_import(const std::vector<std::string>& paths) {
    Result<Profile> profile = import_files(paths);
    EXPECT_TRUE(profile.has_value()) << profile.error().message();
    return profile ? std::move(*profile) : Profile();
}

std::string error_of(const std::string& path) {
    const Result<Profile> profile = import_files({path});
    EXPECT_FALSE(profile.has_value());
    return profile ? "" : profile.error().message();
}

std::vector<int64_t> rank_numbers(const Profile& profile) {
    std::vector<int64_t> numbers;
    for (const Rank& rank : profile.ranks)
        numbers.push_back(rank.number);
    return numbers;
}

TEST(Import, TakesPlainAndCompressedFilesByContent) {
    const TempFolder folder;
    EXPECT_EQ(must_import({folder.write("a.txt", trace("x"))}).host.size(), 1u);
    EXPECT_EQ(must_import({folder.write("b", gzip(trace("x")))}).host.size(), 1u);
    EXPECT_EQ(must_import({folder.write("c.json", "\n\n  " + trace("x"))}).host.size(), 1u);
}

TEST(Import, TakesDirectoriesAndArchivesOfRanks) {
    const TempFolder folder;
    folder.write("run/rank10.json", trace("ten", "10"));
    folder.write("run/rank2.json.gz", gzip(trace("two", "2")));
    folder.write("run/notes.md", "# nothing");
    folder.write("run/other.json", "{\"a\": 1}");
    const Profile directory = must_import({folder.path() + "/run"});
    EXPECT_EQ(rank_numbers(directory), (std::vector<int64_t>{2, 10}));
    EXPECT_EQ(directory.diagnostics.count(Diag::kSkippedFile), 2);

    const std::string tar = tar_member("r/rank1.json", trace("one", "1")) + tar_member("../../x", "junk") +
                            tar_member("r/rank0.json.gz", gzip(trace("zero", "0"))) +
                            tar_member("l", "", '2') + tar_end();
    for (const std::string& packed : {tar, gzip(tar)}) {
        const Profile archive = must_import({folder.write("ranks.tar.gz", packed)});
        EXPECT_EQ(rank_numbers(archive), (std::vector<int64_t>{1, 0}));
        EXPECT_EQ(archive.diagnostics.count(Diag::kSkippedFile), 1);
        EXPECT_TRUE(archive.ranks[0].source.ends_with("ranks.tar.gz:r/rank1.json"));
    }
    EXPECT_NE(error_of(folder.write("empty/.keep", "").substr(0, folder.path().size() + 6)).find("no trace"),
              std::string::npos);
}

// Tar in tar: the headers, from the outermost inwards, then what is inside, then all their ends.
std::string nested_tar(std::string_view inside, size_t times) {
    std::string heads, ends;
    size_t size = (inside.size() + 511) / 512 * 512;
    for (size_t i = 0; i < times; ++i) {
        heads.insert(0, tar_member("inner.tar", "", '0', i == 0 ? inside.size() : size));
        ends += tar_end();
        size += 512 + 1024;
    }
    std::string padded(inside);
    padded.resize((inside.size() + 511) / 512 * 512);
    return heads + padded + ends;
}

// Each level takes some of the stack.
TEST(Import, ArchivesInArchivesHaveABound) {
    const TempFolder folder;
    const auto twice = [](const std::string& inside) { return gzip(tar_member("a", inside) + tar_end()); };
    const std::string three = twice(twice(twice(trace("x"))));
    EXPECT_EQ(must_import({folder.write("3.tar.gz", three)}).host.size(), 1u);
    EXPECT_NE(error_of(folder.write("4.tar.gz", twice(three))).find("no trace"), std::string::npos);
    EXPECT_EQ(must_import({folder.write("6.tar", nested_tar(trace("x"), 6))}).host.size(), 1u);
    for (const size_t deep : {size_t{7}, size_t{5000}})
        EXPECT_NE(error_of(folder.write("deep.tar.gz", gzip(nested_tar(trace("x"), deep)))).find("no trace"),
                  std::string::npos);
}

TEST(Import, KnownRanksComeBeforeGuessedOnes) {
    const TempFolder folder;
    const Profile p =
        must_import({folder.write("a.json", trace("a")), folder.write("b.json", trace("b", "0")),
                     folder.write("c_rank-7.json", trace("c")), folder.write("d.json", trace("d", "0"))});
    EXPECT_EQ(rank_numbers(p), (std::vector<int64_t>{2, 0, 7, 1}));
    EXPECT_EQ(p.diagnostics.count(Diag::kRankDuplicate), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kRankMissing), 2);
}

TEST(Import, CutFilesGiveWhatIsThere) {
    const TempFolder folder;
    std::string events;
    for (int i = 0; i < 5000; ++i)
        events += R"({"ph":"X","cat":"cpu_op","name":"n)" + std::to_string(i * 7919 % 5003) +
                  R"(","pid":1,"tid":1,"ts":)" + std::to_string(i) + R"(,"dur":1},)";
    const std::string whole = "{\"traceEvents\": [" + events + "{}]}";
    const Profile cut = must_import({folder.write("cut.json", whole.substr(0, whole.size() / 2))});
    EXPECT_NEAR(static_cast<double>(cut.host.size()), 2500, 50);
    ASSERT_EQ(cut.diagnostics.count(Diag::kTruncatedInput), 1);
    EXPECT_EQ(cut.diagnostics.first(Diag::kTruncatedInput)[0].offset, static_cast<int64_t>(whole.size() / 2));

    const std::string packed = gzip(whole);
    const Profile cut_gzip = must_import({folder.write("cut.gz", packed.substr(0, packed.size() / 2))});
    EXPECT_GT(cut_gzip.host.size(), 1000u);
    EXPECT_LT(cut_gzip.host.size(), 4000u);
    bool told = false;
    for (const DiagOccurrence& where : cut_gzip.diagnostics.first(Diag::kTruncatedInput))
        told |= where.text.find("gzip stream breaks off") != std::string::npos;
    EXPECT_TRUE(told);
}

TEST(Import, RefusesWhatIsNoTraceAndSaysWhy) {
    const TempFolder folder;
    const std::string nul(1, '\0');
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "is empty"},
        {"   \n", "is empty"},
        {gzip(""), "is empty"},
        {"{\"a\": [1, 2]}", "traceEvents"},
        {"[1, 2, 3]", "no trace events"},
        {"{\"traceEvents\": [1, 2, 3]}", "no trace events"},
        {"{\"traceEvents\": 5}", "traceEvents"},
        {"SQLite format 3" + nul, "cannot be read as a SQLite database"},
        {"PK\x03\x04zip", "zip archive"},
        {"\x28\xb5\x2f\xfdzstd", "zstd"},
        {"\x80\x04\x95pickle", "Python pickle"},
        {"<!DOCTYPE html><html>", "HTML page"},
        {"<?xml version=\"1.0\"?>", "XML"},
        {"Time,Name,Dur\n1,2,3\n", "CSV"},
        {"hello world", "text, but no JSON"},
        {"\x08\x07\x12\x07pytorch\x1a\x05"
         "1.13",
         "model"},
        {std::string("\x7f"
                     "ELF\x02\x01\x01"),
         "ELF"},
        {std::string("\x00\x01\x02\x03\xff\xfe", 6), "binary data"},
        {gzip("PK\x03\x04zip"), "zip archive"},
    };
    for (const auto& [content, wanted] : cases) {
        const std::string path = folder.write("input", content), message = error_of(path);
        EXPECT_NE(message.find(wanted), std::string::npos) << message;
        EXPECT_NE(message.find(path), std::string::npos) << message;
    }
    EXPECT_NE(error_of(folder.path() + "/missing").find("no such file"), std::string::npos);
    EXPECT_NE(error_of(folder.path()).find("no trace"), std::string::npos);
}

// Programs print lines that begin with brackets, too.
TEST(Import, LogsAreKnownByTheirMarkers) {
    const TempFolder folder;
    const std::string made = "onednn_verbose,exec,cpu,sum,ref:any,undef,src_f32::blocked:ab:f0,,,2x3,0.5\n";
    const std::string printed =
        "==1== NVPROF is profiling process 1, command: ./a\n"
        "==1== Profiling result:\n\"Start\",\"Duration\",\"Name\"\nms,ms,\n1,2,k\n";
    for (const char* line :
         {"[Matrix Multiply] - Starting\n", "[ RUN      ] a\n", "[2024-05-01 10:00:00] a\n",
          "[1,0]<stdout>: a\n", "{'loss': 0.5}\n", "\xef\xbb\xbf[INFO] a\n"}) {
        for (const std::string& log : {made, printed}) {
            const Result<Profile> profile = import_files({folder.write("run.log", line + log)});
            ASSERT_TRUE(profile) << line << profile.error().message();
            EXPECT_EQ(profile->host.size() + profile->device.size(), 1u) << line;
        }
    }
    for (const char* other : {"[INFO] nothing else\n", " [2024-05-01 10:00:00] a\n", "{'loss': 0.5}\n"}) {
        const std::string message = error_of(folder.write("run.log", other));
        EXPECT_NE(message.find("is text, but no JSON"), std::string::npos) << message;
    }
    EXPECT_TRUE(import_files(
        {folder.write("a.json", "[{\"ph\": \"X\", \"name\": \"" + made.substr(0, made.size() - 1) +
                                    "\", \"cat\": \"cpu_op\", \"ts\": 1, \"dur\": 2}]")}))
        << "a name in a trace";
}

// As tools of Windows save texts.
TEST(Import, ByteOrderMarkChangesNothing) {
    const TempFolder folder;
    const std::string seeds = OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/";
    for (const char* name :
         {"horovod_timeline.json", "kineto_2024.json", "ncu_raw.csv", "nvprof_trace.csv", "onednn.log",
          "onnxruntime.json", "pyprof.csv", "pyprof.dict", "rocprof_kernel_trace.csv", "rocprof_results.json",
          "rocprof_v1_results.csv", "rocprof_v1_results.json", "run.folded", "tensorflow_timeline.json",
          "tensorrt_times.json"}) {
        std::ifstream file(seeds + name, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const Result<Profile> plain = import_files({folder.write(name, text)});
        const Result<Profile> marked = import_files({folder.write(name, "\xef\xbb\xbf" + text)});
        ASSERT_TRUE(plain && marked) << name;
        EXPECT_EQ(plain->info.producer, marked->info.producer) << name;
        EXPECT_EQ(plain->host.size(), marked->host.size()) << name;
        EXPECT_EQ(plain->device.size(), marked->device.size()) << name;
        EXPECT_EQ(plain->counters.size(), marked->counters.size()) << name;
        for (const Diag diag : {Diag::kUnknownCategory, Diag::kUnreadRow, Diag::kBadEvent})
            EXPECT_EQ(plain->diagnostics.count(diag), marked->diagnostics.count(diag)) << name;
    }
}

// What stands for a file that is not there is named, also where it was found or has the name of a report.
TEST(Import, WhatStandsForATraceIsNamed) {
    const TempFolder folder;
    const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    const std::string utf16("\xff\xfe{\0\"\0", 6);
    for (const char* name : {"a.json", "a.sqlite", "a.nsys-rep"}) {
        EXPECT_NE(error_of(folder.write(name, pointer)).find("git lfs pull"), std::string::npos) << name;
        EXPECT_NE(error_of(folder.write(name, "<!doctype html>")).find("is an HTML page"), std::string::npos)
            << name;
        EXPECT_NE(error_of(folder.write(name, utf16)).find("iconv"), std::string::npos) << name;
    }
    folder.write("run/a.json", pointer);
    folder.write("run/b.json", pointer);
    const std::string message = error_of(folder.path() + "/run");
    EXPECT_NE(message.find("holds no trace"), std::string::npos) << message;
    EXPECT_NE(message.find("a pointer of Git LFS"), std::string::npos) << message;
    EXPECT_NE(message.find("and 1 more passed over"), std::string::npos) << message;
    EXPECT_NE(message.find("git lfs pull"), std::string::npos) << message;
}

// Files behind each other, as 'cat a b > c' leaves them.
TEST(Import, WhatFollowsATraceInItsFileIsSaid) {
    const TempFolder folder;
    const std::string tar = tar_member("rank0.json", trace("x", "0")) + tar_end();
    const std::string zeros(size_t{20} << 10, '\0'), sqlite = std::string("SQLite format 3") + '\0';
    const std::vector<std::pair<std::string, std::string>> cases = {
        {trace("x") + "\n" + trace("y"), "another JSON document"},
        {gzip(trace("x")) + gzip(trace("y")), "another JSON document"},
        {gzip(trace("x")) + gzip("\x01\x02 binary"), "binary data behind the trace"},
        {gzip(trace("x")) + gzip(sqlite), "text behind the trace"},
        {tar + tar, "behind the tar archive"},
        {tar + trace("y"), "behind the tar archive"},
        {gzip(tar) + gzip(trace("y")), "behind the tar archive"},
    };
    for (const auto& [content, wanted] : cases) {
        const Profile profile = must_import({folder.write("input", content)});
        EXPECT_EQ(profile.host.size(), 1u) << wanted;
        ASSERT_EQ(profile.diagnostics.count(Diag::kMoreDocuments), 1) << wanted;
        const std::string& text = profile.diagnostics.first(Diag::kMoreDocuments)[0].text;
        EXPECT_NE(text.find(wanted), std::string::npos) << text;
    }
    for (const std::string& whole : {tar + zeros, gzip(tar) + gzip(zeros)})
        EXPECT_EQ(must_import({folder.write("input", whole)}).diagnostics.count(Diag::kMoreDocuments), 0);
    const std::string lines = error_of(folder.write("input", "{\"a\": 1}\n" + trace("x")));
    EXPECT_NE(lines.find("several documents"), std::string::npos) << lines;
    EXPECT_NE(lines.find("a file of its own"), std::string::npos) << lines;
}

TEST(Import, UnreadableFile) {
    const TempFolder folder;
    const std::string path = folder.write("secret.json", trace("x"));
    std::filesystem::permissions(path, std::filesystem::perms::none);
    const uid_t user = ::geteuid();
    if (user == 0) {  // root may read everything
        ASSERT_EQ(::seteuid(65534), 0);
    }
    const std::string message = error_of(path);
    ASSERT_EQ(::seteuid(user), 0);
    EXPECT_NE(message.find("cannot open"), std::string::npos) << message;
}

TEST(Import, DeepNestingNeedsNoStack) {
    const TempFolder folder;
    const std::string deep(2'000'000, '[');
    const std::string event =
        R"({"ph":"X","cat":"cpu_op","name":"x","pid":1,"tid":1,"ts":5,"dur":2,"args":{"a":)";
    const Profile closed =
        must_import({folder.write("a.json", "[" + event + deep + std::string(deep.size(), ']') + "}}]")});
    EXPECT_EQ(closed.host.size(), 1u);
    must_import({folder.write("b.json", "[{\"ph\":\"M\"}," + event + deep)});
    EXPECT_NE(error_of(folder.write("c.json", deep)), "");
    EXPECT_NE(error_of(folder.write("d.json", "{\"a\":" + deep)), "");
}

// An endless string must not be gathered in memory.
TEST(Import, HugeStringIsPassedOver) {
    const TempFolder folder;
    const std::string path =
        folder.write("huge.json",
                     "["
                     R"({"ph":"X","cat":"cpu_op","name":"first","pid":1,"tid":1,"ts":5,"dur":2},)"
                     R"({"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":6,"dur":1,"name":")");
    {
        std::ofstream file(path, std::ios::binary | std::ios::app);
        const std::string piece(size_t{1} << 20, 'x');
        for (int i = 0; i < 300; ++i)
            file << piece;
        file << R"("},{"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":1,"ts":7,"dur":1}])";
    }
    const Profile p = must_import({path});
    EXPECT_EQ(p.host.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1);
#ifndef OPSIGHT_SANITIZE
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    EXPECT_LT(usage.ru_maxrss, 260 * 1024);
#endif
}

TEST(RankHint, ReadsNames) {
    EXPECT_EQ(rank_hint("runs/rank-34.Jul_15.json"), 34);
    EXPECT_EQ(rank_hint("mtia_trace_single_rank__mtia_rank_0.json.gz"), 0);
    EXPECT_EQ(rank_hint("x/worker2_step_12.169.pt.trace.json"), 2);
    EXPECT_EQ(rank_hint("bs_32_rank0.json.gz"), 0);
    EXPECT_EQ(rank_hint("rank3/trace.json"), -1);
    EXPECT_EQ(rank_hint("rank_not_found.json"), -1);
    EXPECT_EQ(rank_hint("rank_99999999999.json"), -1);
}

}  // namespace
}  // namespace opsight::importer

// NVTX events of a capture that is made here: dialects, ranges across threads, oddities.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "import/capture/importer.h"
#include "wire/nvtx.h"
#include "wire/writer.h"

namespace opsight::importer::capture {
namespace {

using wire::RecordType;

class NvtxCapture : public ::testing::Test {
  protected:
    void SetUp() override {
        path_ = (std::filesystem::temp_directory_path() /
                 ("opsight_nvtx_" + std::to_string(getpid()) + ".opcap"));
        std::filesystem::remove(path_);
        ASSERT_EQ(writer_.open(path_.c_str(), 8 << 20), 0);
        start_ = writer_.ticks();
    }
    void TearDown() override { std::filesystem::remove(path_); }

    static uint32_t kind(wire::ThreadStream& stream, std::string_view text, uint32_t domain = 0) {
        const size_t bytes = sizeof(wire::NvtxKindRecord) + ((text.size() + 7) & ~size_t{7});
        char* at = stream.reserve(bytes);
        wire::NvtxKindRecord record{};
        record.header = {static_cast<uint16_t>(RecordType::kNvtxKind), static_cast<uint16_t>(bytes)};
        record.id = stream.next_id();
        record.domain = domain;
        record.length = static_cast<uint16_t>(text.size());
        std::memcpy(at, &record, sizeof record);
        std::memcpy(at + sizeof record, text.data(), text.size());
        stream.commit(bytes);
        return record.id;
    }
    void range(wire::ThreadStream& stream, uint32_t of, uint64_t begin, uint64_t dur) {
        auto* record = stream.begin_record<wire::OpRecord>(RecordType::kNvtxRange);
        record->kind = of;
        record->begin = start_ + begin;
        record->dur = dur;
        stream.commit(sizeof *record);
    }
    void start(wire::ThreadStream& stream, uint32_t of, uint64_t begin, uint64_t dur, uint64_t id) {
        auto* record = stream.begin_record<wire::NvtxStartRecord>(RecordType::kNvtxStart);
        record->range.kind = of;
        record->range.begin = start_ + begin;
        record->range.dur = dur;
        record->id = id;
        stream.commit(sizeof *record);
    }
    void end(wire::ThreadStream& stream, uint64_t time, uint64_t id) {
        auto* record = stream.begin_record<wire::NvtxEndRecord>(RecordType::kNvtxEnd);
        record->time = start_ + time;
        record->id = id;
        stream.commit(sizeof *record);
    }
    Profile imported() {
        writer_.finish();
        ProfileBuilder builder;
        EXPECT_TRUE(import_captures({path_.string()}, false, builder));
        return std::move(builder).finish();
    }

    std::filesystem::path path_;
    wire::CaptureWriter writer_;
    uint64_t start_ = 0;
};

TEST_F(NvtxCapture, TextsOfFrameworksBecomeOpsAndModulesAsInReportsOfNsightSystems) {
    wire::ThreadStream stream(writer_);
    range(stream, kind(stream, "layer:block/conv"), 1000, 9000);
    range(stream, kind(stream, "aten::conv2d, seq = 5, op_id = 7, sizes = [[1, 3], []]"), 2000, 3000);
    range(stream, kind(stream, "my own range"), 6000, 100);
    const Profile profile = imported();
    ASSERT_EQ(profile.op_details.size(), 1u);
    EXPECT_EQ(profile.op_details.sequence[0], 5);
    EXPECT_EQ(profile.strings.view(profile.signatures[profile.op_details.signature[0].index()].shapes),
              "[[1, 3], []]");
    ASSERT_EQ(profile.host.size(), 3u);
    EXPECT_THAT(profile.host.kind,
                ::testing::ElementsAre(HostKind::kModule, HostKind::kOp, HostKind::kAnnotation));
    EXPECT_EQ(profile.strings.view(profile.host.name[0]), "block/conv");
    EXPECT_EQ(profile.nvtx.size(), 3u);
}

TEST_F(NvtxCapture, RangesThatEndOnAnotherThreadKnowBoth) {
    wire::ThreadStream stream(writer_);
    start(stream, kind(stream, "crossing"), 1000, 0, 1);
    start(stream, kind(stream, "open"), 1500, 0, 2);
    start(stream, kind(stream, "at home"), 1700, 300, 3);
    std::thread([this] {
        wire::ThreadStream other(writer_);
        end(other, 5000, 1);
        end(other, 6000, 99);
    }).join();
    const Profile profile = imported();
    ASSERT_EQ(profile.nvtx.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
        const std::string_view text = profile.strings.view(profile.nvtx.text[i]);
        EXPECT_EQ(profile.nvtx.end_track[i].valid(), text == "crossing");
        EXPECT_NE(profile.nvtx.end_track[i], profile.nvtx.track[i]);
        const uint32_t flags = profile.host.flags[static_cast<size_t>(profile.nvtx.row[i])];
        EXPECT_EQ((flags & kUnfinished) != 0, text == "open") << text;
    }
    EXPECT_EQ(profile.diagnostics.count(Diag::kUnfinishedSpan), 1);
    EXPECT_EQ(profile.diagnostics.count(Diag::kEndWithoutBegin), 1);
}

TEST_F(NvtxCapture, OddRecordsAreCountedAndTheRestIsThere) {
    wire::ThreadStream stream(writer_);
    range(stream, 12345, 1000, 10);  // a kind that was never defined
    auto* sample = stream.begin_record<wire::NvtxCounterRecord>(RecordType::kNvtxCounter);
    sample->counter = 77;
    sample->time = start_;
    stream.commit(sizeof *sample);
    range(stream, kind(stream, "bad \xff text"), 2000, 10);
    const Profile profile = imported();
    EXPECT_EQ(profile.nvtx.size(), 2u);
    EXPECT_EQ(profile.diagnostics.count(Diag::kBadEvent), 1);
    EXPECT_EQ(profile.diagnostics.count(Diag::kDanglingId), 1);
    EXPECT_EQ(profile.diagnostics.count(Diag::kUncleanText), 1);
}

TEST_F(NvtxCapture, NumbersOfAllSixtyFourBitsAreShownAsTheyAre) {
    wire::ThreadStream stream(writer_);
    const uint32_t id = kind(stream, "range");
    for (const uint64_t bits : {uint64_t{7}, uint64_t{1} << 63, UINT64_MAX}) {
        range(stream, id, 1000, 10);
        auto* number = stream.begin_record<wire::NvtxNumberRecord>(RecordType::kNvtxNumber);
        number->type = wire::NvtxNumber::kUint64;
        number->bits = bits;
        stream.commit(sizeof *number);
    }
    const Profile profile = imported();
    ASSERT_EQ(profile.nvtx_payloads.size(), 3u);
    EXPECT_EQ(profile.nvtx_payloads[0].integer, 7);
    EXPECT_EQ(profile.strings.view(profile.nvtx_payloads[1].text), "9223372036854775808");
    EXPECT_EQ(profile.strings.view(profile.nvtx_payloads[2].text), "18446744073709551615");
}

TEST_F(NvtxCapture, WhatIsCutOrLostSaysWhy) {
    wire::ThreadStream stream(writer_);
    range(stream, kind(stream, "range"), 1000, 10);
    stream.define(RecordType::kString, std::string(5000, 'x'));
    writer_.count_interrupted();
    writer_.count_interrupted();
    const Profile profile = imported();
    EXPECT_EQ(profile.diagnostics.count(Diag::kCutText), 1);
    EXPECT_EQ(profile.diagnostics.count(Diag::kUncleanText), 0);
    EXPECT_EQ(profile.diagnostics.count(Diag::kLostRecords), 2);
    EXPECT_THAT(profile.diagnostics.first(Diag::kLostRecords).front().text,
                ::testing::HasSubstr("signal handlers"));
}

// Only zeros where the first bytes belong tell of a process that ended before it recorded anything.
TEST_F(NvtxCapture, OneThatCannotBeReadIsNoHarmlessOne) {
    wire::ThreadStream stream(writer_);
    range(stream, kind(stream, "range"), 1000, 10);
    const std::filesystem::path folder = path_.string() + ".d";
    std::filesystem::create_directory(folder);
    const auto write = [&](const char* name, const std::string& bytes) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        return (folder / name).string();
    };
    const std::string opened = write("opened.opcap", std::string(4096, '\0')),
                      empty = write("empty.opcap", ""), other = write("other.opcap", "something else"),
                      missing = (folder / "missing.opcap").string();
    for (const std::string& path : {empty, other, missing})
        EXPECT_FALSE(was_being_opened(path)) << path;
    EXPECT_TRUE(was_being_opened(opened));
    ProfileBuilder builder;
    ASSERT_TRUE(import_captures({path_, opened, empty, other, missing}, true, builder));
    const Profile profile = std::move(builder).finish();
    std::filesystem::remove_all(folder);
    EXPECT_EQ(profile.diagnostics.count(Diag::kCaptureNotBegun), 1);
    EXPECT_EQ(profile.diagnostics.count(Diag::kUnreadCapture), 3);
    EXPECT_EQ(profile.diagnostics.count(Diag::kSkippedFile), 0);
}

// Of a capture of one megabyte, so none that the mutations of the fuzzer reach.
TEST_F(NvtxCapture, SumsOfImpossibleMemoryDoNotOverflow) {
    wire::ThreadStream stream(writer_);
    constexpr uint64_t kCount = (uint64_t{1} << 15) + 10;
    for (uint64_t i = 0; i < kCount; ++i) {
        auto* alloc = stream.begin_record<wire::AllocRecord>(RecordType::kAlloc);
        ASSERT_NE(alloc, nullptr);
        alloc->time = start_ + i;
        alloc->address = 16 * (i + 1);
        alloc->bytes = uint64_t{1} << 48;
        stream.commit(sizeof *alloc);
    }
    const Profile profile = imported();
    EXPECT_EQ(profile.diagnostics.count(Diag::kBadEvent), 11) << "the sum stops below 2^63";
    EXPECT_EQ(profile.memory.size(), kCount - 11);
}

}  // namespace
}  // namespace opsight::importer::capture

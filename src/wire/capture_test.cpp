// Round trips, death of the writer, full captures, and damaged files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "wire/cuda.h"
#include "wire/reader.h"
#include "wire/writer.h"

namespace opsight::wire {
namespace {

namespace fs = std::filesystem;

class CaptureTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "opsight_wire_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        dir_ = name;
        path_ = (dir_ / "a.opcap").string();
    }
    void TearDown() override { fs::remove_all(dir_); }

    std::string bytes() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    fs::path dir_;
    std::string path_;
};

void append_op(ThreadStream& stream, uint32_t name, int64_t sequence) {
    auto* op = stream.begin_record<LinkedOpRecord>(RecordType::kLinkedOp);
    if (!op) return;
    op->op.kind = name;
    op->op.begin = static_cast<uint64_t>(sequence) * 10;
    op->op.dur = 5;
    op->link = static_cast<uint64_t>(sequence) << 16;
    stream.commit(sizeof *op);
}

std::vector<int64_t> sequences(CaptureReader& reader, const CaptureStream& stream) {
    std::vector<int64_t> found;
    reader.read(stream, [&](const RecordView& record) {
        if (record.type == RecordType::kLinkedOp)
            found.push_back(static_cast<int64_t>(record.as<LinkedOpRecord>().link >> 16));
    });
    return found;
}

std::vector<int64_t> counted_to(int64_t end) {
    std::vector<int64_t> numbers(static_cast<size_t>(end));
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<int64_t>(i);
    return numbers;
}

CaptureReader::Source memory(const std::string& bytes) {
    return [&bytes](uint64_t offset, void* to, size_t size) {
        if (offset > bytes.size() || size > bytes.size() - offset) return false;
        std::memcpy(to, bytes.data() + offset, size);
        return true;
    };
}

// Runs in a child process, which has limits and files of its own. How it ended.
int in_child(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

void set_limit(decltype(RLIMIT_FSIZE) what, rlim_t value) {
    const rlimit limit{value, value};
    setrlimit(what, &limit);
}

size_t records_in(const std::string& path, uint64_t& lost) {
    auto reader = CaptureReader::open(path);
    if (!reader) return 0;
    lost = reader->info().lost;
    size_t count = 0;
    for (const CaptureStream& stream : reader->streams())
        count += sequences(*reader, stream).size();
    return count;
}

TEST_F(CaptureTest, KeepsWithinTheProgramsOwnLimits) {
    std::vector<std::pair<decltype(RLIMIT_FSIZE), rlim_t>> limits = {{RLIMIT_FSIZE, 1 << 20}};
#ifndef OPSIGHT_SANITIZE  // whose own memory is beyond any limit of addresses
    limits.emplace_back(RLIMIT_AS, rlim_t{1} << 30);
#endif
    for (const auto& [what, value] : limits) {
        const int status = in_child([&, what = what, value = value] {
            set_limit(what, value);
            CaptureWriter writer;
            if (writer.open(path_.c_str(), uint64_t{1} << 30) != 0) _exit(1);
            ThreadStream stream(writer);
            for (int64_t i = 0; i < 3'000'000 && writer.lost() == 0; ++i)
                append_op(stream, 1, i);
        });
        EXPECT_EQ(status, 0) << "limit " << static_cast<int>(what);
        uint64_t lost = 0;
        EXPECT_GT(records_in(path_, lost), 20'000u);
        EXPECT_EQ(lost, 1u);
        fs::remove(path_);
    }
    EXPECT_EQ(in_child([&] {
                  set_limit(RLIMIT_FSIZE, 100'000);
                  CaptureWriter writer;
                  _exit(writer.open(path_.c_str(), uint64_t{1} << 30) == EFBIG ? 0 : 1);
              }),
              0)
        << "too little for any chunk";
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(CaptureTest, LeavesFilesAloneThatTookItsNumber) {
    constexpr int64_t kOps = 400'000;  // 13 MB: blocks are reserved several times
    const std::string own = (dir_ / "own").string();
    EXPECT_EQ(in_child([&] {
                  CaptureWriter writer;
                  if (writer.open(path_.c_str(), 64 << 20) != 0) _exit(1);
                  ThreadStream stream(writer);
                  append_op(stream, 1, 0);
                  for (int file = 3; file < 64; ++file)  // as daemons do
                      close(file);
                  while (const int file = open(own.c_str(), O_RDWR | O_CREAT, 0600))
                      if (file < 0 || file > 20) break;
                  for (int64_t i = 1; i < kOps; ++i)
                      append_op(stream, 1, i);
                  writer.finish();
                  writer.abandon();
                  if (fcntl(4, F_GETFD) < 0) _exit(2);
              }),
              0);
    EXPECT_EQ(fs::file_size(own), 0u);
    uint64_t lost = 0;
    EXPECT_EQ(records_in(path_, lost) + lost, static_cast<size_t>(kOps)) << "or lost where the kernel is old";
}

TEST_F(CaptureTest, ReturnsWhatTwoThreadsWroteAcrossChunks) {
    constexpr int64_t kOps = 5000;  // 160 KB: several chunks
    CaptureWriter writer;
    ASSERT_EQ(writer.open(path_.c_str(), 8 << 20), 0);
    auto work = [&writer] {
        ThreadStream stream(writer);
        const uint32_t name = stream.define(RecordType::kString, "aten::mm");
        for (int64_t i = 0; i < kOps; ++i)
            append_op(stream, name, i);
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    writer.finish();

    auto reader = CaptureReader::open(path_);
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_TRUE(reader->info().finished);
    EXPECT_EQ(reader->info().pid, static_cast<uint32_t>(getpid()));
    EXPECT_EQ(reader->info().lost, 0u);
    ASSERT_EQ(reader->streams().size(), 2u);
    for (const CaptureStream& stream : reader->streams()) {
        EXPECT_GT(stream.chunks.size(), 2u);
        EXPECT_EQ(sequences(*reader, stream), counted_to(kOps));
    }
    EXPECT_EQ(reader->damage().bad_records + reader->damage().missing_chunks, 0u);
}

TEST_F(CaptureTest, KeepsTextsAndClockReadings) {
    CaptureWriter writer;
    ASSERT_EQ(writer.open(path_.c_str(), 1 << 20), 0);
    ThreadStream stream(writer);
    EXPECT_EQ(stream.define(RecordType::kString, "first"), 1u);
    EXPECT_EQ(stream.define(RecordType::kString, ""), 2u);
    EXPECT_EQ(stream.define(RecordType::kString, std::string(10000, 'x')), 3u);
    stream.property("key", "value");
    stream.snapshot();

    auto reader = CaptureReader::open(path_);
    ASSERT_TRUE(reader);
    EXPECT_FALSE(reader->info().finished);
    std::vector<std::string> texts, properties;
    std::vector<ClockSnapshot> clocks;
    reader->read(reader->streams().at(0), [&](const RecordView& record) {
        if (record.type == RecordType::kString) texts.emplace_back(record.blob());
        if (record.type == RecordType::kProperty) properties.emplace_back(record.blob());
        if (record.type == RecordType::kClock) clocks.push_back(record.as<ClockRecord>().snapshot);
    });
    EXPECT_THAT(texts, ::testing::ElementsAre("first", "", std::string(kMaxBlob, 'x')));
    EXPECT_THAT(properties, ::testing::ElementsAre(std::string("key\0value", 9)));
    ASSERT_EQ(clocks.size(), 1u);
    EXPECT_GT(clocks[0].ticks, reader->info().begin.ticks);
    EXPECT_GE(clocks[0].monotonic_ns, reader->info().begin.monotonic_ns);
    EXPECT_LT(clocks[0].error_ns, 1'000'000'000);
}

TEST_F(CaptureTest, IsWholeUpToTheLastRecordWhenTheWriterIsKilled) {
    auto* written = static_cast<std::atomic<int64_t>*>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(written, MAP_FAILED);
    const pid_t child = fork();
    if (child == 0) {
        CaptureWriter writer;
        if (writer.open(path_.c_str(), 64 << 20) != 0) _exit(9);
        ThreadStream stream(writer);
        const uint32_t name = stream.define(RecordType::kString, "op");
        for (int64_t i = 0; i < 1'000'000; ++i) {
            append_op(stream, name, i);
            written->store(i + 1, std::memory_order_release);
        }
        pause();
    }
    ASSERT_GT(child, 0);
    while (written->load(std::memory_order_acquire) < 20'000)
        usleep(100);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));

    auto reader = CaptureReader::open(path_);
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_FALSE(reader->info().finished);
    ASSERT_EQ(reader->streams().size(), 1u);
    const std::vector<int64_t> found = sequences(*reader, reader->streams()[0]);
    // One more may have been committed than was counted.
    EXPECT_GE(static_cast<int64_t>(found.size()), written->load());
    EXPECT_LE(static_cast<int64_t>(found.size()), written->load() + 1);
    EXPECT_EQ(found, counted_to(static_cast<int64_t>(found.size())));
    munmap(written, 4096);
}

TEST_F(CaptureTest, StopsAtItsLimitAndCountsWhatWasLost) {
    constexpr int64_t kOps = 10'000;
    CaptureWriter writer;
    ASSERT_EQ(writer.open(path_.c_str(), 4 * kChunkBytes), 0);
    ThreadStream stream(writer);
    const uint32_t name = stream.define(RecordType::kString, "op");
    for (int64_t i = 0; i < kOps; ++i)
        append_op(stream, name, i);
    EXPECT_EQ(stream.define(RecordType::kString, std::string(kMaxBlob, 'x')), kNoId);

    auto reader = CaptureReader::open(path_);
    ASSERT_TRUE(reader);
    const auto found = sequences(*reader, reader->streams()[0]);
    EXPECT_EQ(found, counted_to(static_cast<int64_t>(found.size())));
    EXPECT_EQ(found.size() + reader->info().lost, static_cast<size_t>(kOps)) << "a name is not an event";
    EXPECT_EQ(fs::file_size(path_), kHeaderBytes + 4 * kChunkBytes);
}

TEST_F(CaptureTest, RefusesAnExistingFileAndALeftOutFolder) {
    CaptureWriter a, b, c;
    ASSERT_EQ(a.open(path_.c_str(), 1 << 20), 0);
    EXPECT_EQ(b.open(path_.c_str(), 1 << 20), EEXIST);
    EXPECT_EQ(c.open((dir_ / "none" / "a").c_str(), 1 << 20), ENOENT);
    EXPECT_FALSE(b.is_open());
}

TEST_F(CaptureTest, SaysWhatAForeignFileIs) {
    std::ofstream(path_) << std::string(5000, 'x');
    auto reader = CaptureReader::open(path_);
    ASSERT_FALSE(reader);
    EXPECT_THAT(reader.error().message(), ::testing::HasSubstr("not an Opsight capture"));
    EXPECT_FALSE(CaptureReader::open(dir_.string()));
    EXPECT_FALSE(CaptureReader::open((dir_ / "absent").string()));
}

class DamagedCaptureTest : public CaptureTest {
  protected:
    void SetUp() override {
        CaptureTest::SetUp();
        CaptureWriter writer;
        ASSERT_EQ(writer.open(path_.c_str(), 16 * kChunkBytes), 0);
        ThreadStream stream(writer);
        const uint32_t name = stream.define(RecordType::kString, "op");
        for (int64_t i = 0; i < kOps; ++i)
            append_op(stream, name, i);
        writer.finish();
        good_ = bytes();
    }
    static constexpr int64_t kOps = 8000;
    std::string good_;
};

TEST_F(DamagedCaptureTest, ACutFileGivesWhatIsLeft) {
    const std::string cut = good_.substr(0, kHeaderBytes + kChunkBytes + 100);
    auto reader = CaptureReader::from(memory(cut), cut.size(), "cut");
    ASSERT_TRUE(reader);
    const auto found = sequences(*reader, reader->streams().at(0));
    EXPECT_GT(found.size(), 1000u);
    EXPECT_EQ(found, counted_to(static_cast<int64_t>(found.size())));
    EXPECT_GT(reader->damage().missing_chunks + reader->damage().bad_records, 0u);
}

TEST_F(DamagedCaptureTest, ABrokenRecordEndsItsChunkOnly) {
    std::string bad = good_;
    const size_t second = kHeaderBytes + kChunkBytes + sizeof(ChunkHeader) + sizeof(LinkedOpRecord) * 10;
    bad[second + 2] = 3;  // a size that is not a multiple of 8
    auto reader = CaptureReader::from(memory(bad), bad.size(), "bad");
    ASSERT_TRUE(reader);
    const auto found = sequences(*reader, reader->streams().at(0));
    EXPECT_EQ(reader->damage().bad_records, 1u);
    EXPECT_EQ(found.back(), kOps - 1);
    EXPECT_GT(found.size(), static_cast<size_t>(kOps) - 2100);
    EXPECT_LT(found.size(), static_cast<size_t>(kOps));
}

TEST_F(DamagedCaptureTest, ARecordOfALaterVersionIsPassedOver) {
    std::string odd = good_;
    odd[kHeaderBytes + kChunkBytes + sizeof(ChunkHeader)] = 77;
    auto reader = CaptureReader::from(memory(odd), odd.size(), "odd");
    ASSERT_TRUE(reader);
    EXPECT_EQ(sequences(*reader, reader->streams().at(0)).size(), static_cast<size_t>(kOps) - 1);
    EXPECT_EQ(reader->damage().unknown_records, 1u);
}

TEST_F(DamagedCaptureTest, ALengthBeyondItsRecordIsRefused) {
    // A record of the size of an op, seen as one that has text behind its struct.
    std::string odd = good_;
    char* const at = odd.data() + kHeaderBytes + kChunkBytes + sizeof(ChunkHeader);
    CudaStateRecord state{};
    state.header = {static_cast<uint16_t>(RecordType::kCudaState), sizeof(LinkedOpRecord)};
    state.length = sizeof(LinkedOpRecord) - sizeof state;
    std::memcpy(at, &state, sizeof state);
    std::string text;
    const auto read = [&] {
        auto reader = CaptureReader::from(memory(odd), odd.size(), "odd");
        reader->read(reader->streams().at(0), [&](const RecordView& record) {
            if (record.type == RecordType::kCudaState) text = record.blob_of<CudaStateRecord>();
        });
        return reader->damage().bad_records;
    };
    EXPECT_EQ(read(), 0u);
    EXPECT_EQ(text.size(), state.length);
    ++state.length;
    std::memcpy(at, &state, sizeof state);
    EXPECT_EQ(read(), 1u);
}

TEST_F(DamagedCaptureTest, RandomDamageNeverReadsOutsideTheBuffer) {
    std::mt19937 random(1);
    size_t readable = 0;
    for (int round = 0; round < 300; ++round) {
        std::string bad = good_.substr(0, kHeaderBytes + 4 * kChunkBytes);
        for (int i = 0; i < 40; ++i) {
            // Half of the damage hits headers, where it matters most.
            const size_t base = kHeaderBytes + (random() % 4) * size_t{kChunkBytes};
            const size_t at = random() % 2 ? base + random() % 120 : random() % bad.size();
            bad[at] = static_cast<char>(random());
        }
        if (round % 3 == 0) bad.resize(random() % bad.size());
        auto reader = CaptureReader::from(memory(bad), bad.size(), "fuzz");
        if (!reader) continue;
        ++readable;
        for (const CaptureStream& stream : reader->streams())
            EXPECT_LE(sequences(*reader, stream).size(), 4 * kChunkBytes / sizeof(OpRecord));
    }
    EXPECT_GT(readable, 50u);
}

}  // namespace
}  // namespace opsight::wire

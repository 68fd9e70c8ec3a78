// Captures that keep the newest records.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "wire/nvtx.h"
#include "wire/reader.h"
#include "wire/writer.h"

namespace opsight::wire {
namespace {

namespace fs = std::filesystem;

// A thread that records ops, each of which names its own number, within others that may stay open.
class Thread {
  public:
    explicit Thread(CaptureWriter& writer) : stream(writer) {
        stream.set_open_spans(&Thread::open_spans, this);
    }

    void op(int64_t number) {
        if (auto* op = append(number)) op->dur = 5;
    }
    void begin(int64_t number) { open_.push_back(&append(number)->dur); }
    void end() {
        *open_.back() = 7;
        open_.pop_back();
    }
    void number(uint64_t bits) {
        auto* record = stream.begin_record<NvtxNumberRecord>(RecordType::kNvtxNumber);
        record->bits = bits;
        stream.commit(sizeof *record);
    }

    ThreadStream stream;

  private:
    OpRecord* append(int64_t number) {
        stream.make_room();
        const uint32_t kind = stream.define(RecordType::kString, std::to_string(number));
        auto* op = stream.begin_record<OpRecord>(RecordType::kOp);
        if (!op) return nullptr;
        op->kind = kind;
        op->begin = static_cast<uint64_t>(number);
        stream.commit(sizeof *op);
        return op;
    }
    static OpenSpans open_spans(void* owner) {
        auto& own = *static_cast<Thread*>(owner);
        own.places_.clear();
        for (uint64_t*& dur : own.open_)
            if (dur) own.places_.push_back(&dur);
        return {own.places_.data(), own.places_.size()};
    }

    std::vector<uint64_t*> open_;
    std::vector<uint64_t**> places_;
};

struct Op {
    int64_t number;
    std::string name;
    uint64_t dur;
    std::vector<uint64_t> payload;
};

std::vector<Op> ops_of(CaptureReader& reader, const CaptureStream& stream) {
    std::vector<Op> ops;
    std::map<uint32_t, std::string> names;
    reader.read(stream, [&](const RecordView& record) {
        if (record.moved) return;
        if (record.type == RecordType::kString) names[record.blob_id()] = record.blob();
        if (record.type == RecordType::kNvtxNumber && !ops.empty())
            ops.back().payload.push_back(record.as<NvtxNumberRecord>().bits);
        if (record.type != RecordType::kOp) return;
        const auto op = record.as<OpRecord>();
        ops.push_back({static_cast<int64_t>(op.begin), names[op.kind], op.dur, {}});
    });
    return ops;
}

std::vector<Op> all_ops(CaptureReader& reader) {
    std::vector<Op> all;
    for (const CaptureStream& stream : reader.streams())
        for (Op& op : ops_of(reader, stream))
            all.push_back(std::move(op));
    return all;
}

class RingTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "opsight_ring_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        dir_ = name;
        path_ = (dir_ / "a.opcap").string();
        ASSERT_EQ(writer_.open(path_.c_str(), 8 * kChunkBytes, true), 0);
    }
    void TearDown() override { fs::remove_all(dir_); }

    CaptureReader reader() const {
        auto reader = CaptureReader::open(path_);
        EXPECT_TRUE(reader);
        return std::move(*reader);
    }

    fs::path dir_;
    std::string path_;
    CaptureWriter writer_;
};

TEST_F(RingTest, KeepsTheNewestAndCountsTheRest) {
    constexpr int64_t kOps = 100'000;
    Thread thread(writer_);
    for (int64_t i = 0; i < kOps; ++i)
        thread.op(i);
    writer_.finish();
    CaptureReader reader = this->reader();
    const std::vector<Op> ops = ops_of(reader, reader.streams()[0]);
    ASSERT_GT(ops.size(), 7 * 1000u);
    for (size_t i = 0; i < ops.size(); ++i) {
        EXPECT_EQ(ops[i].number, kOps - static_cast<int64_t>(ops.size() - i));
        EXPECT_EQ(ops[i].name, std::to_string(ops[i].number));
    }
    EXPECT_EQ(ops.size() + reader.info().overwritten, static_cast<size_t>(kOps));
    EXPECT_EQ(reader.info().lost, 0u);
    EXPECT_EQ(reader.damage().missing_chunks + reader.damage().bad_chunks + reader.damage().bad_records, 0u);
    EXPECT_EQ(fs::file_size(path_), kHeaderBytes + 8 * kChunkBytes);
}

TEST_F(RingTest, KeepsWhatFitsAsAnyCapture) {
    Thread thread(writer_);
    for (int64_t i = 0; i < 5000; ++i)
        thread.op(i);
    CaptureReader reader = this->reader();
    EXPECT_EQ(all_ops(reader).size(), 5000u);
    EXPECT_EQ(reader.info().overwritten, 0u);
}

TEST_F(RingTest, WhatIsOpenGoesOnWithItsNameAndPayload) {
    Thread thread(writer_);
    thread.begin(1);
    thread.number(41);
    thread.begin(2);
    thread.end();
    thread.begin(3);
    thread.number(43);
    for (int64_t i = 10; i < 50'000; ++i)
        thread.op(i);
    thread.end();
    CaptureReader reader = this->reader();
    const std::vector<Op> ops = all_ops(reader);
    EXPECT_EQ(ops.size() + reader.info().overwritten, 3u + 50'000 - 10);
    size_t seen = 0;
    for (const Op& op : ops) {
        EXPECT_EQ(op.name, std::to_string(op.number));
        if (op.number >= 10) continue;
        ++seen;
        EXPECT_EQ(op.dur, op.number == 1 ? 0u : 7u);
        EXPECT_THAT(op.payload, ::testing::ElementsAre(40u + static_cast<uint64_t>(op.number)));
    }
    EXPECT_EQ(seen, 2u) << "the second ended long ago";
}

TEST_F(RingTest, ThousandsThatAreOpenDoNotFillIt) {
    Thread thread(writer_);
    for (int64_t i = 0; i < 5000; ++i)
        thread.begin(i);
    CaptureReader reader = this->reader();
    EXPECT_EQ(all_ops(reader).size() + reader.info().overwritten, 5000u);
}

TEST_F(RingTest, FactsAreKeptAndLeaveRoomForRecords) {
    ThreadStream kept(writer_, true);
    kept.property("first", "fact");
    Thread thread(writer_);
    for (int64_t i = 0; i < 50'000; ++i)
        thread.op(i);
    for (int i = 0; i < 1000; ++i)
        kept.property("key", std::string(2000, 'x'));
    for (int64_t i = 50'000; i < 100'000; ++i)
        thread.op(i);
    CaptureReader reader = this->reader();
    std::string first;
    size_t properties = 0;
    reader.read(reader.streams()[0], [&](const RecordView& record) {
        if (record.type == RecordType::kProperty && properties++ == 0) first = record.blob();
    });
    EXPECT_EQ(first, std::string("first\0fact", 10));
    EXPECT_EQ(properties + reader.info().lost, 1001u);
    const std::vector<Op> ops = ops_of(reader, reader.streams()[1]);
    EXPECT_GT(ops.size(), 3 * 1000u);
    EXPECT_EQ(ops.back().number, 99'999);
}

TEST_F(RingTest, MoreThreadsThanBlocksLoseWhatTheyCount) {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 12; ++i)
        threads.push_back(std::make_unique<Thread>(writer_));
    for (int64_t i = 0; i < 10'000; ++i)
        for (auto& thread : threads)
            thread->op(i);
    CaptureReader reader = this->reader();
    EXPECT_EQ(all_ops(reader).size() + reader.info().overwritten + reader.info().lost, 120'000u);
}

// Two threads record for as long as they live. Each tells in shared memory what it has recorded.
struct Told {
    std::atomic<int64_t> ops[2];
    std::atomic<int> ready;
};

[[noreturn]] void record_until_killed(const std::string& path, Told& told) {
    CaptureWriter writer;
    if (writer.open(path.c_str(), 6 * kChunkBytes, true) != 0) _exit(1);
    const auto run = [&](int which) {
        Thread thread(writer);
        ++told.ready;
        thread.begin(-1);
        for (int64_t i = 0;; ++i) {
            if (i % 1000 == 0) thread.begin(-2);
            thread.op(i);
            told.ops[which].store(i + 1);
            if (i % 1000 == 999) thread.end();
        }
    };
    std::thread other(run, 0);
    run(1);
    _exit(0);
}

TEST_F(RingTest, ADeathAtAnyMomentLosesNothingElse) {
    std::mt19937 random(7);
    const char* many = std::getenv("OPSIGHT_KILLS");
    const int rounds = many ? std::atoi(many) : 40;
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    for (int round = 0; round < rounds; ++round) {
        auto* told = new (page) Told{};
        const std::string path = (dir_ / std::to_string(round)).string();
        const pid_t child = fork();
        if (child == 0) record_until_killed(path, *told);
        while (told->ready.load() < 2)
            std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);

        auto reader = CaptureReader::open(path);
        ASSERT_TRUE(reader);
        int64_t found = 0, ends = 0, inner = 0;
        for (const CaptureStream& stream : reader->streams()) {
            int64_t outer = 0, last = -1;
            for (const Op& op : ops_of(*reader, stream)) {
                EXPECT_EQ(op.name, std::to_string(op.number));
                outer += op.number == -1;
                inner += op.number == -2;
                if (op.number < 0) continue;
                if (last >= 0 && op.number != last + 1) ends += op.number - last - 1;
                last = op.number;
                ++found;
            }
            EXPECT_LE(outer, 1);
            EXPECT_TRUE(last < 0 || outer == 1) << "what is open is kept, and once";
        }
        EXPECT_EQ(ends, 0) << "a gap within what is kept";
        // The last op of each thread may be recorded and not told yet; with it each thread's open ranges.
        const int64_t ops = told->ops[0] + told->ops[1];
        const int64_t ranges = 2 + (told->ops[0] + 999) / 1000 + (told->ops[1] + 999) / 1000;
        const int64_t counted = found + inner + 2 + static_cast<int64_t>(reader->info().overwritten);
        EXPECT_GE(counted, ops + ranges - 2);
        EXPECT_LE(counted, ops + ranges + 4);
        EXPECT_EQ(reader->damage().bad_chunks + reader->damage().bad_records, 0u);
        fs::remove(path);
    }
    munmap(page, 4096);
}

}  // namespace
}  // namespace opsight::wire

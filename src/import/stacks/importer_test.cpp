#include <gtest/gtest.h>

#include "base/test_files.h"
#include "import/import.h"
#include "import/protobuf/test_bytes.h"
#include "import/stacks/folded.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

using protobuf::Bytes;

using Types = std::vector<std::pair<std::string, std::string>>;

// A profile of pprof: a sample for each list of functions, the innermost first.
class PprofBytes {
  public:
    explicit PprofBytes(const Types& types) {
        for (const auto& [type, unit] : types)
            all_.text(1, Bytes().number(1, text(type)).number(2, text(unit)).all);
    }
    PprofBytes& sample(const std::vector<std::string>& functions, const std::vector<int64_t>& values,
                       std::string_view more = {}) {
        Bytes locations, packed;
        std::string ids, numbers;
        for (const std::string& name : functions)
            ids += static_cast<char>(location(name));
        Bytes sample;
        sample.text(1, ids);
        for (const int64_t value : values)
            sample.number(2, value);
        sample.all += more;
        all_.text(2, sample.all);
        return *this;
    }
    PprofBytes& period(const std::string& type, const std::string& unit, int64_t period) {
        all_.text(11, Bytes().number(1, text(type)).number(2, text(unit)).all).number(12, period);
        return *this;
    }
    int64_t text(const std::string& wanted) {
        for (size_t i = 0; i < texts_.size(); ++i)
            if (texts_[i] == wanted) return static_cast<int64_t>(i);
        texts_.push_back(wanted);
        return static_cast<int64_t>(texts_.size()) - 1;
    }
    std::string bytes() const {
        Bytes all = all_;
        all.all += places_.all;
        for (const std::string& text : texts_)
            all.text(6, text);
        return all.all;
    }

  private:
    int64_t location(const std::string& name) {
        const int64_t id = ++locations_;
        places_.text(5, Bytes().number(1, id).number(2, text(name)).all);
        places_.text(4, Bytes().number(1, id).text(4, Bytes().number(1, id).number(2, 7).all).all);
        return id;
    }

    Bytes all_, places_;
    std::vector<std::string> texts_ = {""};
    int64_t locations_ = 0;
};

class StacksTest : public ::testing::Test {
  protected:
    Profile imported(const std::string& bytes, const std::string& name = "a.pb.gz") {
        Result<Profile> profile = import_files({folder_.write(name, bytes)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string refused(const std::string& bytes) {
        const Result<Profile> profile = import_files({folder_.write("b.txt", bytes)});
        EXPECT_FALSE(profile);
        return profile ? "" : profile.error().message();
    }
    static std::string stack(const Profile& p, size_t row) {
        return std::string(p.strings.view(p.samples.stack[row]));
    }

    testing::TempFolder folder_;
};

TEST_F(StacksTest, FoldedLines) {
    const Profile p =
        imported("main;train (a b.py:3);forward 2\r\nmain;load 1\n\nmain;nothing 0\nlast;line 1", "a.txt");
    ASSERT_EQ(p.samples.size(), 4u);
    EXPECT_EQ(stack(p, 0), "forward\ntrain (a b.py:3)\nmain");
    EXPECT_EQ(stack(p, 1), stack(p, 0));
    EXPECT_EQ(stack(p, 2), "load\nmain");
    EXPECT_EQ(stack(p, 3), "line\nlast");
    EXPECT_TRUE(has_durations_only(p.info)) << "when they were taken is not known";
}

TEST_F(StacksTest, OddLines) {
    const auto reads = [](std::string_view line) {
        std::vector<std::string_view> frames;
        int64_t count = 0;
        return stacks::read_folded(line, frames, count);
    };
    for (const char* odd :
         {"", "main", "main;f", "main;f x", "main;f -1", "main;f 1.5", " 5", "main;f 99999999999999999999"})
        EXPECT_FALSE(reads(odd)) << odd;
    EXPECT_TRUE(reads("main 5"));
    std::string text;
    for (int i = 0; i < 1000; ++i)
        text += "main;f 1\n";
    const Profile p = imported(text + "junk\nmain;g\xff 2\n", "a.txt");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kUncleanText), 1);
    EXPECT_EQ(p.samples.size(), 1002u);
}

TEST_F(StacksTest, AWarningAmongTheFirstLines) {
    const std::string stacks = "main;f 1\nmain;g 2\nmain;h 3\nmain;i 4\n";
    const Profile p = imported("WARNING: lost some events\n" + stacks, "a.txt");
    EXPECT_EQ(p.samples.size(), 10u);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1);
    EXPECT_NE(refused("loss 0.3\nloss 0.2\nmain;f 1\n"), "") << "a log";
}

TEST_F(StacksTest, NumbersThatAreNoCountsAreRefused) {
    EXPECT_NE(refused("main;f 463000000\nmain;g 5\n").find("line 1"), std::string::npos);
    EXPECT_NE(refused("# austin: 3.6.0\nP1;T1;main;f 100\n").find("austin2pprof"), std::string::npos);
    EXPECT_NE(refused("main;f 0\n").find("without a sample"), std::string::npos);
    EXPECT_NE(refused("main;f 4 2\nmain;g 0 7\n").find("before and after"), std::string::npos);
    EXPECT_EQ(imported("main;operator 2 5\nmain;g 7\n", "a.txt").samples.size(), 12u)
        << "the name of one function";
}

// A location of many functions, which many samples name, and a long name.
TEST_F(StacksTest, StacksOfPprofAreOfBoundedLength) {
    Bytes location, all;
    location.number(1, 1);
    for (int i = 0; i < 100'000; ++i)
        location.text(4, Bytes().number(1, 1).all);
    all.text(1, Bytes().number(1, 1).number(2, 2).all).text(5, Bytes().number(1, 1).number(2, 3).all);
    all.text(4, location.all);
    for (int i = 0; i < 20; ++i)
        all.text(2, Bytes().text(1, "\x01\x01\x01").number(2, 1).all);
    for (const std::string& text :
         {std::string(), std::string("samples"), std::string("count"), "f" + std::string(100'000, 'x')})
        all.text(6, text);
    const Profile p = imported(all.all, "a.pprof");
    ASSERT_EQ(p.samples.size(), 20u);
    EXPECT_EQ(stack(p, 0).size(), 1024u * 4097 - 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kCutText), 20);
}

TEST_F(StacksTest, ProfilesOfPprof) {
    PprofBytes profile(Types{{"samples", "count"}, {"cpu", "nanoseconds"}});
    const Bytes label =
        Bytes().text(3, Bytes().number(1, profile.text("thread")).number(2, profile.text("worker")).all);
    const Bytes number = Bytes().text(3, Bytes().number(1, profile.text("tid")).number(3, 12).all);
    profile.period("cpu", "nanoseconds", 10000000);
    profile.sample({"forward", "main"}, {3, 30000000})
        .sample({"load", "main"}, {1, 10000000}, label.all + number.all);
    for (const std::string& bytes : {profile.bytes(), testing::gzip(profile.bytes())}) {
        const Profile p = imported(bytes);
        EXPECT_EQ(p.info.producer, "pprof");
        ASSERT_EQ(p.samples.size(), 4u);
        std::vector<std::string> stacks;
        for (size_t row = 0; row < 4; ++row)
            stacks.push_back(stack(p, row));
        std::sort(stacks.begin(), stacks.end());
        EXPECT_EQ(stacks, (std::vector<std::string>{"forward\nmain", "forward\nmain", "forward\nmain",
                                                    "load\nmain"}));
        bool named = false;
        for (const Track& track : p.tracks)
            named |= track.tid == 12 && p.strings.view(track.name) == "worker";
        EXPECT_TRUE(named);
    }
}

TEST_F(StacksTest, TimeByItsPeriodIsSamples) {
    PprofBytes profile(Types{{"cpu", "nanoseconds"}});
    profile.period("cpu", "nanoseconds", 10000000).sample({"f"}, {29999999}).sample({"g"}, {4000000});
    EXPECT_EQ(imported(profile.bytes()).samples.size(), 3u) << "3 of f, and of g less than half a one";
}

TEST_F(StacksTest, OtherProfilesOfPprofAreRefused) {
    PprofBytes heap(Types{{"inuse_objects", "count"}, {"inuse_space", "bytes"}});
    heap.sample({"f"}, {1, 64});
    EXPECT_NE(refused(heap.bytes()).find("inuse_space (bytes)"), std::string::npos);
    PprofBytes waits(Types{{"contentions", "count"}, {"delay", "nanoseconds"}});
    waits.period("contentions", "count", 1).sample({"f"}, {1, 64});
    EXPECT_NE(refused(waits.bytes()).find("not with samples of CPUs"), std::string::npos);
}

TEST_F(StacksTest, DamagedProfiles) {
    PprofBytes profile(Types{{"samples", "count"}});
    profile.sample({"f"}, {1}).sample({"g"}, {}).sample({"h"}, {-5});
    const Bytes lost = Bytes().text(2, Bytes().number(1, 99).number(2, 2).all);
    const Profile p = imported(profile.bytes() + lost.all);
    EXPECT_EQ(p.samples.size(), 3u);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 2) << "no value, and one below 0";
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 1);
    const Profile cut = imported(profile.bytes() +
                                 "\x32\x50"
                                 "text");
    EXPECT_EQ(cut.diagnostics.count(Diag::kTruncatedInput), 1);
}

}  // namespace
}  // namespace opsight::importer

// The registry, and what it takes to add a format to it.
#include "import/all_readers.h"

#include <gtest/gtest.h>

#include <set>

#include "base/test_files.h"
#include "import/import.h"

namespace opsight::importer {
namespace {

using testing::gzip;
using testing::tar_end;
using testing::tar_member;
using testing::TempFolder;

// A format of this test's own: "bell" and a time on each line. This is all that adding it takes.
Claim sniff_bells(const Head& head) {
    return head.first().starts_with("bell ") ? Claim::kCertain : Claim::kNone;
}

Result<ImportFacts> read_bells(PeekedSource& source, const InputFile& file, const ReadContext&,
                               ProfileBuilder& builder) {
    std::string text(size_t{1} << 16, '\0');
    OPSIGHT_ASSIGN(const size_t size, read_fully(source, text.data(), text.size()));
    text.resize(size);
    Rank rank;
    rank.source = file.path;
    builder.begin_rank(rank);
    builder.info().sources.push_back(file.path);
    return ImportFacts{1, size, static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'))};
}

Reader bell_reader() {
    return {.name = "logs of bells",
            .description = "for the test",
            .endings = {".bell"},
            .sniff = sniff_bells,
            .read = read_bells};
}

std::vector<Reader> with(const Reader& reader) {
    std::vector<Reader> readers(all_readers().begin(), all_readers().end());
    readers.push_back(reader);
    return readers;
}

Result<Profile> import_with(const std::vector<Reader>& readers, const std::string& path,
                            ImportFacts* facts = nullptr) {
    ImportOptions options;
    options.readers = readers;
    return import_files({path}, options, facts);
}

TEST(Readers, ANewFormatIsReadWhereverFilesAre) {
    const TempFolder folder;
    const std::string bells = "bell 1\nbell 2\n";
    const std::vector<Reader> readers = with(bell_reader());
    folder.write("run/a", bells);
    folder.write("run/b.gz", gzip(bells));
    folder.write("run/c.tar.gz", gzip(tar_member("d/e", bells) + tar_end()));
    folder.write("run/notes.txt", "nothing");
    ImportFacts facts;
    const Result<Profile> profile = import_with(readers, folder.path() + "/run", &facts);
    ASSERT_TRUE(profile) << profile.error().message();
    EXPECT_EQ(facts.files, 3u);
    EXPECT_EQ(facts.events, 6u);
    EXPECT_EQ(profile->diagnostics.count(Diag::kSkippedFile), 1);
    EXPECT_FALSE(import_files({folder.path() + "/run"})) << "without its line nothing reads it";

    const Result<Profile> refused = import_with(readers, folder.write("x.pdf", "%PDF-1.7"));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("logs of bells (.bell)"), std::string::npos)
        << refused.error().message();
}

TEST(Readers, TwoThatClaimAFileAreAnErrorThatNamesBoth) {
    const TempFolder folder;
    Reader other = bell_reader();
    other.name = "logs of gongs";
    std::vector<Reader> readers = with(bell_reader());
    readers.push_back(other);
    folder.write("run/a", "bell 1\n");
    for (const std::string& path : {folder.path() + "/run/a", folder.path() + "/run"}) {
        const Result<Profile> profile = import_with(readers, path);
        ASSERT_FALSE(profile) << "one that was found is not passed over either";
        const std::string message = profile.error().message();
        EXPECT_NE(message.find("logs of bells, and that of logs of gongs"), std::string::npos) << message;
    }
}

TEST(Readers, OneThatIsCertainComesBeforeOneThatMayBe) {
    const TempFolder folder;
    Reader reader = bell_reader();
    reader.sniff = [](const Head& head) {
        return head.first().find("\"bells\"") != std::string_view::npos ? Claim::kCertain : Claim::kNone;
    };
    ImportFacts facts;
    ASSERT_TRUE(
        import_with(with(reader), folder.write("a.json", "{\"bells\": 1,\n\"traceEvents\": []}\n"), &facts));
    EXPECT_EQ(facts.events, 2u) << "JSON is possible to traces of PyTorch only";
    reader.sniff = [](const Head&) { return Claim::kPossible; };
    EXPECT_FALSE(import_with(with(reader), folder.write("b.json", "{}")));
    EXPECT_FALSE(import_with(with(reader), folder.write("c.zip", "PK\x03\x04")))
        << "what a file certainly is comes before what it may be";
}

TEST(Readers, EachSaysWhatPeopleNeed) {
    std::set<std::string_view> names;
    for (const Reader& reader : all_readers()) {
        EXPECT_TRUE(names.insert(reader.name).second) << reader.name;
        EXPECT_FALSE(reader.description.empty()) << reader.name;
        EXPECT_FALSE(reader.endings.empty()) << reader.name;
        EXPECT_TRUE(reader.sniff) << reader.name;
        EXPECT_FALSE(reader.claims_name && std::holds_alternative<ReadStream>(reader.read))
            << reader.name << ": no bytes are shown of what is taken by its name";
        for (const std::string_view ending : reader.endings) {
            EXPECT_TRUE(ending.starts_with(".")) << ending;
            EXPECT_EQ(name_without_endings("run/a" + std::string(ending) + ".gz"), "a");
            EXPECT_TRUE(has_known_ending("a" + std::string(ending)));
        }
    }
}

TEST(Readers, NamesOfOutputsAreWithoutDirectoriesAndEndings) {
    EXPECT_EQ(name_without_endings("run/trace_0.pt.trace.json.gz"), "trace_0");
    EXPECT_EQ(name_without_endings("run/"), "run");
    for (const char* name : {"a.nsys-rep", "a.sqlite", "a.tgz", "a.tar.gz", "a.json", "a.opsight", "a.opcap"})
        EXPECT_EQ(name_without_endings(name), "a") << name;
    EXPECT_EQ(name_without_endings("a.txt"), "a.txt");
    EXPECT_EQ(name_without_endings(".sqlite"), ".sqlite");
    EXPECT_EQ(name_without_endings("."), ".");
    EXPECT_FALSE(has_known_ending("nsys.log"));
}

}  // namespace
}  // namespace opsight::importer

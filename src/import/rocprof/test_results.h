// What tests of files of rocprof share: a seed of the fuzzers, as it is or changed.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "base/test_files.h"
#include "import/import.h"

namespace opsight::importer::rocprof {

class ResultsTest : public ::testing::Test {
  protected:
    // `seed`: in tests/fuzz/seeds; `name`: what the file is called when it is imported.
    ResultsTest(std::string seed, std::string name) : seed_(std::move(seed)), name_(std::move(name)) {}
    std::string seed() const {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/" + seed_);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string replaced(const std::string& from, const std::string& to) const {
        std::string text = seed();
        text.replace(text.find(from), from.size(), to);
        return text;
    }
    Profile imported(const std::string& text) {
        Result<Profile> profile = import_files({folder_.write(name_, text)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string refused(const std::string& text) {
        const Result<Profile> profile = import_files({folder_.write(name_, text)});
        EXPECT_FALSE(profile);
        return profile ? "" : profile.error().message();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }

    testing::TempFolder folder_;

  private:
    const std::string seed_, name_;
};

}  // namespace opsight::importer::rocprof

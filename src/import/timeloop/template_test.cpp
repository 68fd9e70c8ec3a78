#include "import/timeloop/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_files.h"

namespace opsight::importer::timeloop {
namespace {

using ::testing::HasSubstr;

class Template : public ::testing::Test {
  protected:
    Result<Tree> read(const std::string& text, const TemplateValues& values = {}) {
        return read_yaml_file(files_.write("top.yaml", text), values);
    }
    std::string refusal(const std::string& text) {
        const Result<Tree> tree = read(text);
        return tree ? "read" : tree.error().what + " | " + tree.error().remedy;
    }

    opsight::testing::TempFolder files_;
};

TEST_F(Template, IncludesFilesAndPartsOfThem) {
    files_.write("inner/arch.yaml", "architecture:\n  nodes: [a, b]\n  version: 0.4\n");
    files_.write("inner/more.yaml", "one: 1\ntwo: {{word}}\n");
    const Result<Tree> tree = read(
        "# {{include('nothing.yaml')}} is a comment\n"
        "{{add_to_path('inner')}}\n"
        "{# two\nlines #}\n"
        "whole: {{include('arch.yaml')}}\n"
        "part: {{ include(\"inner/arch.yaml\", 'architecture.nodes') }}\n"
        "{{include_text('more.yaml')}}\n"
        "last: {{word}}\n",
        {{"word", "16"}});
    ASSERT_TRUE(tree) << tree.error().what;
    EXPECT_EQ(tree->find("whole")->find("architecture")->find("nodes")->items.size(), 2U);
    EXPECT_EQ(tree->find("part")->items[1].text, "b");
    EXPECT_EQ(tree->find("two")->text, "16");
    EXPECT_EQ(tree->find("last")->text, "16");
    EXPECT_EQ(tree->find("whole")->line, 1) << "of the file that was included";
    EXPECT_THAT(*tree->find("whole")->file, HasSubstr("arch.yaml"));
    EXPECT_EQ(tree->find("part")->find("nothing"), nullptr);
}

TEST_F(Template, MergesInclude) {
    files_.write("defaults.yaml", "{depth: 1, inner: {a: 1, b: 2}}\n");
    const Result<Tree> tree = read("<<: {{include('defaults.yaml')}}\ndepth: 2\n");
    ASSERT_TRUE(tree) << tree.error().what;
    EXPECT_EQ(tree->find("depth")->text, "2");
    EXPECT_EQ(tree->find("inner")->find("b")->text, "2");
    const Result<Tree> deep = read("<<<: {{include('defaults.yaml')}}\ninner: {a: 9}\n");
    ASSERT_TRUE(deep) << deep.error().what;
    EXPECT_EQ(deep->find("inner")->find("a")->text, "9");
    EXPECT_EQ(deep->find("inner")->find("b")->text, "2");
}

TEST_F(Template, RefusesCirclesAndWhatItDoesNotKnow) {
    files_.write("a.yaml", "x: {{include('b.yaml')}}\n");
    files_.write("b.yaml", "y: {{include('a.yaml')}}\n");
    EXPECT_THAT(refusal("{{include_text('a.yaml')}}\n"), HasSubstr("'a.yaml' includes itself"));
    EXPECT_THAT(refusal("x: {{include('top.yaml')}}\n"), HasSubstr("'top.yaml' includes itself"));
    EXPECT_THAT(refusal("x: {{include('c.yaml')}}\n"),
                HasSubstr("there is no file 'c.yaml' to include | looked for: "));
    EXPECT_THAT(refusal("x: {{include('b.yaml', 'z')}}\n"), HasSubstr("includes itself"));
    files_.write("d.yaml", "y: 1\n");
    EXPECT_THAT(refusal("x: {{include('d.yaml', 'z')}}\n"), HasSubstr("'d.yaml' has no 'z'"));
    EXPECT_THAT(refusal("x: {{width}}\n"),
                HasSubstr("'{{width}}' has no value | give one with --set width=VALUE"));
    EXPECT_THAT(refusal("x: {{include_all('*')}}\n"), HasSubstr("'include_all('*')' is not supported"));
    EXPECT_THAT(refusal("{% if a %}\n"), HasSubstr("statements of Jinja"));
    EXPECT_THAT(refusal("x: {{width\n"), HasSubstr("'{{' is not closed"));
    EXPECT_THAT(refusal("{{add_to_path('nowhere')}}\n"), HasSubstr("there is no folder"));
    EXPECT_THAT(refusal("x: !included 0\n"), HasSubstr("!included is not for files"));
}

// A file that includes twice, which includes twice, ...: the number of files has an end.
TEST_F(Template, ManyFilesAreRefused) {
    for (int i = 0; i < 12; ++i)
        files_.write("f" + std::to_string(i) + ".yaml", "a: {{include('f" + std::to_string(i + 1) +
                                                            ".yaml')}}\nb: {{include('f" +
                                                            std::to_string(i + 1) + ".yaml')}}\n");
    files_.write("f12.yaml", "x: 1\n");
    EXPECT_THAT(refusal("x: {{include('f0.yaml')}}\n"), HasSubstr("too many files are included"));
}

}  // namespace
}  // namespace opsight::importer::timeloop

#include "import/kineto/scanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace opsight::importer::kineto {
namespace {

// The plainest way: one byte after the other.
Scanner::Found plain_scan(std::string_view text) {
    Scanner::Found found;
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\') {
            i += i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            ++depth;
        } else if (!in_string && (c == '}' || c == ']')) {
            if (depth == 0) {
                found.array_end = i;
                return found;
            }
            if (--depth == 0) found.last_end = i + 1;
        }
    }
    return found;
}

// Feeds pieces of random sizes.
Scanner::Found scan_in_pieces(std::string_view text, std::mt19937& random) {
    Scanner scanner;
    Scanner::Found all;
    for (size_t at = 0; at < text.size();) {
        const size_t size = std::min<size_t>(text.size() - at, random() % 150 + 1);
        const Scanner::Found found = scanner.feed(text.data() + at, size);
        if (found.last_end != Scanner::kNone) all.last_end = at + found.last_end;
        if (found.array_end != Scanner::kNone) {
            all.array_end = at + found.array_end;
            break;
        }
        at += size;
    }
    return all;
}

TEST(Scanner, AgreesWithThePlainestWay) {
    std::mt19937 random(7);
    const std::string_view alphabet = "{}[]\"\\\\  aa,:{}\"";
    for (int round = 0; round < 20000; ++round) {
        std::string text(random() % 300, ' ');
        for (char& c : text)
            c = alphabet[random() % alphabet.size()];
        const Scanner::Found wanted = plain_scan(text), found = scan_in_pieces(text, random);
        ASSERT_EQ(found.last_end, wanted.last_end) << text;
        ASSERT_EQ(found.array_end, wanted.array_end) << text;
    }
}

TEST(Scanner, StopsAtTheFirstElementWhenAsked) {
    const std::string text = R"(, {"a": "}]"} , {"b": [1]} ] )";
    Scanner scanner;
    EXPECT_EQ(scanner.feed(text.data(), text.size(), true).last_end, text.find("\"} ") + 2);
    EXPECT_TRUE(scanner.between_elements());
    EXPECT_EQ(plain_scan(text).array_end, text.rfind(']'));
}

}  // namespace
}  // namespace opsight::importer::kineto

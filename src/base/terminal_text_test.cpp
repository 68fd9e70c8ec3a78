#include "base/terminal_text.h"

#include <gtest/gtest.h>

namespace opsight {
namespace {

TEST(TerminalText, PlainTextStaysAsItIs) {
    for (const char* text : {"", "aten::mm", "two\n\tlines",
                             "Gr\xc3\xbc\xc3\x9f"
                             "e \xe2\x82\xac \xf0\x9f\x94\xa5"})
        EXPECT_EQ(terminal_text(text), text);
}

TEST(TerminalText, WhatSteersATerminalIsWrittenOut) {
    EXPECT_EQ(terminal_text("a\x1b[2Jb"), "a\\x1b[2Jb");
    EXPECT_EQ(terminal_text(std::string("a\0b\r\x7f", 5)), "a\\x00b\\x0d\\x7f");
    EXPECT_EQ(terminal_text("\xc2\x9b"
                            "31m"),
              "\\u009b31m");  // CSI of C1
    EXPECT_EQ(terminal_text("\xe2\x80\xae"
                            "gpj"),
              "\\u202egpj");  // right to left
    EXPECT_EQ(terminal_text("\xe2\x81\xa6x\xe2\x81\xa9"), "\\u2066x\\u2069");
}

TEST(TerminalText, WhatIsNoUtf8IsWrittenOut) {
    EXPECT_EQ(terminal_text("\x9b"
                            "31m"),
              "\\x9b31m");  // a C1 byte to a terminal of one byte a character
    EXPECT_EQ(terminal_text("\xc0\x9b"), "\\xc0\\x9b");
    EXPECT_EQ(terminal_text("\xe2\x82"), "\\xe2\\x82");
    EXPECT_EQ(terminal_text("\xed\xa0\x80\xff"), "\\xed\\xa0\\x80\\xff");
}

}  // namespace
}  // namespace opsight

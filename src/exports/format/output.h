// Where an export goes: a file that has its name only when it is whole, or standard output. Small pieces are
// gathered.
#pragma once

#include <optional>
#include <string>

#include "base/output_file.h"
#include "exports/format/format.h"

namespace opsight::exports {

class Output {
  public:
    static Result<Output> create(const Job& job);

    // What is written next goes here; call flush_some() now and then.
    std::string& buffer() { return buffer_; }
    Status write(std::string_view text) {
        buffer_ += text;
        return flush_some();
    }
    Status flush_some() { return buffer_.size() < kPiece ? Status() : flush(); }
    Status finish();

  private:
    static constexpr size_t kPiece = size_t{1} << 20;
    Output(std::optional<OutputFile> file, std::function<Status(std::string_view)> print)
        : file_(std::move(file)), print_(std::move(print)) {}
    Status flush();

    std::optional<OutputFile> file_;
    std::function<Status(std::string_view)> print_;
    std::string buffer_;
};

// The folder of an export of several files, made if it is not there.
Status make_folder(const std::string& path);

}  // namespace opsight::exports

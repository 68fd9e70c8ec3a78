// Files as people write them for Timeloop's front end, which fills in Jinja's "{{ }}" before it reads the
// YAML:
//
//   {{include('arch.yaml')}}               what that file holds
//   {{include('arch.yaml', 'architecture.nodes')}}   a part of it
//   {{include_text('more.yaml')}}          its text
//   {{add_to_path('../components')}}       another folder where files are looked for
//   {{name}}                               a value that was given for that name
//
// and {# comments #}. Statements ({% if %}, {% for %}) are refused: they make a program of the file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/timeloop/tree.h"

namespace opsight::importer::timeloop {

using TemplateValues = std::map<std::string, std::string>;

// A file with all that it includes, as one tree. Refuses files that include themselves, names without a
// value, and more than 256 files.
Result<Tree> read_yaml_file(const std::string& path, const TemplateValues& values);
// The same for a text that is not in a file of its own; what it includes is looked for beside `path`.
Result<Tree> read_yaml_text(const std::string& text, const std::string& path, const TemplateValues& values);

}  // namespace opsight::importer::timeloop

/// Reads a part file as the recorder left it, only by the description in trace/part.hpp and trace/raw_record.hpp: a second
/// reader, independent of the project's, with which the tests check the recorder.
#pragma once

#include "trace/part.hpp"
#include "trace/raw_record.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace recorder_test {

using mallard::trace::record_kind;

struct part_event {
    record_kind kind = record_kind::end;
    std::uint64_t ticks = 0;
    std::uint64_t thread = 0;
    std::uint64_t address = 0; ///< block or function; number of a name or an instance
    std::uint64_t bytes = 0; ///< allocations, if a pool was rolled back; the frame, if a function was called
    std::uint64_t pool = 0;
    unsigned kept = 0; ///< 0 if the chunk begins here
    std::vector<std::uint64_t> levels;
};

struct part {
    std::uint32_t process = 0;
    std::uint64_t names_lost = 0;
    std::uint64_t nested_events = 0;
    mallard::trace::stop_reason stopped = mallard::trace::stop_reason::none;
    std::vector<part_event> events; ///< in order of time
    std::map<std::uint64_t, std::string> names;
    std::vector<std::string> code; ///< paths of loaded files
    std::uint64_t threads = 0;

    /// Returns: the name of a scope, mark, instance or pool; "?" if it was not written.
    [[nodiscard]] std::string name(const part_event& event) const;
    /// Returns: the events except for those of malloc and the like.
    [[nodiscard]] std::vector<part_event> marks() const;
};

/// Throws: std::runtime_error if a record is invalid.
part read_part(const std::filesystem::path& file);

} // namespace recorder_test

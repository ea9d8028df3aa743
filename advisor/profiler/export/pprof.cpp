#include "profiler/export/block_counts.hpp"
#include "profiler/export/exports.hpp"
#include "profiler/export/frame_table.hpp"
#include "profiler/export/output_file.hpp"
#include "profiler/symbols/hexadecimal.hpp"
#include "trace/printable.hpp"
#include "trace/raw_record.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace mallard::advisor {

namespace {

/// A message of protocol buffers in its encoding: field after field.
///
///     field: | number * 8 + kind | value             |   kind 0: a number
///            | number * 8 + kind | length | bytes    |   kind 2: text, a message, or packed numbers
///
/// Numbers are LEB128, as in traces. A field that has its default value is left out.
class protobuf_message {
public:
    void number(unsigned field, std::uint64_t value) {
        if (value != 0) {
            append(field << 3 | 0);
            append(value);
        }
    }
    void text(unsigned field, std::string_view value) {
        append(field << 3 | 2);
        append(value.size());
        bytes_ += value;
    }
    void message(unsigned field, const protobuf_message& value) { text(field, value.bytes_); }
    void packed(unsigned field, std::span<const std::uint64_t> values) {
        protobuf_message all;
        for (const std::uint64_t value : values) {
            all.append(value);
        }
        message(field, all);
    }

    [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
    void clear() noexcept { bytes_.clear(); }

private:
    void append(std::uint64_t value) {
        std::byte encoded[10];
        const std::byte* const end = trace::write_number(encoded, value);
        bytes_.append(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(end - encoded));
    }

    std::string bytes_;
};

/// A compressed file.
class gzip {
public:
    /// Requires: the file outlives the object.
    /// Throws: std::bad_alloc.
    explicit gzip(output_file& to) : to_(to) {
        constexpr int largest_window = 15;
        constexpr int gzip_header = 16; // without name and time, so that equal profiles are equal files
        constexpr int default_memory = 8;
        if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window + gzip_header,
                         default_memory, Z_DEFAULT_STRATEGY) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    gzip(const gzip&) = delete;
    gzip& operator=(const gzip&) = delete;
    ~gzip() { deflateEnd(&stream_); }

    void write(std::string_view bytes) { compress(bytes, Z_NO_FLUSH); }
    /// Effects: writes the end of the compressed stream.
    void finish() { compress({}, Z_FINISH); }

private:
    void compress(std::string_view bytes, int flush) {
        constexpr std::size_t most = std::numeric_limits<uInt>::max();
        while (bytes.size() > most) {
            compress(bytes.substr(0, most), Z_NO_FLUSH);
            bytes.remove_prefix(most);
        }
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
            stream_.avail_out = static_cast<uInt>(out_.size());
            deflate(&stream_, flush);
            to_.write({out_.data(), out_.size() - stream_.avail_out});
        } while (stream_.avail_out == 0);
    }

    output_file& to_;
    z_stream stream_{};
    std::array<char, std::size_t{1} << 16> out_{};
};

// Numbers of fields, as github.com/google/pprof/proto/profile.proto has them.
namespace profile_field {
constexpr unsigned sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5, string_table = 6,
                   duration_nanos = 10, period_type = 11, period = 12, comment = 13, default_sample_type = 14;
}
namespace value_type_field {
constexpr unsigned type = 1, unit = 2;
}
namespace sample_field {
constexpr unsigned location_id = 1, value = 2;
}
namespace mapping_field {
constexpr unsigned id = 1, memory_start = 2, memory_limit = 3, filename = 5, build_id = 6, has_functions = 7,
                   has_filenames = 8, has_line_numbers = 9, has_inline_frames = 10;
}
namespace location_field {
constexpr unsigned id = 1, mapping_id = 2, address = 3, line = 4;
}
namespace line_field {
constexpr unsigned function_id = 1, line = 2;
}
namespace function_field {
constexpr unsigned id = 1, name = 2, system_name = 3, filename = 4;
}

struct sample_kind {
    const char* type;
    const char* unit;
    std::uint64_t (*value)(const block_counts&);
};

constexpr std::array<sample_kind, 6> sample_kinds{{
    {"alloc_objects", "count", [](const block_counts& counts) { return counts.allocated.blocks; }},
    {"alloc_space", "bytes", [](const block_counts& counts) { return counts.allocated.bytes; }},
    {"peak_objects", "count", [](const block_counts& counts) { return counts.at_peak.blocks; }},
    {"peak_space", "bytes", [](const block_counts& counts) { return counts.at_peak.bytes; }},
    {"inuse_objects", "count", [](const block_counts& counts) { return counts.alive.blocks; }},
    {"inuse_space", "bytes", [](const block_counts& counts) { return counts.alive.bytes; }},
}};

/// Writes one profile. Messages are written as they become known; the messages that they refer to by number follow at
/// the end.
class pprof_writer {
public:
    pprof_writer(trace::reader& trace, std::size_t process, code_map& code, output_file& to)
        : trace_(trace), process_(process), code_(code),
          frames_(trace.contexts(process), code, files().size()), to_(to) {
        static_cast<void>(string_index("")); // string 0 is empty
    }

    void write(const heap_history& history) {
        write_kinds();
        write_facts(history);
        write_samples(history);
        write_mappings();
        write_locations();
        write_strings();
        to_.finish();
    }

private:
    [[nodiscard]] const std::vector<trace::code_file>& files() const { return trace_.code(process_); }

    std::uint64_t string_index(const std::string& text) {
        const auto [known, is_new] = strings_.try_emplace(text, strings_.size());
        if (is_new) {
            texts_.push_back(&known->first);
        }
        return known->second;
    }

    void put(unsigned field, const protobuf_message& value) {
        protobuf_message message;
        message.message(field, value);
        to_.write(message.bytes());
    }

    void put_number(unsigned field, std::uint64_t value) {
        protobuf_message message;
        message.number(field, value);
        to_.write(message.bytes());
    }

    protobuf_message value_type(const char* type, const char* unit) {
        protobuf_message message;
        message.number(value_type_field::type, string_index(type));
        message.number(value_type_field::unit, string_index(unit));
        return message;
    }

    void write_kinds() {
        for (const sample_kind& kind : sample_kinds) {
            put(profile_field::sample_type, value_type(kind.type, kind.unit));
        }
        put(profile_field::period_type, value_type("space", "bytes"));
        put_number(profile_field::period, 1);
        put_number(profile_field::default_sample_type, string_index("alloc_space"));
    }

    void write_facts(const heap_history& history) {
        const trace::process& info = trace_.processes()[process_];
        if (info.ticks_per_second > 0) {
            put_number(profile_field::duration_nanos, to_units(history.ticks(), info.ticks_per_second / 1e9));
        }
        std::string command = "Recorded by mallard: process " + std::to_string(info.number);
        for (const std::string& argument : info.command) {
            command += ' ' + argument;
        }
        put_number(profile_field::comment, string_index(trace::printable(command)));
        if (info.sampled_one_in > 1) {
            put_number(profile_field::comment,
                       string_index("One activation in " + std::to_string(info.sampled_one_in) +
                                    " was recorded; no figure is scaled up."));
        }
    }

    void write_samples(const heap_history& history) {
        const trace::context_tree& contexts = trace_.contexts(process_);
        std::vector<std::uint64_t> locations;
        for (trace::context_id context = 0; context < contexts.size(); ++context) {
            const block_counts& counts = history.contexts()[context];
            if (counts.allocated.blocks == 0) {
                continue;
            }
            locations.clear();
            for (trace::context_id at = context;; at = contexts.parent(at)) {
                if (const auto level = frames_.find_level(at)) {
                    locations.push_back(*level + std::uint64_t{1});
                }
                if (at < trace::stack_ends) {
                    break;
                }
            }
            if (locations.empty()) {
                locations.push_back(frames_.no_stack() + std::uint64_t{1});
            }
            std::array<std::uint64_t, sample_kinds.size()> values{};
            for (std::size_t kind = 0; kind < values.size(); ++kind) {
                values[kind] = std::min<std::uint64_t>(sample_kinds[kind].value(counts),
                                                       std::numeric_limits<std::int64_t>::max());
            }
            protobuf_message sample;
            sample.packed(sample_field::location_id, locations);
            sample.packed(sample_field::value, values);
            put(profile_field::sample, sample);
        }
    }

    /// The files that stacks go through. The main program comes first, where readers expect it.
    void write_mappings() {
        mapping_of_file_.assign(files().size() + 1, 0);
        std::vector<bool> used(files().size() + 1);
        for (std::uint32_t level = 0; level < frames_.size(); ++level) {
            used[frames_[level].file] = true;
        }
        std::vector<std::size_t> order;
        for (std::size_t file = 0; file < files().size(); ++file) {
            if (used[file]) {
                order.push_back(file);
            }
        }
        const std::string& program = trace_.processes()[process_].executable;
        std::ranges::stable_partition(order, [&](std::size_t file) {
            return files()[file].path.empty() || files()[file].path == program;
        });
        for (const std::size_t index : order) {
            mapping_of_file_[index] = ++mappings_;
            const trace::code_file& file = files()[index];
            const loaded_object object = code_.object(index);
            protobuf_message message;
            message.number(mapping_field::id, mappings_);
            message.number(mapping_field::memory_start, file.begin);
            message.number(mapping_field::memory_limit, file.end);
            message.number(mapping_field::filename,
                           string_index(trace::printable(object.path.empty() ? object.name : object.path)));
            message.number(mapping_field::build_id, string_index(hex_digits(file.build_id)));
            // Without these flags pprof would look up names itself, in files that may differ.
            message.number(mapping_field::has_functions, 1);
            message.number(mapping_field::has_filenames, object.has_lines ? 1 : 0);
            message.number(mapping_field::has_line_numbers, object.has_lines ? 1 : 0);
            message.number(mapping_field::has_inline_frames, object.has_lines ? 1 : 0);
            put(profile_field::mapping, message);
        }
    }

    void write_locations() {
        for (std::uint32_t index = 0; index < frames_.size(); ++index) {
            const frame_table::level& level = frames_[index];
            protobuf_message message;
            message.number(location_field::id, index + std::uint64_t{1});
            message.number(location_field::mapping_id, mapping_of_file_[level.file]);
            message.number(location_field::address, level.instruction);
            for (const place& function : level.places) {
                protobuf_message line;
                line.number(line_field::function_id, function_number(function));
                line.number(line_field::line, function.line);
                message.message(location_field::line, line);
            }
            put(profile_field::location, message);
        }
    }

    std::uint64_t function_number(const place& function) {
        const auto [known, is_new] =
            functions_.try_emplace({function.name, function.file}, functions_.size() + std::uint64_t{1});
        if (is_new) {
            protobuf_message message;
            message.number(function_field::id, known->second);
            message.number(function_field::name, string_index(function.short_name));
            message.number(function_field::system_name, string_index(function.name));
            message.number(function_field::filename, string_index(function.file));
            put(profile_field::function, message);
        }
        return known->second;
    }

    void write_strings() {
        for (const std::string* const text : texts_) {
            protobuf_message message;
            message.text(profile_field::string_table, *text);
            to_.write(message.bytes());
        }
    }

    trace::reader& trace_;
    std::size_t process_;
    code_map& code_;
    frame_table frames_;
    gzip to_;
    std::map<std::string, std::uint64_t> strings_;
    std::vector<const std::string*> texts_; ///< by number
    std::map<std::pair<std::string, std::string>, std::uint64_t> functions_;
    std::vector<std::uint64_t> mapping_of_file_;
    std::uint64_t mappings_ = 0;
};

} // namespace

void write_pprof(trace::reader& trace, std::size_t process, code_map& code, const std::filesystem::path& to) {
    const heap_history history(trace, process);
    output_file file(to);
    pprof_writer(trace, process, code, file).write(history);
    file.commit();
}

} // namespace mallard::advisor

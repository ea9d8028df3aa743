#include "advisor/export/block_counts.hpp"
#include "advisor/export/durations.hpp"
#include "advisor/export/exports.hpp"
#include "advisor/export/frame_table.hpp"
#include "advisor/export/gzip.hpp"
#include "advisor/export/printable.hpp"
#include "advisor/export/protobuf.hpp"
#include "advisor/symbols/hexadecimal.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace mallard::advisor {

namespace {

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
    {"alloc_objects", "count", [](const block_counts& of) { return of.allocated.blocks; }},
    {"alloc_space", "bytes", [](const block_counts& of) { return of.allocated.bytes; }},
    {"peak_objects", "count", [](const block_counts& of) { return of.at_peak.blocks; }},
    {"peak_space", "bytes", [](const block_counts& of) { return of.at_peak.bytes; }},
    {"inuse_objects", "count", [](const block_counts& of) { return of.alive.blocks; }},
    {"inuse_space", "bytes", [](const block_counts& of) { return of.alive.bytes; }},
}};

/// Writes one profile. Parts go to the file as they come; what they refer to by number follows at the end.
class pprof_writer {
public:
    pprof_writer(trace::reader& trace, std::size_t process, code_map& code, output_file& to)
        : trace_(trace), process_(process), code_(code),
          frames_(trace.contexts(process), code, files().size()), to_(to) {
        static_cast<void>(number_of("")); // string 0 is empty
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

    std::uint64_t number_of(const std::string& text) {
        const auto [known, is_new] = strings_.try_emplace(text, strings_.size());
        if (is_new) {
            texts_.push_back(&known->first);
        }
        return known->second;
    }

    void put(unsigned field, const protobuf_message& part) {
        protobuf_message whole;
        whole.message(field, part);
        to_.write(whole.bytes());
    }

    void put_number(unsigned field, std::uint64_t value) {
        protobuf_message whole;
        whole.number(field, value);
        to_.write(whole.bytes());
    }

    protobuf_message value_type(const char* type, const char* unit) {
        protobuf_message made;
        made.number(value_type_field::type, number_of(type));
        made.number(value_type_field::unit, number_of(unit));
        return made;
    }

    void write_kinds() {
        for (const sample_kind& each : sample_kinds) {
            put(profile_field::sample_type, value_type(each.type, each.unit));
        }
        put(profile_field::period_type, value_type("space", "bytes"));
        put_number(profile_field::period, 1);
        put_number(profile_field::default_sample_type, number_of("alloc_space"));
    }

    void write_facts(const heap_history& history) {
        const trace::process& about = trace_.processes()[process_];
        if (about.ticks_per_second > 0) {
            put_number(profile_field::duration_nanos,
                       units_of(history.ticks(), about.ticks_per_second / 1e9));
        }
        std::string command = "Recorded by mallard: process " + std::to_string(about.number);
        for (const std::string& each : about.command) {
            command += ' ' + each;
        }
        put_number(profile_field::comment, number_of(printable(command)));
        if (about.sampled_one_in > 1) {
            put_number(profile_field::comment,
                       number_of("One activation in " + std::to_string(about.sampled_one_in) +
                                 " was recorded; no figure is scaled up."));
        }
    }

    void write_samples(const heap_history& history) {
        const trace::context_tree& contexts = trace_.contexts(process_);
        std::vector<std::uint64_t> locations;
        for (trace::context_id each = 0; each < contexts.size(); ++each) {
            const block_counts& counts = history.contexts()[each];
            if (counts.allocated.blocks == 0) {
                continue;
            }
            locations.clear();
            for (trace::context_id at = each;; at = contexts[at].parent) {
                if (const auto level = frames_.level_of(at)) {
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

    /// The files that stacks go through. The main program comes first, where readers look for it.
    void write_mappings() {
        mapping_of_file_.assign(files().size() + 1, 0);
        std::vector<bool> used(files().size() + 1);
        for (std::uint32_t each = 0; each < frames_.size(); ++each) {
            used[frames_[each].file] = true;
        }
        std::vector<std::size_t> order;
        for (std::size_t each = 0; each < files().size(); ++each) {
            if (used[each]) {
                order.push_back(each);
            }
        }
        const std::string& program = trace_.processes()[process_].executable;
        std::stable_partition(order.begin(), order.end(), [&](std::size_t each) {
            return files()[each].path.empty() || files()[each].path == program;
        });
        for (const std::size_t each : order) {
            mapping_of_file_[each] = ++mappings_;
            const trace::code_file& file = files()[each];
            const loaded_object object = code_.object(each);
            protobuf_message made;
            made.number(mapping_field::id, mappings_);
            made.number(mapping_field::memory_start, file.begin);
            made.number(mapping_field::memory_limit, file.end);
            made.number(mapping_field::filename,
                        number_of(printable(object.path.empty() ? object.name : object.path)));
            made.number(mapping_field::build_id, number_of(hex_digits(file.build_id)));
            // Else pprof would look for names itself, in files that may be others.
            made.number(mapping_field::has_functions, 1);
            made.number(mapping_field::has_filenames, object.has_lines ? 1 : 0);
            made.number(mapping_field::has_line_numbers, object.has_lines ? 1 : 0);
            made.number(mapping_field::has_inline_frames, object.has_lines ? 1 : 0);
            put(profile_field::mapping, made);
        }
    }

    void write_locations() {
        for (std::uint32_t each = 0; each < frames_.size(); ++each) {
            const frame_table::level& level = frames_[each];
            protobuf_message made;
            made.number(location_field::id, each + std::uint64_t{1});
            made.number(location_field::mapping_id, mapping_of_file_[level.file]);
            made.number(location_field::address, level.instruction);
            for (const place& function : level.places) {
                protobuf_message line;
                line.number(line_field::function_id, function_number(function));
                line.number(line_field::line, function.line);
                made.message(location_field::line, line);
            }
            put(profile_field::location, made);
        }
    }

    std::uint64_t function_number(const place& function) {
        const auto [known, is_new] =
            functions_.try_emplace({function.name, function.file}, functions_.size() + std::uint64_t{1});
        if (is_new) {
            protobuf_message made;
            made.number(function_field::id, known->second);
            made.number(function_field::name, number_of(function.short_name));
            made.number(function_field::system_name, number_of(function.name));
            made.number(function_field::filename, number_of(function.file));
            put(profile_field::function, made);
        }
        return known->second;
    }

    void write_strings() {
        for (const std::string* const each : texts_) {
            protobuf_message whole;
            whole.text(profile_field::string_table, *each);
            to_.write(whole.bytes());
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

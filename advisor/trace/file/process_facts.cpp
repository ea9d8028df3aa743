#include "trace/file/process_facts.hpp"

#include <bit>
#include <cstdint>

namespace mallard::trace {

namespace {

constexpr std::uint64_t kibibyte = 1024;
constexpr double most_stamp_ticks = 1e6;

std::uint32_t read_u32(byte_reader& from) {
    return static_cast<std::uint32_t>(from.number_up_to(UINT32_MAX));
}

} // namespace

void write_process(byte_writer& to, const process& facts) {
    to.number(facts.number);
    to.number(facts.parent);
    to.number(static_cast<std::uint8_t>(facts.stacks));
    to.number(facts.sampled_one_in);
    to.number(facts.timed_one_in);
    to.number(facts.first_ticks);
    to.number(facts.last_ticks);
    to.number(std::bit_cast<std::uint64_t>(facts.ticks_per_second));
    to.number(facts.cpu_nanoseconds);
    to.number(facts.threads);
    to.number(static_cast<std::uint32_t>(facts.stopped));
    to.signed_number(facts.exit_status);
    to.text(facts.executable);
    to.number(facts.command.size());
    for (const std::string& word : facts.command) {
        to.text(word);
    }
    to.number(facts.nested_events);
    to.number(facts.forks_not_followed);
    to.number(facts.programs_not_followed);
    to.number(facts.blocks_without_end);
    to.number(facts.names_lost);
    to.number(std::bit_cast<std::uint64_t>(facts.stamp_ticks));
}

process read_process(byte_reader& from) {
    process result;
    result.number = read_u32(from);
    result.parent = read_u32(from);
    result.stacks =
        static_cast<stack_source>(from.number_up_to(static_cast<std::uint8_t>(stack_source::descriptions)));
    result.sampled_one_in = read_u32(from);
    result.timed_one_in = read_u32(from);
    result.first_ticks = from.number();
    result.last_ticks = from.number();
    result.ticks_per_second = std::bit_cast<double>(from.number());
    result.cpu_nanoseconds = from.number();
    result.threads = read_u32(from);
    result.stopped =
        static_cast<stop_reason>(from.number_up_to(static_cast<std::uint32_t>(stop_reason::no_memory)));
    result.exit_status = static_cast<std::int32_t>(from.signed_number());
    result.executable = from.text();
    // A word takes at least a byte.
    for (std::uint64_t words = from.number_up_to(from.remaining()); words != 0; --words) {
        result.command.push_back(from.text());
    }
    result.nested_events = from.number();
    result.forks_not_followed = from.number();
    result.programs_not_followed = from.number();
    result.blocks_without_end = from.number();
    result.names_lost = from.number();
    if (from.remaining() != 0) {
        const auto ticks = std::bit_cast<double>(from.number());
        result.stamp_ticks = ticks >= 0 && ticks < most_stamp_ticks ? ticks : 0;
    }
    return result;
}

void write_code_file(byte_writer& to, const code_file& file) {
    to.number(file.begin);
    to.number(file.end);
    to.number(file.load_address);
    to.number(file.first_ticks);
    to.text(file.build_id);
    to.text(file.path);
}

code_file read_code_file(byte_reader& from) {
    code_file result;
    result.begin = from.number();
    result.end = from.number();
    result.load_address = from.number();
    result.first_ticks = from.number();
    result.build_id = from.text();
    result.path = from.text();
    return result;
}

void write_memory(byte_writer& to, const memory_sample& sample, std::uint64_t last_ticks) {
    to.number(sample.ticks - last_ticks);
    to.number(sample.resident_bytes / kibibyte);
    to.number(sample.file_bytes / kibibyte);
}

memory_sample read_memory(byte_reader& from, std::uint64_t last_ticks) {
    memory_sample result;
    result.ticks = last_ticks + from.number_up_to(UINT64_MAX - last_ticks);
    result.resident_bytes = from.number_up_to(UINT64_MAX / kibibyte) * kibibyte;
    result.file_bytes = from.number_up_to(UINT64_MAX / kibibyte) * kibibyte;
    return result;
}

void write_name(byte_writer& to, const named_number& name) {
    to.number(name.number);
    to.text(name.name);
}

named_number read_name(byte_reader& from) {
    named_number result;
    result.number = static_cast<std::uint32_t>(from.number_up_to(most_names));
    result.name = from.text();
    return result;
}

} // namespace mallard::trace

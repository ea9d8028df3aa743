/// The bodies of frames that describe a process: its facts, its files of code, its memory, the names of its scopes and
/// marks.
#pragma once

#include "trace/event.hpp"
#include "trace/file/bytes.hpp"

namespace mallard::trace {

struct named_number {
    std::uint32_t number = 0;
    std::string name;
};

void write_process(byte_writer& to, const process& facts);
/// Throws: bad_bytes.
process read_process(byte_reader& from);

void write_code_file(byte_writer& to, const code_file& file);
/// Throws: bad_bytes.
code_file read_code_file(byte_reader& from);

/// `last_ticks` are those of the preceding sample, initially those of the frame's head.
void write_memory(byte_writer& to, const memory_sample& sample, std::uint64_t last_ticks);
/// Throws: bad_bytes.
memory_sample read_memory(byte_reader& from, std::uint64_t last_ticks);

void write_name(byte_writer& to, const named_number& name);
/// Throws: bad_bytes.
named_number read_name(byte_reader& from);

} // namespace mallard::trace

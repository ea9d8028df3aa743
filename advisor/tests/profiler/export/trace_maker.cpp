#include "trace_maker.hpp"

#include "trace/writer.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace mallard::advisor::tests {

namespace {

void append_number(std::vector<std::byte>& to, std::uint64_t value) {
    std::array<std::byte, 10> bytes;
    to.insert(to.end(), bytes.data(), trace::write_number(bytes.data(), value));
}

void append_text(std::vector<std::byte>& to, std::string_view text) {
    append_number(to, text.size());
    for (const char c : text) {
        to.push_back(static_cast<std::byte>(c));
    }
}

} // namespace

trace_maker::trace_maker() {
    about.number = 4242;
    about.stacks = trace::stack_source::descriptions;
    about.ticks_per_second = 1e6;
    about.command = {"made-up", "--fast"};
    about.exit_status = 0;
}

trace_maker::records& trace_maker::thread_records() {
    records& log = threads_[thread];
    if (log.bytes.empty()) {
        log.bytes.push_back(static_cast<std::byte>(trace::record_kind::thread_begin));
        append_number(log.bytes, ticks);
        append_number(log.bytes, thread);
        append_number(log.bytes, about.number + thread);
        append_number(log.bytes, 0);
        log.last_ticks = ticks;
    }
    return log;
}

void trace_maker::add(const trace::code_file& file) {
    records& own = thread_records();
    own.bytes.push_back(static_cast<std::byte>(trace::record_kind::code));
    append_number(own.bytes, ticks - own.last_ticks);
    own.last_ticks = ticks;
    for (const std::uint64_t number : {file.begin, file.end, file.load_address}) {
        append_number(own.bytes, number);
    }
    append_text(own.bytes, file.build_id);
    append_text(own.bytes, file.path);
}

void trace_maker::add(trace::record_kind kind, const stack& levels, std::uint64_t address,
                      std::uint64_t bytes) {
    records& own = thread_records();
    own.bytes.push_back(static_cast<std::byte>(kind));
    append_number(own.bytes, ticks - own.last_ticks);
    own.last_ticks = ticks;
    append_number(own.bytes, 0); // levels kept
    append_number(own.bytes, levels.size());
    append_number(own.bytes, static_cast<std::uint64_t>(end));
    append_number(own.bytes, 0); // levels that are equal by chance
    for (const std::uint64_t level : levels) {
        for (std::size_t byte = 0; byte < trace::level_bytes; ++byte) {
            own.bytes.push_back(static_cast<std::byte>(level >> 8 * byte));
        }
    }
    if (trace::has_bytes(kind)) {
        append_number(own.bytes, bytes);
    }
    append_number(own.bytes, trace::zigzag(static_cast<std::int64_t>(address - own.last_address)));
    own.last_address = address;
}

void trace_maker::write(const std::filesystem::path& to) const {
    trace::writer writer(to, {});
    trace::process process_facts = about;
    process_facts.threads = static_cast<std::uint32_t>(threads_.size());
    process_facts.first_ticks = 1024;
    process_facts.last_ticks = ticks;
    const std::size_t process = writer.add_process(process_facts);
    for (const auto& [number, own] : threads_) {
        writer.add_chunk(process, own.bytes);
    }
    writer.end_process(process, process_facts);
    writer.finish();
    if (writer.damaged_chunks() != 0) {
        throw std::logic_error("a synthetic trace is damaged");
    }
}

temporary_folder::temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mallard-export-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("cannot create a folder");
    }
    path_ = name;
}

temporary_folder::~temporary_folder() {
    std::filesystem::remove_all(path_);
}

std::string read_text(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace mallard::advisor::tests

#include "trace/reader.hpp"

#include "trace/read/frame_table.hpp"
#include "trace/read/input.hpp"
#include "trace/read/thread_cursor.hpp"

namespace mallard::trace {

struct reader::state {
    explicit state(const std::filesystem::path& path) : file(path), table(file) {}

    input file;
    frame_table table;
    std::unique_ptr<thread_merger> merger;
};

reader::reader(const std::filesystem::path& file) : state_(std::make_unique<state>(file)) {}

reader::~reader() = default;

const std::vector<process>& reader::processes() const noexcept {
    return state_->table.processes;
}

bool reader::is_torn() const noexcept {
    return !state_->table.ended;
}

std::uint64_t reader::torn_bytes() const noexcept {
    return state_->table.torn_bytes;
}

std::uint64_t reader::file_bytes() const noexcept {
    return state_->file.bytes();
}

const context_tree& reader::contexts(std::size_t process) const noexcept {
    return state_->table.content[process].contexts;
}

const std::vector<code_file>& reader::code(std::size_t process) const noexcept {
    return state_->table.content[process].code;
}

const std::vector<std::string>& reader::names(std::size_t process) const noexcept {
    return state_->table.content[process].names;
}

const std::vector<memory_sample>& reader::memory(std::size_t process) const noexcept {
    return state_->table.content[process].memory;
}

void reader::begin(std::size_t process) {
    state_->merger = std::make_unique<thread_merger>(state_->file, state_->table.content[process]);
}

std::span<const event> reader::next() {
    return state_->merger == nullptr ? std::span<const event>() : state_->merger->next();
}

} // namespace mallard::trace

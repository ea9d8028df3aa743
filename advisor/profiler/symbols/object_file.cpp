#include "profiler/symbols/object_file.hpp"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mallard::advisor {

namespace {

/// An open file, or none if it could not be opened.
class descriptor {
public:
    explicit descriptor(const std::string& path) noexcept
        : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    [[nodiscard]] int number() const noexcept { return number_; }
    [[nodiscard]] bool is_regular_file() const noexcept {
        struct stat about = {};
        return number_ >= 0 && ::fstat(number_, &about) == 0 && S_ISREG(about.st_mode);
    }

private:
    int number_;
};

struct elf_end_caller {
    void operator()(Elf* file) const noexcept { elf_end(file); }
};
using elf_pointer = std::unique_ptr<Elf, elf_end_caller>;

constexpr std::uint64_t page_bytes = 4096;

/// The pages from the first to the last loaded segment.
std::uint64_t loaded_pages(Elf* file) {
    std::size_t count = 0;
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    if (elf_getphdrnum(file, &count) != 0) {
        return 0;
    }
    for (std::size_t index = 0; index < count; ++index) {
        GElf_Phdr segment;
        if (gelf_getphdr(file, static_cast<int>(index), &segment) != nullptr && segment.p_type == PT_LOAD) {
            begin = std::min(begin, segment.p_vaddr / page_bytes);
            end = std::max(end, (segment.p_vaddr + segment.p_memsz + page_bytes - 1) / page_bytes);
        }
    }
    return end > begin ? end - begin : 0;
}

const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

} // namespace

struct object_file::session {
    Dwfl* all = dwfl_begin(&callbacks);
    Dwfl_Module* module = nullptr;

    session() = default;
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    ~session() {
        if (all != nullptr) {
            dwfl_end(all);
        }
    }
    [[nodiscard]] Elf* file() const noexcept {
        GElf_Addr bias = 0;
        return module == nullptr ? nullptr : dwfl_module_getelf(module, &bias);
    }
};

object_file::object_file(identity recorded) : recorded_(std::move(recorded)), path_(recorded_.path) {}

object_file::~object_file() = default;

file_state object_file::state() {
    if (!std::exchange(opened_, true)) {
        state_ = open();
    }
    return state_;
}

file_state object_file::open() {
    elf_version(EV_CURRENT);
    const file_state on_disk = compare_with_disk();
    if (on_disk == file_state::readable) {
        return open_path() ? file_state::readable : file_state::unreadable;
    }
    return open_by_build_id() ? file_state::readable : on_disk;
}

file_state object_file::compare_with_disk() {
    if (recorded_.path.empty()) {
        return file_state::missing;
    }
    const descriptor disk(recorded_.path);
    if (disk.number() < 0) {
        return file_state::missing;
    }
    if (!disk.is_regular_file()) {
        return file_state::unreadable;
    }
    const elf_pointer file(elf_begin(disk.number(), ELF_C_READ_MMAP, nullptr));
    if (file == nullptr || elf_kind(file.get()) != ELF_K_ELF) {
        return file_state::unreadable;
    }
    if (recorded_.build_id.empty()) {
        // Without a build-id only the length can differ.
        const std::uint64_t pages = loaded_pages(file.get());
        const std::uint64_t recorded_pages =
            (recorded_.end + page_bytes - 1) / page_bytes - recorded_.begin / page_bytes;
        return pages == recorded_pages ? file_state::readable : file_state::changed;
    }
    const void* id = nullptr;
    const ssize_t bytes = dwelf_elf_gnu_build_id(file.get(), &id);
    const bool is_equal =
        bytes > 0 &&
        std::string_view(static_cast<const char*>(id), static_cast<std::size_t>(bytes)) == recorded_.build_id;
    return is_equal ? file_state::readable : file_state::changed;
}

bool object_file::open_path() {
    session_ = std::make_unique<session>();
    if (session_->all == nullptr) {
        return false;
    }
    dwfl_report_begin(session_->all);
    session_->module = dwfl_report_elf(session_->all, path_.c_str(), path_.c_str(), -1, 0, true);
    dwfl_report_end(session_->all, nullptr, nullptr);
    return session_->file() != nullptr;
}

bool object_file::open_by_build_id() {
    if (recorded_.build_id.empty()) {
        return false;
    }
    session_ = std::make_unique<session>();
    if (session_->all == nullptr) {
        return false;
    }
    dwfl_report_begin(session_->all);
    session_->module = dwfl_report_module(session_->all, "", recorded_.begin, recorded_.end);
    const bool has_id =
        session_->module != nullptr &&
        dwfl_module_report_build_id(session_->module,
                                    reinterpret_cast<const unsigned char*>(recorded_.build_id.data()),
                                    recorded_.build_id.size(), 0) == 0;
    dwfl_report_end(session_->all, nullptr, nullptr);
    if (!has_id || session_->file() == nullptr) {
        return false;
    }
    const char* main_path = nullptr;
    dwfl_module_info(session_->module, nullptr, nullptr, nullptr, nullptr, nullptr, &main_path, nullptr);
    if (main_path != nullptr) {
        path_ = main_path;
    }
    return true;
}

symbol_table& object_file::symbols() {
    if (symbols_ == nullptr) {
        symbols_ = std::make_unique<symbol_table>(session_->module);
    }
    return *symbols_;
}

std::set<std::string> object_file::symbols_containing(std::string_view text) {
    if (state() != file_state::readable) {
        return {};
    }
    std::set<std::string> names = lines().inlined_containing(text);
    for (const std::string_view symbol : symbols().containing(text)) {
        names.emplace(symbol);
    }
    return names;
}

object_file::code_function object_file::function_at(std::uint64_t address) {
    if (state() != file_state::readable) {
        return {};
    }
    const symbol_table::match symbol = symbols().at(address);
    if (symbol.exists && symbol.has_size) {
        return {symbol.begin, symbol.name, true};
    }
    if (frames_ == nullptr) {
        frames_ = std::make_unique<frame_ranges>(session_->file());
    }
    const std::optional<frame_ranges::range> frame = frames_->at(address);
    // A symbol without a size may be followed by an unnamed function.
    if (symbol.exists && (!frame || frame->begin <= symbol.begin)) {
        return {symbol.begin, symbol.name, true};
    }
    if (frame) {
        return {frame->begin, {}, true};
    }
    return {};
}

object_file::code_function object_file::compiled_copy(std::uint64_t address, std::size_t index) {
    if (const auto begin = lines().compiled_copy(address, index)) {
        return function_at(*begin);
    }
    // Of functions in headers the linker keeps one copy, perhaps that of another compilation unit.
    const source_place inlined = lines().inlined_declaration(address, index);
    const auto begin = symbols().global(inlined.symbol);
    if (!begin) {
        return {};
    }
    const source_place compiled = lines().declaration(*begin);
    return compiled.line == inlined.line && compiled.file == inlined.file ? function_at(*begin)
                                                                          : code_function{};
}

source_lines& object_file::lines() {
    if (lines_ == nullptr) {
        lines_ = std::make_unique<source_lines>(session_->module);
    }
    return *lines_;
}

} // namespace mallard::advisor

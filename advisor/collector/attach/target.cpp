#include "collector/attach/target.hpp"

#include "collector/system_file.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>

namespace mallard::collector {

namespace {

namespace fs = std::filesystem;

std::string name_of_process(pid_t process) {
    return "process " + std::to_string(process);
}

fs::path folder_in_proc(pid_t process) {
    return "/proc/" + std::to_string(process);
}

/// Returns: the words behind NAME: in the status of a process or a thread.
std::string status_field(const std::string& status, const std::string& name) {
    const std::string key = "\n" + name + ":";
    const std::size_t begin = status.find(key);
    if (begin == std::string::npos) {
        return {};
    }
    const std::size_t value = status.find_first_not_of(" \t", begin + key.size());
    return value == std::string::npos ? "" : status.substr(value, status.find('\n', value) - value);
}

bool is_loader(const std::string& name) {
    return name.starts_with("ld-linux") || name.starts_with("ld.so") || name.starts_with("ld-2.");
}

/// Returns: the lines of /proc/PID/maps.
std::vector<mapping> read_mappings(pid_t process) {
    std::vector<mapping> result;
    std::ifstream lines(folder_in_proc(process) / "maps");
    for (std::string line; std::getline(lines, line);) {
        // 7f0c4c000000-7f0c4c021000 rw-p 00000000 00:00 0          FILE
        std::istringstream words(line);
        mapping entry{};
        char dash = 0;
        std::string offset;
        std::string device;
        std::string inode;
        words >> std::hex >> entry.begin >> dash >> entry.end >> entry.rights >> offset >> device >> inode;
        std::getline(words >> std::ws, entry.file);
        result.push_back(std::move(entry));
    }
    return result;
}

/// Functions of the C library inside of which a thread may be in an allocator, or stop the other threads with a lock that the start
/// of a thread needs. Their frames are on the stack while the thread waits in the kernel for something harmless, as malloc
/// waits for a file of /sys at its first call in a thread.
constexpr std::array<std::string_view, 32> critical_functions{
    "malloc",    "free",     "calloc",   "realloc",      "reallocarray", "memalign",       "aligned_alloc",
    "valloc",    "pvalloc",  "mallopt",  "malloc_trim",  "malloc_info",  "posix_memalign", "mallinfo",
    "mallinfo2", "fork",     "_Fork",    "vfork",        "setuid",       "setgid",         "seteuid",
    "setegid",   "setreuid", "setregid", "setresuid",    "setresgid",    "setgroups",      "pthread_create",
    "dlopen",    "dlclose",  "dlmopen",  "malloc_stats",
};

/// Effects: calls `visit(name, symbol)` for each function that the file exports.
template <typename Visit>
void visit_functions(const fs::path& path, Visit visit) {
    ::elf_version(EV_CURRENT);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    Elf* const elf = file < 0 ? nullptr : ::elf_begin(file, ELF_C_READ_MMAP, nullptr);
    for (Elf_Scn* section = nullptr; elf != nullptr && (section = ::elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        Elf_Data* const data = ::elf_getdata(section, nullptr);
        if (::gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNSYM || data == nullptr) {
            continue;
        }
        for (int index = 1; index < static_cast<int>(data->d_size / header.sh_entsize); ++index) {
            GElf_Sym symbol;
            if (::gelf_getsym(data, index, &symbol) != nullptr && symbol.st_shndx != SHN_UNDEF &&
                GELF_ST_TYPE(symbol.st_info) == STT_FUNC) {
                if (const char* const text = ::elf_strptr(elf, header.sh_link, symbol.st_name)) {
                    visit(std::string_view(text), symbol);
                }
            }
        }
    }
    ::elf_end(elf);
    if (file >= 0) {
        ::close(file);
    }
}

bool has_malloc(const fs::path& library) {
    bool result = false;
    visit_functions(library,
                    [&](std::string_view function, const GElf_Sym&) { result |= function == "malloc"; });
    return result;
}

bool covers(const std::vector<std::pair<address, address>>& ranges, address code) {
    return std::ranges::any_of(ranges,
                               [&](const auto& range) { return range.first <= code && code < range.second; });
}

} // namespace

target::~target() {
    if (memory_ >= 0) {
        ::close(memory_);
    }
}

target::target(pid_t process) : process_(process) {
    refuse_shared_memory();
    memory_ = ::open((folder_in_proc(process) / "mem").c_str(), O_RDONLY | O_CLOEXEC);
    if (memory_ < 0) {
        throw untraceable();
    }
    mappings_ = read_mappings(process);
    if (mappings_.empty()) {
        throw failure(name_of_process(process) +
                      " cannot be examined (/proc/PID/maps is empty or unreadable); it "
                      "may have ended, or run with other rights than mallard");
    }
    std::error_code error;
    executable_ = fs::read_symlink(folder_in_proc(process) / "exe", error);
    refuse_recorded();
    find_files();
}

/// The child of a vfork has the memory of its parent, which would be recorded in its place.
void target::refuse_shared_memory() const {
    const std::string parent = status_field(text_of_system_file(folder_in_proc(process_) / "status"), "PPid");
    pid_t number = 0;
    std::from_chars(parent.data(), parent.data() + parent.size(), number);
    if (number > 0 && ::syscall(SYS_kcmp, process_, number, KCMP_VM, 0, 0) == 0) {
        throw failure(name_of_process(process_) +
                      " has the memory of its parent (vfork) until it executes a " +
                      "program; record process " + parent);
    }
}

void target::refuse_recorded() const {
    const std::string part = "/" + std::to_string(process_) + ".";
    for (const mapping& entry : mappings_) {
        const fs::path file = entry.file.substr(0, entry.file.find(" (deleted)"));
        if (file.extension() == ".part" && file.string().find(".parts" + part) != std::string::npos) {
            throw failure(name_of_process(process_) + " is being recorded already, in '" +
                          file.parent_path().string() + "'");
        }
    }
}

/// A second file of the name, or a second copy in a namespace of its own (dlmopen), is not the C library of the program. The loader
/// lists the files in the order in which it finds their functions.
void target::find_libc() {
    constexpr std::size_t most_files = 100'000;
    auto file = read_object<link_map>(first_loaded_file());
    for (std::size_t count = 0; count < most_files; ++count) {
        std::array<char, PATH_MAX> name{};
        const auto name_at = reinterpret_cast<address>(file.l_name);
        std::ignore = read_memory(name_at, std::as_writable_bytes(std::span(name).first(name.size() - 1)));
        if (name_at != 0 && fs::path(name.data()).filename() == "libc.so.6") {
            libc_ = find_mapping(reinterpret_cast<address>(file.l_ld)).file;
            libc_base_ = file.l_addr;
            return;
        }
        if (file.l_next == nullptr) {
            return;
        }
        file = read_object<link_map>(reinterpret_cast<address>(file.l_next));
    }
}

/// Returns: the address of the loader's entry (link_map) for the program's own file; 0 if the loader has not begun.
address target::first_loaded_file() const {
    std::map<std::uint64_t, std::uint64_t> vector; // that the kernel gave the program
    const std::string bytes = text_of_system_file(folder_in_proc(process_) / "auxv");
    for (std::size_t at = 0; at + sizeof(ElfW(auxv_t)) <= bytes.size(); at += sizeof(ElfW(auxv_t))) {
        ElfW(auxv_t) entry;
        std::memcpy(&entry, bytes.data() + at, sizeof entry);
        vector[entry.a_type] = entry.a_un.a_val;
    }
    address base = 0;
    address dynamic = 0;
    for (std::uint64_t index = 0; index < vector[AT_PHNUM]; ++index) {
        const auto segment = read_object<ElfW(Phdr)>(vector[AT_PHDR] + index * sizeof(ElfW(Phdr)));
        if (segment.p_type == PT_PHDR) {
            base = vector[AT_PHDR] - segment.p_vaddr;
        } else if (segment.p_type == PT_DYNAMIC) {
            dynamic = base + segment.p_vaddr;
        }
    }
    for (auto entry = read_object<ElfW(Dyn)>(dynamic); entry.d_tag != DT_NULL;
         entry = read_object<ElfW(Dyn)>(dynamic)) {
        if (entry.d_tag == DT_DEBUG && entry.d_un.d_ptr != 0) {
            return reinterpret_cast<address>(read_object<r_debug>(entry.d_un.d_ptr).r_map);
        }
        dynamic += sizeof entry;
    }
    return 0;
}

void target::find_files() {
    const std::string name = name_of_process(process_);
    std::set<std::string> seen;
    std::vector<std::string> libraries;
    std::vector<std::string> other_mallocs;
    for (const mapping& entry : mappings_) {
        if (!entry.file.starts_with("/") || !seen.insert(entry.file).second || entry.file == executable_) {
            continue;
        }
        const bool is_library = fs::path(entry.file).filename().string().find(".so") != std::string::npos;
        if (!is_library) {
            continue;
        }
        if (entry.file.ends_with(" (deleted)")) {
            other_mallocs.push_back(entry.file); // it cannot be examined, and may have a malloc
        } else {
            libraries.push_back(entry.file);
        }
    }
    find_libc();
    if (libc_.empty()) {
        throw failure(name + " does not use the GNU C library, which the recorder needs");
    }
    if (libc_.ends_with(" (deleted)")) {
        throw failure(name + " uses a C library that was replaced by an update ('" + libc_ +
                      "'); restart the program");
    }
    for (const std::string& library : libraries) {
        if (library != libc_ && has_malloc(library)) {
            other_mallocs.push_back(library);
        }
    }
    find_critical_code(other_mallocs);
}

void target::find_critical_code(const std::vector<std::string>& other_mallocs) {
    for (const mapping& entry : mappings_) {
        if (entry.rights.find('x') == std::string::npos) {
            continue;
        }
        const std::string file = fs::path(entry.file).filename().string();
        if (entry.file == libc_) {
            libc_code_.emplace_back(entry.begin, entry.end);
        } else if (is_loader(file) || file.starts_with("libmallard_record") ||
                   std::ranges::find(other_mallocs, entry.file) != other_mallocs.end()) {
            critical_.emplace_back(entry.begin, entry.end);
        }
    }
    visit_functions(libc_, [&](std::string_view function, const GElf_Sym& symbol) {
        if (std::ranges::find(critical_functions, function) != critical_functions.end()) {
            critical_.emplace_back(libc_base_ + symbol.st_value,
                                   libc_base_ + symbol.st_value + symbol.st_size);
        }
    });
}

address target::libc_function(const std::string& name) const {
    address result = 0;
    visit_functions(libc_, [&](std::string_view function, const GElf_Sym& symbol) {
        if (function == name) {
            result = libc_base_ + symbol.st_value;
        }
    });
    if (result == 0) {
        throw failure("the C library of process " + std::to_string(process_) + " ('" + libc_ + "') has no " +
                      name + "; the recorder needs glibc 2.35 or later");
    }
    return result;
}

address target::sigreturn() const {
    constexpr std::string_view code("\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9);
    for (const auto& [begin, end] : libc_code_) {
        std::string bytes(end - begin, 0);
        bytes.resize(read_memory(begin, std::as_writable_bytes(std::span(bytes))));
        if (const std::size_t at = bytes.find(code); at != std::string::npos) {
            return begin + at;
        }
    }
    throw failure("the C library of process " + std::to_string(process_) +
                  " cannot be read, or lacks the end of signal handlers");
}

void target::refuse_replaced() const {
    std::byte byte{};
    if (read_memory(libc_code_.front().first, std::span(&byte, 1)) == 0) {
        throw failure(name_of_process(process_) +
                      " has executed another program meanwhile; give --pid its number again");
    }
}

void target::refuse_traced(pid_t thread) const {
    if (const std::string tracer = thread_field(thread, "TracerPid"); !tracer.empty() && tracer != "0") {
        throw failure(name_of_process(process_) + " is traced by process " + tracer +
                      " (a debugger or strace); end that first");
    }
}

failure target::untraceable() const {
    failure refused(name_of_process(process_) +
                    " may not be traced; allow it: sudo sysctl kernel.yama.ptrace_scope=0, or run mallard as "
                    "root in a container with SYS_PTRACE");
    return refused;
}

std::size_t target::read_memory(address from, std::span<std::byte> to) const noexcept {
    const ssize_t bytes = ::pread(memory_, to.data(), to.size(), static_cast<off_t>(from));
    return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
}

void target::update_mappings() {
    mappings_ = read_mappings(process_);
}

mapping target::find_mapping(address at) const {
    const auto next = std::ranges::upper_bound(mappings_, at, {}, &mapping::begin);
    if (next == mappings_.begin() || at >= std::prev(next)->end) {
        return {};
    }
    return *std::prev(next);
}

bool target::is_critical(address code) const {
    return covers(critical_, code);
}

bool target::is_in_libc(address code) const {
    return covers(libc_code_, code);
}

/// Returns: the words behind NAME: in the status of the thread; empty if it is gone.
std::string target::thread_field(pid_t thread, const std::string& name) const {
    return status_field(
        text_of_system_file(folder_in_proc(process_) / "task" / std::to_string(thread) / "status"), name);
}

bool target::is_uninterruptible(pid_t thread) const {
    return thread_field(thread, "State").starts_with("D");
}

bool target::has_ended(pid_t thread) const {
    const std::string state = thread_field(thread, "State");
    return state.empty() || state.starts_with("Z") || state.starts_with("X");
}

std::vector<pid_t> target::threads() const {
    std::vector<pid_t> result;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_in_proc(process_) / "task", error)) {
        const std::string name = entry.path().filename().string();
        pid_t number = 0;
        std::from_chars(name.data(), name.data() + name.size(), number);
        result.push_back(number);
    }
    return result;
}

} // namespace mallard::collector

#include "collector/attach/call_stack.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace mallard::collector {

namespace {

constexpr std::size_t most_frames = 16'384;
constexpr std::size_t block_bytes = std::size_t{16} << 10;
constexpr int return_address = 16; // in .eh_frame of x86-64
constexpr address page_bytes = 4096;

/// Unwinding needs no debug information, and must not search the network for it.
int no_debuginfo(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
    return -1;
}

const Dwfl_Callbacks files_of_process{
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = no_debuginfo,
    .section_address = nullptr,
    .debuginfo_path = nullptr,
};

} // namespace

struct unwinder::session {
    explicit session(const target& traced) : process(traced), files(::dwfl_begin(&files_of_process)) {}
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    ~session() {
        if (files != nullptr) {
            ::dwfl_end(files);
        }
    }

    // Callbacks of libdwfl, which asks for one thread by the number of its process.

    static pid_t next_thread(Dwfl*, void*, void**) noexcept { return 0; }
    static bool find_thread(Dwfl*, pid_t, void* argument, void** thread_argument) noexcept {
        *thread_argument = argument;
        return true;
    }
    static bool set_registers(Dwfl_Thread* thread, void* argument) noexcept {
        const auto& values = static_cast<session*>(argument)->registers;
        return ::dwfl_thread_state_registers(thread, 0, static_cast<unsigned>(values.size()), values.data());
    }
    static bool read_word(Dwfl*, Dwarf_Addr from, Dwarf_Word* word, void* argument) noexcept {
        return static_cast<session*>(argument)->read(from, *word);
    }
    static int add_frame(Dwfl_Frame* frame, void* argument) {
        return static_cast<session*>(argument)->add(frame) ? DWARF_CB_OK : DWARF_CB_ABORT;
    }

    bool read(address from, Dwarf_Word& word) noexcept {
        if (from < block_at || from + sizeof word > block_at + block_size) {
            block_at = from / page_bytes * page_bytes;
            block_size = process.read_memory(block_at, std::as_writable_bytes(std::span(block)));
            if (from + sizeof word > block_at + block_size) {
                block_size = 0;
                return false;
            }
        }
        std::memcpy(&word, block.data() + (from - block_at), sizeof word);
        return true;
    }

    /// Returns: true if the frame is described, and is not that of a signal handler's caller.
    bool add(Dwfl_Frame* frame) {
        Dwarf_Addr at = 0;
        bool is_exact = false;
        if (stack.code.size() == most_frames || !::dwfl_frame_pc(frame, &at, &is_exact)) {
            return false;
        }
        at -= is_exact ? 0 : 1; // of the call, which may be the last instruction of its function
        Dwfl_Module* const file = ::dwfl_addrmodule(files, at);
        if (file == nullptr) {
            stack.has_new_code = true;
            return false;
        }
        Dwarf_Addr bias = 0;
        Dwarf_CFI* const descriptions = ::dwfl_module_eh_cfi(file, &bias);
        Dwarf_Frame* row = nullptr;
        if (descriptions == nullptr || ::dwarf_cfi_addrframe(descriptions, at - bias, &row) != 0) {
            return false;
        }
        bool is_signal_frame = false;
        Dwarf_Addr begin = 0;
        Dwarf_Addr end = 0;
        ::dwarf_frame_info(row, &begin, &end, &is_signal_frame);
        std::array<Dwarf_Op, 3> memory{};
        Dwarf_Op* location = nullptr;
        std::size_t operations = 0;
        is_outermost =
            ::dwarf_frame_register(row, return_address, memory.data(), &location, &operations) == 0 &&
            operations == 0 && location == memory.data(); // undefined
        std::free(row);
        stack.code.push_back(at);
        return !is_signal_frame;
    }

    const target& process;
    Dwfl* files;
    frame_registers registers{};
    call_stack stack;
    bool is_outermost = false; ///< the last frame
    address block_at = 0;
    std::size_t block_size = 0;
    std::array<std::byte, block_bytes> block{};
};

unwinder::unwinder(const target& process) : session_(std::make_unique<session>(process)) {
    static constexpr Dwfl_Thread_Callbacks callbacks{
        .next_thread = session::next_thread,
        .get_thread = session::find_thread,
        .memory_read = session::read_word,
        .set_initial_registers = session::set_registers,
        .detach = nullptr,
        .thread_detach = nullptr,
    };
    Dwfl* const files = session_->files;
    if (files == nullptr || ::dwfl_linux_proc_report(files, process.number()) != 0 ||
        ::dwfl_report_end(files, nullptr, nullptr) != 0 ||
        !::dwfl_attach_state(files, nullptr, process.number(), &callbacks, session_.get())) {
        throw failure("the files of process " + std::to_string(process.number()) +
                      " cannot be examined: " + ::dwfl_errmsg(-1) + "; it may have ended");
    }
    // A stopped thread would wait for the files to be opened.
    ::dwfl_getmodules(
        files,
        [](Dwfl_Module* file, void**, const char*, Dwarf_Addr, void*) -> int {
            Dwarf_Addr bias = 0;
            ::dwfl_module_eh_cfi(file, &bias);
            return DWARF_CB_OK;
        },
        nullptr, 0);
}

unwinder::~unwinder() = default;

call_stack unwinder::unwind(const frame_registers& registers) {
    session_->registers = registers;
    session_->stack = {};
    session_->is_outermost = false;
    session_->block_size = 0; // the memory of another moment
    const int result = ::dwfl_getthread_frames(session_->files, session_->process.number(),
                                               session::add_frame, session_.get());
    session_->stack.is_complete = result == 0 && session_->is_outermost;
    return std::move(session_->stack);
}

} // namespace mallard::collector

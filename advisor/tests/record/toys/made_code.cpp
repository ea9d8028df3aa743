// Threads generate code at run time, describe it, allocate through it, and unmap it with its description. The frames of the
// code have one of two sizes, so that a stale rule is wrong.

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

extern "C" {
void __register_frame(void* section);
void __deregister_frame(void* section);
void __register_frame_info(const void* section, void* object);
void* __deregister_frame_info(const void* section);
void __register_frame_info_bases(const void* section, void* object, void* text, void* data);
void* __deregister_frame_info_bases(const void* section);
void __register_frame_table(void* sections);
}

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t section_at = 2048;
constexpr int threads = 4;
constexpr int rounds = 400;
constexpr int calls = 5;

volatile int work = 0;

__attribute__((noinline)) void allocate() {
    void* const block = std::malloc(40);
    asm volatile("" : : "r"(block) : "memory");
    std::free(block);
    work = work + 1;
}

class writer {
public:
    explicit writer(std::uint8_t* to) : to_(to) {}

    writer& bytes(std::initializer_list<int> values) {
        for (const int value : values) {
            *to_++ = static_cast<std::uint8_t>(value);
        }
        return *this;
    }
    template <typename Number>
    writer& number(Number value) {
        std::memcpy(to_, &value, sizeof value);
        to_ += sizeof value;
        return *this;
    }

private:
    std::uint8_t* to_;
};

/// A function that calls its argument, in a frame of `frame` bytes, and its .eh_frame section.
class generated_code {
public:
    explicit generated_code(int frame)
        : page_(static_cast<std::uint8_t*>(::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        if (page_ == MAP_FAILED) {
            std::abort();
        }
        writer(page_)
            .bytes({0x48, 0x83, 0xec, frame}) // sub $frame, %rsp
            .bytes({0xff, 0xd7})              // call *%rdi
            .bytes({0x48, 0x83, 0xc4, frame}) // add $frame, %rsp
            .bytes({0xc3});                   // ret
        writer(page_ + section_at)
            .number(std::uint32_t{20}) // the common entry: its length
            .number(std::uint32_t{0})
            .bytes({1, 0, 1, 0x78, 16})   // version, no augmentation, alignments 1 and -8, return address
            .bytes({0x0c, 7, 8, 0x90, 1}) // the frame is at rsp + 8, and the return address below it
            .bytes({0, 0, 0, 0, 0, 0})
            .number(std::uint32_t{28}) // the function's entry: its length
            .number(std::uint32_t{28}) // back to the common entry
            .number(reinterpret_cast<std::uintptr_t>(page_))
            .number(std::uintptr_t{11})
            .bytes({0x44, 0x0e, frame + 8}) // after four bytes, rsp + frame + 8
            .bytes({0x46, 0x0e, 8, 0, 0})   // after six more, rsp + 8
            .number(std::uint32_t{0});
    }
    generated_code(const generated_code&) = delete;
    generated_code& operator=(const generated_code&) = delete;
    ~generated_code() { ::munmap(page_, page_bytes); }

    void call(void (*function)()) const { reinterpret_cast<void (*)(void (*)())>(page_)(function); }
    void allow(int access) const { ::mprotect(page_, page_bytes, access); }
    [[nodiscard]] void* section() const { return page_ + section_at; }

private:
    std::uint8_t* page_;
};

void use(const generated_code& code) {
    for (int count = 0; count < calls; ++count) {
        code.call(&allocate);
    }
}

// libgcc stores its record of a section here.
using object = std::array<void*, 16>;

void make_and_use() {
    for (int round = 0; round < rounds; ++round) {
        const generated_code code(round % 2 == 0 ? 24 : 104);
        object known{};
        std::array<void*, 2> sections{code.section(), nullptr};
        switch (round / 2 % 4) {
        case 0:
            __register_frame(code.section());
            use(code);
            __deregister_frame(code.section());
            break;
        case 1:
            __register_frame_info(code.section(), &known);
            use(code);
            __deregister_frame_info(code.section());
            break;
        case 2:
            __register_frame_info_bases(code.section(), &known, nullptr, nullptr);
            use(code);
            __deregister_frame_info_bases(code.section());
            break;
        default:
            __register_frame_table(sections.data());
            use(code);
            __deregister_frame(sections.data());
        }
    }
}

} // namespace

int main() {
    // A walk that reads descriptions of other code may do so after their removal. These cannot be read.
    const generated_code unreadable(24);
    __register_frame(unreadable.section());
    unreadable.allow(PROT_NONE);
    std::vector<std::thread> workers;
    for (int count = 0; count < threads; ++count) {
        workers.emplace_back(&make_and_use);
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    unreadable.allow(PROT_READ);
    __deregister_frame(unreadable.section());
}

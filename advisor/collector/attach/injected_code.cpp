#include "collector/attach/injected_code.hpp"

#include "trace/attachment.hpp"

#include <initializer_list>

namespace mallard::collector {

std::vector<unsigned char> machine_code(address attachment, address frame) {
    std::vector<unsigned char> code;
    const auto bytes = [&](std::initializer_list<int> values) {
        for (const int value : values) {
            code.push_back(static_cast<unsigned char>(value));
        }
    };
    const auto number = [&](std::uint64_t value, unsigned count) {
        for (unsigned index = 0; index < count; ++index) {
            code.push_back(static_cast<unsigned char>(value >> 8 * index));
        }
    };
    const auto member = [&](std::initializer_list<int> instruction, std::size_t offset) {
        bytes(instruction);
        number(offset, 4);
    };
#define MALLARD_OFFSET(name) offsetof(trace::attachment, name)
    // For the borrowed thread: pthread_create(&thread, nullptr, start, attachment), a pause, and rt_sigreturn.
    bytes({0x48, 0xbb}); // mov rbx, attachment
    number(attachment, 8);
    member({0x48, 0x8d, 0xbb}, MALLARD_OFFSET(thread));   // lea rdi, [rbx + thread]
    bytes({0x31, 0xf6});                                  // xor esi, esi
    member({0x48, 0x8b, 0x93}, MALLARD_OFFSET(start));    // mov rdx, [rbx + start]
    bytes({0x48, 0x89, 0xd9});                            // mov rcx, rbx
    member({0xff, 0x93}, MALLARD_OFFSET(pthread_create)); // call [rbx + pthread_create]
    member({0x89, 0x83}, MALLARD_OFFSET(create_error));   // mov [rbx + create_error], eax
    member({0xc7, 0x83}, MALLARD_OFFSET(is_created));     // mov dword [rbx + is_created], 1
    number(1, 4);
    // 50 pauses of 10 ms, in one of which the collector restores the thread, if it lives: rt_sigtimedwait(&no_signals, nullptr,
    // &pause, 8). nanosleep would overwrite the remaining time of the interrupted call in the kernel.
    bytes({0x41, 0xbc, 50, 0, 0, 0}); // mov r12d, 50
    bytes({0x6a, 0, 0x68});           // push 0; push 10,000,000
    number(10'000'000, 4);
    bytes({0x6a, 0});                      // push 0
    bytes({0x48, 0x8d, 0x7c, 0x24, 16});   // wait: lea rdi, [rsp + 16]
    bytes({0x31, 0xf6, 0x48, 0x89, 0xe2}); // xor esi, esi; mov rdx, rsp
    bytes({0x41, 0xba, 8, 0, 0, 0});       // mov r10d, 8
    bytes({0xb8, 128, 0, 0, 0, 0x0f, 5});  // mov eax, 128; syscall
    bytes({0x41, 0xff, 0xcc, 0x75, 0xe4}); // dec r12d; jnz wait
    bytes({0x48, 0xbc});                   // mov rsp, frame
    number(frame, 8);
    bytes({0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}); // mov eax, 15; syscall
    code.resize(start_offset, 0xcc);
    // For the new thread: dlsym(dlopen(library, RTLD_NOW), entry)(attachment).
    bytes({0x53, 0x48, 0x89, 0xfb}); // push rbx; mov rbx, rdi
    // The signals of the program are not for this thread: rt_sigprocmask(SIG_SETMASK, &mask, nullptr, 8). The borrowed
    // thread may have passed on another mask, and pthread_sigmask does not set the bits of the C library's signals.
    bytes({0x48, 0xb8}); // mov rax, mask
    number(~signal_bit(setuid_signal), 8);
    bytes({0x50});                                               // push rax
    bytes({0xbf, 2, 0, 0, 0, 0x48, 0x89, 0xe6, 0x31, 0xd2});     // mov edi, 2; mov rsi, rsp; xor edx, edx
    bytes({0x41, 0xba, 8, 0, 0, 0, 0xb8, 14, 0, 0, 0, 0x0f, 5}); // mov r10d, 8; mov eax, 14; syscall
    bytes({0x58});                                               // pop rax
    member({0x48, 0x8d, 0xbb}, MALLARD_OFFSET(library));         // lea rdi, [rbx + library]
    bytes({0xbe, 2, 0, 0, 0});                                   // mov esi, RTLD_NOW
    member({0xff, 0x93}, MALLARD_OFFSET(dlopen));                // call [rbx + dlopen]
    bytes({0x48, 0x85, 0xc0, 0x74, 0});                          // test rax, rax; jz failed
    const std::size_t first_jump = code.size();
    bytes({0x48, 0x89, 0xc7});                         // mov rdi, rax
    member({0x48, 0x8d, 0xb3}, MALLARD_OFFSET(entry)); // lea rsi, [rbx + entry]
    member({0xff, 0x93}, MALLARD_OFFSET(dlsym));       // call [rbx + dlsym]
    bytes({0x48, 0x85, 0xc0, 0x74, 0});                // test rax, rax; jz failed
    const std::size_t second_jump = code.size();
    // The function unmaps this code, and so returns to the caller of it.
    bytes({0x48, 0x89, 0xdf, 0x5b, 0xff, 0xe0}); // mov rdi, rbx; pop rbx; jmp rax
    code[first_jump - 1] = static_cast<unsigned char>(code.size() - first_jump);
    code[second_jump - 1] = static_cast<unsigned char>(code.size() - second_jump);
    member({0xff, 0x93}, MALLARD_OFFSET(dlerror));          // failed: call [rbx + dlerror]
    member({0x48, 0x89, 0x83}, MALLARD_OFFSET(error_text)); // mov [rbx + error_text], rax
    member({0xc7, 0x83}, MALLARD_OFFSET(state));            // mov dword [rbx + state], no_library
    number(static_cast<std::uint32_t>(trace::attachment_state::no_library), 4);
    bytes({0x5b, 0x31, 0xc0, 0xc3}); // pop rbx; xor eax, eax; ret
#undef MALLARD_OFFSET
    return code;
}

} // namespace mallard::collector

/// A small trace with all kinds of stacks, whose figures are known.
#pragma once

#include "trace_maker.hpp"

namespace mallard::advisor::tests {

/// 6 blocks of 1,270 bytes; 4 of 1,060 at the peak; 2 of 70 at the end. Its code files do not exist.
inline trace_maker example_trace() {
    trace_maker maker;
    maker.about.executable = "/nowhere/app";
    maker.add({0x7f0000000000, 0x7f0000100000, 0x7f0000000000, "\x02", "/nowhere/libgone.so", 0});
    maker.add({0x400000, 0x500000, 0, "\x01\xab\xff", "", 0});
    maker.add({0x7ffff0000000, 0x7ffff0002000, 0x7ffff0000000, "", "linux-vdso.so.1", 0});
    const stack first{0x401000, 0x7f0000001000, 0x7f0000002000};
    const stack second{0x401000, 0x7f0000003000};
    maker.allocate(first, 0x10, 1000);
    maker.ticks += 2'000'000;
    maker.allocate(first, 0x20, 20);
    maker.allocate(second, 0x30, 30);
    maker.ticks += 1'000'000;
    maker.thread = 1;
    maker.allocate({}, 0x40, 10); // by a program that is recorded without stacks
    maker.free(second, 0x10);
    maker.ticks += 1'000'000;
    maker.end = trace::stack_end::unknown_code;
    maker.allocate({0x7ffff0000100, 0x401000}, 0x10, 50);
    maker.free(second, 0x30);
    maker.end = trace::stack_end::outermost;
    maker.allocate({0x401000, 0x600000}, 0x50, 160);
    maker.free(first, 0x50);
    maker.free(first, 0x40);
    maker.ticks += 1'000'000;
    return maker;
}

} // namespace mallard::advisor::tests

/// Programs that misuse an allocator, a few lines each, and the exact report that each must give.
///
///     PROGRAM(double_free_of_a_multipool, "double free: block ADDRESS of 24 bytes at alignment 8 was already deallocated") {
///         ...
///     }
///
/// The complete report is compared, with ADDRESS in place of each address. The programs are compiled as debug builds,
/// which have the checks.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace misuse_programs {

struct program {
    std::string name;
    std::string report;
    void (*run)();
};

/// Returns: all linked programs, in unspecified order.
std::vector<program>& programs();

/// Effects: shows a program by its name.
void PrintTo(const program& p, std::ostream* out);

/// The end of a report without an allocation site and without a stack.
inline constexpr const char* nowhere =
    "\n    allocated at an unnamed place; name it with mallard::allocation_site\n";

/// Enters a program in the list.
struct entry {
    entry(const char* name, const std::string& report, void (*run)()) {
        programs().push_back({name, report, run});
    }
};

/// Effects: changes a byte, hidden from AddressSanitizer.
[[gnu::noinline]] void overwrite(void* block, int offset);

} // namespace misuse_programs

/// A misuse of a block that the report names.
#define PROGRAM(name, line)                                                                                  \
    static void name();                                                                                      \
    static const misuse_programs::entry name##_entry(                                                        \
        #name, std::string("mallard: ") + (line) + misuse_programs::nowhere, name);                          \
    static void name()

/// A misuse of a pointer to no block.
#define PROGRAM_WITHOUT_BLOCK(name, line)                                                                    \
    static void name();                                                                                      \
    static const misuse_programs::entry name##_entry(#name, std::string("mallard: ") + (line) + "\n", name); \
    static void name()

/// A call that breaks a contract of the header.
#define BREAKS_CONTRACT(name, header, condition)                                                             \
    static void name();                                                                                      \
    static const misuse_programs::entry name##_entry(                                                        \
        #name, std::string(header ":LINE: mallard: a caller broke the contract: ") + (condition) + "\n",     \
        name);                                                                                               \
    static void name()

#include "advisor/symbols/code_map.hpp"

#include "advisor/symbols/function_name.hpp"
#include "advisor/symbols/hexadecimal.hpp"
#include "advisor/symbols/layers.hpp"
#include "advisor/symbols/object_file.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

namespace mallard::advisor {

namespace {

constexpr std::size_t no_object = ~std::size_t{0};
constexpr std::size_t special_code = no_object - 1; ///< code that is in no file

bool is_system_page(std::string_view path) noexcept {
    return path.starts_with("linux-vdso") || path.starts_with("linux-gate") || path == "[vdso]";
}

std::string name_of(const object_file::identity& file) {
    if (is_system_page(file.path)) {
        return "[vdso]";
    }
    if (!file.path.empty()) {
        const std::string name = file.path.substr(file.path.rfind('/') + 1);
        return name.empty() ? file.path : name;
    }
    return file.build_id.empty() ? "[unnamed]" : '[' + hex_digits(file.build_id).substr(0, 8) + ']';
}

} // namespace

struct code_map::state {
    struct known_object {
        std::unique_ptr<object_file> file;
        std::string name;
        bool is_system_page = false;
        bool was_asked = false;
    };
    /// A part of the address space, and the file that was loaded there.
    struct span {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::size_t file = 0;
    };
    enum class answer : std::uint8_t { unknown, no, yes };
    struct known_function {
        function about;
        std::string_view symbol;
        std::size_t object = no_object;
        std::uint64_t begin = 0;
        bool is_located = false;
        answer allocates = answer::unknown;
    };

    std::span<const trace::code_file> files;
    std::vector<std::size_t> object_of_file;
    std::vector<span> spans; // by begin, none overlaps another
    std::deque<known_object> objects;
    std::deque<known_function> functions;
    std::map<std::pair<std::size_t, std::uint64_t>, function_id> by_begin;
    std::unordered_map<std::uint64_t, function_id> by_address;
    std::vector<std::string> warnings;

    void add(std::size_t file, const std::string& executable);
    void place(std::size_t file);
    known_object& ask(std::size_t object);
    void warn(object_file& file, file_state found);
    [[nodiscard]] std::size_t file_at(std::uint64_t address) const noexcept;
    function_id find(std::uint64_t address);
    function_id number(std::size_t object, std::uint64_t begin, std::string_view symbol);
    void name(known_function& which);
};

void code_map::state::add(std::size_t file, const std::string& executable) {
    const trace::code_file& loaded = files[file];
    object_file::identity identity{loaded.path.empty() ? executable : loaded.path, loaded.build_id,
                                   loaded.begin - loaded.load_address, loaded.end - loaded.load_address};
    const auto same = std::find_if(objects.begin(), objects.end(), [&](const known_object& each) {
        return each.file->recorded() == identity;
    });
    object_of_file.push_back(static_cast<std::size_t>(same - objects.begin()));
    if (same == objects.end()) {
        known_object made;
        made.name = name_of(identity);
        made.is_system_page = is_system_page(identity.path);
        made.file = std::make_unique<object_file>(std::move(identity));
        objects.push_back(std::move(made));
    }
}

/// Effects: gives the file its addresses. Where one was unloaded and another one came to its place, the later one has them.
void code_map::state::place(std::size_t file) {
    const trace::code_file& loaded = files[file];
    if (loaded.begin >= loaded.end) {
        return;
    }
    const auto first =
        std::find_if(spans.begin(), spans.end(), [&](const span& each) { return each.end > loaded.begin; });
    auto last = first;
    for (; last != spans.end() && last->begin < loaded.end; ++last) {
        if (object_of_file[last->file] != object_of_file[file]) {
            warnings.push_back(
                objects[object_of_file[last->file]].name + " was unloaded, and " +
                objects[object_of_file[file]].name +
                " was loaded to its addresses: functions of the first may have names of the second.");
        }
    }
    const auto where = spans.erase(first, last);
    spans.insert(where, {loaded.begin, loaded.end, file});
}

std::size_t code_map::state::file_at(std::uint64_t address) const noexcept {
    const auto next = std::upper_bound(spans.begin(), spans.end(), address,
                                       [](std::uint64_t a, const span& each) { return a < each.begin; });
    if (next == spans.begin() || address >= (next - 1)->end) {
        return files.size();
    }
    return (next - 1)->file;
}

/// Effects: opens the file. Warns of it, once.
code_map::state::known_object& code_map::state::ask(std::size_t object) {
    known_object& known = objects[object];
    if (!std::exchange(known.was_asked, true) && !known.is_system_page) {
        warn(*known.file, known.file->state());
    }
    return known;
}

void code_map::state::warn(object_file& file, file_state found) {
    const object_file::identity& recorded = file.recorded();
    const std::string id = recorded.build_id.empty() ? "" : " with build-id " + hex_digits(recorded.build_id);
    const bool has_path = !recorded.path.empty();
    const std::string name = has_path ? recorded.path : "A file" + id;
    switch (found) {
    case file_state::readable:
        return;
    case file_state::missing:
        warnings.push_back(name + " is not on this machine: its functions have no names. Install " +
                           (has_path ? "the file" + id : "it") + " or its debug symbols.");
        return;
    case file_state::changed:
        warnings.push_back(name +
                           " was changed after the recording: its functions have no names. Record again, or "
                           "bring back the file" +
                           id + ".");
        return;
    case file_state::unreadable:
        warnings.push_back(name + " cannot be read as an ELF file: its functions have no names.");
        return;
    }
}

function_id code_map::state::number(std::size_t object, std::uint64_t begin, std::string_view symbol) {
    const auto [place, is_new] =
        by_begin.try_emplace({object, begin}, static_cast<function_id>(functions.size()));
    if (is_new) {
        functions.emplace_back();
        functions.back().symbol = symbol;
        functions.back().object = object;
        functions.back().begin = begin;
    }
    return place->second;
}

function_id code_map::state::find(std::uint64_t address) {
    if (address == 0) {
        return number(special_code, 0, "levels left out");
    }
    const std::size_t file = file_at(address);
    if (file == files.size()) {
        return number(special_code, 1, "unknown code");
    }
    const std::size_t object = object_of_file[file];
    known_object& known = ask(object);
    if (known.is_system_page) {
        return number(object, 0, "[vdso]");
    }
    const std::uint64_t in_file = address - files[file].load_address;
    const object_file::code_function found = known.file->function_at(in_file);
    return number(object, found.known ? found.begin : in_file, found.symbol);
}

void code_map::state::name(known_function& which) {
    if (!which.about.name.empty()) {
        return;
    }
    if (which.object < objects.size()) {
        which.about.object = objects[which.object].name;
    }
    if (which.symbol.empty()) {
        which.about.name = which.about.object + '+' + hex_number(which.begin);
        which.about.short_name = which.about.name;
    } else {
        which.about.name = demangled(which.symbol);
        which.about.short_name = which.object < objects.size() && !objects[which.object].is_system_page
                                     ? short_form(which.about.name)
                                     : which.about.name;
    }
}

code_map::code_map(std::span<const trace::code_file> files, std::string executable)
    : state_(std::make_unique<state>()) {
    state_->files = files;
    std::vector<std::size_t> order;
    for (std::size_t each = 0; each < files.size(); ++each) {
        state_->add(each, executable);
        order.push_back(each);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
        return files[one].first_ticks < files[other].first_ticks;
    });
    for (const std::size_t each : order) {
        state_->place(each);
    }
}

code_map::~code_map() = default;

function_id code_map::function_at(std::uint64_t instruction_address) {
    const auto known = state_->by_address.find(instruction_address);
    if (known != state_->by_address.end()) {
        return known->second;
    }
    const function_id found = state_->find(instruction_address);
    state_->by_address.emplace(instruction_address, found);
    return found;
}

const function& code_map::at(function_id which) {
    state::known_function& known = state_->functions[which];
    state_->name(known);
    if (!std::exchange(known.is_located, true) && known.object < state_->objects.size()) {
        state::known_object& object = state_->objects[known.object];
        if (!object.is_system_page && object.file->state() == file_state::readable) {
            source_place where = object.file->lines().declaration_of(known.begin);
            known.about.file = std::move(where.file);
            known.about.line = where.line;
        }
    }
    return known.about;
}

const std::string& code_map::short_name(function_id which) {
    state::known_function& known = state_->functions[which];
    state_->name(known);
    return known.about.short_name;
}

std::vector<place> code_map::places(std::uint64_t instruction_address) {
    state::known_function& known = state_->functions[function_at(instruction_address)];
    state_->name(known);
    std::vector<place> found;
    const std::size_t file = file_at(instruction_address);
    if (known.object < state_->objects.size() && file < state_->files.size()) {
        state::known_object& object = state_->objects[known.object];
        if (!object.is_system_page && object.file->state() == file_state::readable) {
            for (source_place& each :
                 object.file->lines().at(instruction_address - state_->files[file].load_address)) {
                place made{demangled(each.symbol), {}, std::move(each.file), each.line, each.inlined};
                made.short_name = short_form(made.name);
                found.push_back(std::move(made));
            }
        }
    }
    if (found.empty()) {
        found.emplace_back();
    }
    // The symbol's name is the whole one; some names in DWARF have no scope.
    found.back().name = known.about.name;
    found.back().short_name = known.about.short_name;
    return found;
}

bool code_map::is_allocator_layer(function_id which) {
    state::known_function& known = state_->functions[which];
    if (known.allocates == state::answer::unknown) {
        known.allocates = names_allocator_layer(short_name(which)) ? state::answer::yes : state::answer::no;
    }
    return known.allocates == state::answer::yes;
}

bool code_map::is_standard_library(function_id which) {
    return is_allocator_layer(which) || names_standard_library(short_name(which));
}

std::set<std::string> code_map::names_with(std::string_view text) {
    std::set<std::string> names;
    for (std::size_t each = 0; each < state_->objects.size(); ++each) {
        state::known_object& known = state_->ask(each);
        if (!known.is_system_page) {
            for (const std::string& symbol : known.file->symbols_containing(text)) {
                names.insert(demangled(symbol));
            }
        }
    }
    return names;
}

std::size_t code_map::functions() const noexcept {
    return state_->functions.size();
}

loaded_object code_map::object(std::size_t file) {
    state::known_object& known = state_->ask(state_->object_of_file[file]);
    const bool is_readable = !known.is_system_page && known.file->state() == file_state::readable;
    return {known.name, known.file->path(), is_readable, is_readable && known.file->lines().are_there()};
}

std::size_t code_map::file_at(std::uint64_t address) const noexcept {
    return state_->file_at(address);
}

const std::vector<std::string>& code_map::warnings() const noexcept {
    return state_->warnings;
}

} // namespace mallard::advisor

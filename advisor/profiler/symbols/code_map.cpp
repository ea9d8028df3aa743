#include "profiler/symbols/code_map.hpp"

#include "profiler/symbols/function_name.hpp"
#include "profiler/symbols/hexadecimal.hpp"
#include "profiler/symbols/object_file.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace mallard::advisor {

namespace {

constexpr std::size_t no_object = ~std::size_t{0};
constexpr std::size_t synthetic_code = no_object - 1; ///< code that is in no file

bool is_system_page(std::string_view path) noexcept {
    return path.starts_with("linux-vdso") || path.starts_with("linux-gate") || path == "[vdso]";
}

std::string display_name(const object_file::identity& file) {
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
        bool was_opened = false;
    };
    /// A range of the address space, and the file that was loaded there.
    struct span {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::size_t file = 0;
    };
    enum class answer : std::uint8_t { unknown, no, yes };
    struct known_function {
        function about;
        std::string_view
            symbol; ///< without a symbol `about` has the name: the function is inlined everywhere
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
    /// By object and `inlined_function::identity`, and by object and declaration.
    std::map<std::pair<std::size_t, const void*>, function_id> by_identity;
    std::map<std::tuple<std::size_t, std::string, std::string, unsigned>, function_id> by_declaration;
    std::unordered_map<std::uint64_t, std::vector<inlined_place>> inlined_by_address;
    std::unordered_map<std::uint64_t, function_id> by_address;
    std::vector<std::string> warnings;

    void add(std::size_t file, const std::string& executable);
    void place(std::size_t file);
    known_object& open_object(std::size_t object);
    void warn(object_file& file, file_state state);
    [[nodiscard]] std::size_t file_at(std::uint64_t address) const noexcept;
    function_id find(std::uint64_t address);
    function_id number(std::size_t object, std::uint64_t begin, std::string_view symbol);
    /// Returns: the file of the address, if it is readable; else null.
    object_file* readable_file(std::uint64_t address);
    function_id number_inlined(object_file& file, std::size_t object, std::uint64_t in_file,
                               std::size_t index);
    void name(known_function& function);
};

void code_map::state::add(std::size_t file, const std::string& executable) {
    const trace::code_file& loaded = files[file];
    object_file::identity identity{loaded.path.empty() ? executable : loaded.path, loaded.build_id,
                                   loaded.begin - loaded.load_address, loaded.end - loaded.load_address};
    const auto match = std::ranges::find_if(
        objects, [&](const known_object& object) { return object.file->recorded() == identity; });
    object_of_file.push_back(static_cast<std::size_t>(match - objects.begin()));
    if (match == objects.end()) {
        known_object object;
        object.name = display_name(identity);
        object.is_system_page = is_system_page(identity.path);
        object.file = std::make_unique<object_file>(std::move(identity));
        objects.push_back(std::move(object));
    }
}

/// Effects: adds the file's address range. A file that was loaded over an unloaded one replaces it.
void code_map::state::place(std::size_t file) {
    const trace::code_file& loaded = files[file];
    if (loaded.begin >= loaded.end) {
        return;
    }
    const auto first =
        std::ranges::find_if(spans, [&](const span& existing) { return existing.end > loaded.begin; });
    auto last = first;
    for (; last != spans.end() && last->begin < loaded.end; ++last) {
        if (object_of_file[last->file] != object_of_file[file]) {
            warnings.push_back(
                objects[object_of_file[last->file]].name + " was unloaded, and " +
                objects[object_of_file[file]].name +
                " was loaded to its addresses: functions of the first may have names of the second.");
        }
    }
    const auto position = spans.erase(first, last);
    spans.insert(position, {loaded.begin, loaded.end, file});
}

std::size_t code_map::state::file_at(std::uint64_t address) const noexcept {
    const auto next = std::ranges::upper_bound(spans, address, {}, &span::begin);
    if (next == spans.begin() || address >= (next - 1)->end) {
        return files.size();
    }
    return (next - 1)->file;
}

/// Effects: opens the file, and warns about it once.
code_map::state::known_object& code_map::state::open_object(std::size_t object) {
    known_object& known = objects[object];
    if (!std::exchange(known.was_opened, true) && !known.is_system_page) {
        warn(*known.file, known.file->state());
    }
    return known;
}

void code_map::state::warn(object_file& file, file_state on_disk) {
    const object_file::identity& recorded = file.recorded();
    const std::string id = recorded.build_id.empty() ? "" : " with build-id " + hex_digits(recorded.build_id);
    const bool has_path = !recorded.path.empty();
    const std::string name = has_path ? recorded.path : "A file" + id;
    switch (on_disk) {
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
    const auto [entry, is_new] =
        by_begin.try_emplace({object, begin}, static_cast<function_id>(functions.size()));
    if (is_new) {
        functions.emplace_back();
        functions.back().symbol = symbol;
        functions.back().object = object;
        functions.back().begin = begin;
    }
    return entry->second;
}

function_id code_map::state::find(std::uint64_t address) {
    if (address == 0) {
        return number(synthetic_code, 0, "levels left out");
    }
    const std::size_t file = file_at(address);
    if (file == files.size()) {
        return number(synthetic_code, 1, "unknown code");
    }
    const std::size_t object = object_of_file[file];
    known_object& known = open_object(object);
    if (known.is_system_page) {
        return number(object, 0, "[vdso]");
    }
    const std::uint64_t in_file = address - files[file].load_address;
    const object_file::code_function match = known.file->function_at(in_file);
    return number(object, match.known ? match.begin : in_file, match.symbol);
}

void code_map::state::name(known_function& function) {
    if (!function.about.name.empty()) {
        return;
    }
    if (function.object < objects.size()) {
        function.about.object = objects[function.object].name;
    }
    if (function.symbol.empty()) {
        function.about.name = function.about.object + '+' + hex_number(function.begin);
        function.about.short_name = function.about.name;
    } else {
        function.about.name = demangled(function.symbol);
        function.about.short_name =
            function.object < objects.size() && !objects[function.object].is_system_page
                ? short_form(function.about.name)
                : function.about.name;
    }
}

object_file* code_map::state::readable_file(std::uint64_t address) {
    const std::size_t file = address == 0 ? files.size() : file_at(address);
    if (file == files.size()) {
        return nullptr;
    }
    const known_object& known = open_object(object_of_file[file]);
    return !known.is_system_page && known.file->state() == file_state::readable ? known.file.get() : nullptr;
}

function_id code_map::state::number_inlined(object_file& file, std::size_t object, std::uint64_t in_file,
                                            std::size_t index) {
    if (const auto compiled = file.compiled_copy(in_file, index); compiled.known) {
        return number(object, compiled.begin, compiled.symbol);
    }
    source_place declared = file.lines().inlined_declaration(in_file, index);
    const auto [entry, is_new] =
        by_declaration.try_emplace(std::tuple(object, declared.symbol, declared.file, declared.line),
                                   static_cast<function_id>(functions.size()));
    if (is_new) {
        known_function& added = functions.emplace_back();
        added.object = object;
        added.is_located = true;
        added.about = {
            demangled(declared.symbol), {}, objects[object].name, std::move(declared.file), declared.line};
        added.about.short_name = short_form(added.about.name);
    }
    return entry->second;
}

code_map::code_map(std::span<const trace::code_file> files, const std::string& executable)
    : state_(std::make_unique<state>()) {
    state_->files = files;
    std::vector<std::size_t> order;
    for (std::size_t index = 0; index < files.size(); ++index) {
        state_->add(index, executable);
        order.push_back(index);
    }
    std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
        return files[left].first_ticks < files[right].first_ticks;
    });
    for (const std::size_t index : order) {
        state_->place(index);
    }
}

code_map::~code_map() = default;

function_id code_map::function_at(std::uint64_t instruction_address) {
    const auto known = state_->by_address.find(instruction_address);
    if (known != state_->by_address.end()) {
        return known->second;
    }
    const function_id id = state_->find(instruction_address);
    state_->by_address.emplace(instruction_address, id);
    return id;
}

const function& code_map::at(function_id id) {
    state::known_function& known = state_->functions[id];
    state_->name(known);
    if (!std::exchange(known.is_located, true) && known.object < state_->objects.size()) {
        state::known_object& object = state_->objects[known.object];
        if (!object.is_system_page && object.file->state() == file_state::readable) {
            source_place declaration = object.file->lines().declaration(known.begin);
            known.about.file = std::move(declaration.file);
            known.about.line = declaration.line;
        }
    }
    return known.about;
}

const std::string& code_map::short_name(function_id id) {
    state::known_function& known = state_->functions[id];
    state_->name(known);
    return known.about.short_name;
}

std::vector<place> code_map::places(std::uint64_t instruction_address) {
    state::known_function& known = state_->functions[function_at(instruction_address)];
    state_->name(known);
    std::vector<place> places;
    const std::size_t file = file_at(instruction_address);
    if (known.object < state_->objects.size() && file < state_->files.size()) {
        state::known_object& object = state_->objects[known.object];
        if (!object.is_system_page && object.file->state() == file_state::readable) {
            for (source_place& source :
                 object.file->lines().at(instruction_address - state_->files[file].load_address)) {
                place function{
                    demangled(source.symbol), {}, std::move(source.file), source.line, source.inlined};
                function.short_name = short_form(function.name);
                places.push_back(std::move(function));
            }
        }
    }
    if (places.empty()) {
        places.emplace_back();
    }
    // Symbols have qualified names; some names in DWARF lack their scope.
    places.back().name = known.about.name;
    places.back().short_name = known.about.short_name;
    return places;
}

const std::vector<inlined_place>& code_map::inlined(std::uint64_t instruction_address) {
    const auto [entry, is_new] = state_->inlined_by_address.try_emplace(instruction_address);
    object_file* const file = is_new ? state_->readable_file(instruction_address) : nullptr;
    if (file == nullptr) {
        return entry->second;
    }
    const std::size_t loaded = state_->file_at(instruction_address);
    const std::size_t object = state_->object_of_file[loaded];
    const std::uint64_t load_address = state_->files[loaded].load_address;
    const std::uint64_t in_file = instruction_address - load_address;
    const std::vector<inlined_function> matches = file->lines().inlined_at(in_file);
    for (std::size_t index = 0; index < matches.size(); ++index) {
        const auto [known, is_new_function] =
            state_->by_identity.try_emplace({object, matches[index].identity}, 0);
        if (is_new_function) {
            known->second = state_->number_inlined(*file, object, in_file, index);
        }
        if (!is_standard_library(known->second)) {
            entry->second.push_back({known->second, index + 1, matches[index].begin + load_address});
        }
    }
    return entry->second;
}

std::vector<code_span> code_map::inlined_code(std::uint64_t instruction_address, std::size_t index) {
    std::vector<code_span> ranges;
    if (object_file* const file = state_->readable_file(instruction_address); file != nullptr && index > 0) {
        const std::uint64_t load_address = state_->files[state_->file_at(instruction_address)].load_address;
        ranges = file->lines().inlined_code(instruction_address - load_address, index - 1);
        for (code_span& range : ranges) {
            range.begin += load_address;
            range.end += load_address;
        }
    }
    return ranges;
}

bool code_map::is_allocator_layer(function_id id) {
    state::known_function& known = state_->functions[id];
    if (known.allocates == state::answer::unknown) {
        known.allocates = names_allocator_layer(short_name(id)) ? state::answer::yes : state::answer::no;
    }
    return known.allocates == state::answer::yes;
}

bool code_map::is_standard_library(function_id id) {
    return is_allocator_layer(id) || names_standard_library(short_name(id));
}

std::set<std::string> code_map::names_containing(std::string_view text) {
    std::set<std::string> names;
    for (std::size_t index = 0; index < state_->objects.size(); ++index) {
        state::known_object& known = state_->open_object(index);
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
    state::known_object& known = state_->open_object(state_->object_of_file[file]);
    const bool is_readable = !known.is_system_page && known.file->state() == file_state::readable;
    return {known.name, known.file->path(), is_readable, is_readable && known.file->lines().has_dwarf()};
}

std::size_t code_map::file_at(std::uint64_t address) const noexcept {
    return state_->file_at(address);
}

const std::vector<std::string>& code_map::warnings() const noexcept {
    return state_->warnings;
}

} // namespace mallard::advisor

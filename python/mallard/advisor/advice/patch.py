"""Patches for patterns whose remedy is a statement in the function of their line: `reserve` and `reuse`.

    reserve   `points.reserve(1024);` before the loop that fills a local vector or string
    reuse     a local buffer keeps its memory: declared before its loop, or swapped with one of the thread

The source is read as text (cpp_text.py). A patch is written only if the text shows that the change keeps the
program's meaning; else there is a reason for having none. Figures are those of the recording.
"""

from __future__ import annotations

import difflib
import itertools
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mallard.advisor.advice.candidates import short_source
from mallard.advisor.advice.cpp_text import IS_NAME, LOOPS, CppText, Statement
from mallard.advisor.advice.patterns import Pattern, container, find_growth
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Site
from mallard.shared.atomic_file import write_atomically
from mallard.shared.report.figures import plural

PATCHED = ("reserve", "reuse")  # kinds of patterns
FIT = 0.99  # of the containers, in what is reserved
MOST_TIMES_MEDIAN = 4  # reserved; more is memory that most containers do not need
VECTOR, STRING = "std::vector", "std::string"
APPENDS = {VECTOR: ("push_back", "emplace_back"), STRING: ("push_back", "append")}
FILLS = ("resize", "assign", "push_back", "emplace_back", "append", "insert", "reserve")
READS = ("size", "length", "empty", "back", "front", "begin", "end", "data", "at", "c_str", "pop_back")
BEGINS_STATEMENT = (";", "{", "}", ")", "else", "do")
# Before an append, which may then not happen: an empty container must not get memory.
CONDITIONAL = {"if", "switch", "?", "continue", "break", "return", "goto", "try", "throw"}
UNLIKE_FRESH = ("capacity", "shrink_to_fit", "swap")
SIZES = {
    **dict.fromkeys(("char", "signed char", "unsigned char", "std::byte", "std::uint8_t", "uint8_t"), 1),
    **dict.fromkeys(("short", "unsigned short", "std::uint16_t", "std::int16_t"), 2),
    **dict.fromkeys(("int", "unsigned", "unsigned int", "float", "std::uint32_t", "std::int32_t"), 4),
    **dict.fromkeys(("double", "long long", "unsigned long long", "std::uint64_t", "std::int64_t"), 8),
}
# Elements whose end nobody sees, so that they may wait for the next call.
PLAIN = (*SIZES, "long", "unsigned long", "std::size_t", "size_t")
INTEGERS = ("int", "unsigned", "long", "short", "size_t", "uint32_t", "uint64_t", "int32_t", "int64_t")
SIZE_WORDS = ("std", "::", "size_t", "static_cast", "sizeof", *"(){}<>+-*/%")
AFTER_MAIN = re.compile(r"^(?:exit|_exit|__run_exit_handlers|__cxa_finalize|_dl_fini|__call_tls_dtors)\b")


class NoPatchError(Exception):
    """The text is the reason."""


@dataclass(frozen=True)
class Edit:
    """Text instead of a region of a file. Lines and columns count from 1; the end is behind the region."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    begin: int  # the same region, in characters of the file
    end: int


@dataclass(frozen=True)
class Patch:
    kind: str
    source: str  # FILE:LINE of the pattern
    statement: str  # for display: what it adds
    file: str  # relative to the current folder
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Patches:
    patches: tuple[Patch, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()  # the source of a pattern, and the reason for having no patch
    diff: str = ""  # unified, for `git apply` and `patch -p1`

    def find(self, pattern: Pattern) -> Patch | None:
        wanted = pattern.kind, pattern.source
        return next((patch for patch in self.patches if (patch.kind, patch.source) == wanted), None)


NO_PATCHES = Patches()


@dataclass(frozen=True)
class Declaration:
    """`std::vector<T> NAME;` or `std::vector<T> NAME(ARGUMENTS);` directly in a block."""

    name: str
    container: str
    element: str
    type_text: str
    arguments: tuple[str, ...]  # as written
    argument_tokens: range
    block: int  # the opening brace
    statement: Statement


@dataclass
class Sources:
    """The files of a folder that have been read."""

    folder: Path
    texts: dict[Path, CppText] = field(default_factory=dict)

    def find(self, name: str | None, program: str | None) -> Path:
        """Reads a file that is older than the program. Raises a NoPatchError."""
        if not name or not program:
            raise NoPatchError("the program has no debug information for it (compile with -g)")
        file = (self.folder / name).resolve()
        try:
            status, built = file.stat(), Path(program).stat().st_mtime
            content = file.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        except OSError as error:
            raise NoPatchError(f"{error.filename}: {error.strerror}") from None
        if not file.is_relative_to(self.folder):
            raise NoPatchError(f"{name} is not below the current folder; call mallard where the sources are")
        if status.st_mtime > built:
            raise NoPatchError(f"{name} was changed after the program was built; build it again")
        if not str(file).isprintable() or '"' in str(file) or "\\" in str(file):
            raise NoPatchError("a patch cannot have such a file name")
        try:
            self.texts.setdefault(file, CppText(content.decode("utf-8")))
        except UnicodeDecodeError:
            raise NoPatchError(f"{name} is not UTF-8") from None
        return file

    def name(self, file: Path) -> str:
        return file.relative_to(self.folder).as_posix()


def find_patches(profile: Profile, patterns: Sequence[Pattern], folder: Path) -> Patches:
    """Of the patterns with sources in this folder, which are older than the program."""
    sources = Sources(folder.resolve())
    patches: list[Patch] = []
    refused: list[tuple[str, str]] = []
    for pattern in patterns:
        try:
            if patch := _patch_for(profile, pattern, sources):
                edits = [edit for other in patches if other.file == patch.file for edit in other.edits]
                if any(edit in edits for edit in patch.edits):
                    continue  # another line fills the same container
                if any(_overlap(edit, other) for edit in patch.edits for other in edits):
                    raise NoPatchError("another patch changes the same statement")
                patches.append(patch)
        except NoPatchError as error:
            refused.append((pattern.source, str(error)))
    diffs = (_diff(sources.name(file), text.text, patches) for file, text in sources.texts.items())
    return Patches(tuple(patches), tuple(refused), "".join(diffs))


def _patch_for(profile: Profile, pattern: Pattern, sources: Sources) -> Patch | None:
    """None for a pattern with another remedy, or of a library without sources. Raises a NoPatchError."""
    names = Names(profile)
    sites = [site for site in profile.sites if names.place_source(site.place) == pattern.source]
    growers = {grower for site in sites if (grower := find_growth(names, site)[0])}
    if not (growers if pattern.kind == "reserve" else sites and pattern.kind == "reuse"):
        return None
    place = names.place(sites[0].place)
    program = names.function(place.function).object
    if not place.file and program != profile.process.executable:
        return None
    file = sources.find(place.file, program)
    text, line = sources.texts[file], place.line or 0
    if pattern.kind == "reserve":
        statement, edits = _reserve(text, profile, place.file, line, growers)
    else:
        _refuse_calls_after_main(names, sites)
        statement, edits = _reuse(text, line)
    return Patch(pattern.kind, pattern.source, statement, sources.name(file), tuple(edits))


def write_patch(patches: Patches, file: Path) -> str:
    """Writes the diff. Returns a sentence about it, also if there is nothing to write."""
    if not patches.diff:
        reasons = "".join(f"; {short_source(source)}: {reason}" for source, reason in patches.refused)
        return f"{file} was not written: no remedy is a statement that can be added safely{reasons}"
    write_atomically(file, patches.diff, "--patch")
    changes = plural(len(patches.patches), "change")
    return f"{file}: {changes}; apply it with: git apply {shlex.quote(str(file))}"


def _refuse_calls_after_main(names: Names, sites: Sequence[Site]) -> None:
    places = (place for site in sites for stack in site.stacks for place in names.stack(stack.stack))
    if any(AFTER_MAIN.match(names.place_function(place)) for place in places if place is not None):
        raise NoPatchError("it is called when the program ends, where a kept buffer is gone")


# ---- reserve


def _reserve(
    text: CppText, profile: Profile, file: str | None, line: int, growers: set[str]
) -> tuple[str, list[Edit]]:
    names = Names(profile)
    kind = container(next(iter(growers)))
    if kind not in APPENDS or len(growers) != 1:
        raise NoPatchError("only one std::vector or std::string on a line is recognised")
    place = _filled_on(text, line, APPENDS[kind])
    declaration = _declared(text, place)
    if declaration.container != kind or declaration.arguments:
        raise NoPatchError(f"{declaration.name} is not declared as an empty {kind}")
    first = _first_use(text, declaration)
    if not first.first <= place <= first.last:
        raise NoPatchError(f"{declaration.name} is used before")
    is_loop = text.tokens[first.first].text in LOOPS
    if (not is_loop and first.first != place) or CONDITIONAL & set(text.words(first.first, place)):
        raise NoPatchError(f"{declaration.name} is not filled in every case")
    lines = set()
    for mention in _mentions(text, declaration.name, range(first.first, first.last + 1)):
        if _fills(text, mention, APPENDS[kind]):
            lines.add(text.position(text.tokens[mention].begin)[0])
        elif not _reads(text, mention):
            raise NoPatchError(f"the loop does more with {declaration.name} than append")
    sites = [
        site
        for site in profile.sites
        if (at := names.place(site.place)).file == file
        and at.line in lines
        and find_growth(names, site)[0] in growers
    ]
    statement = f"{declaration.name}.reserve({_final_count(sites, declaration)});"
    return statement, [_insert(text, first.first, [statement])]


def _filled_on(text: CppText, line: int, members: Sequence[str]) -> int:
    """The name of the container to which the line appends."""
    places = [place for place in text.on_line(line) if _fills(text, place, members)]
    if len(places) != 1 or text.tokens[places[0] - 1].text not in BEGINS_STATEMENT:
        raise NoPatchError("the line does not append to one container by its name")
    return places[0]


def _fills(text: CppText, place: int, members: Sequence[str]) -> bool:
    if not IS_NAME.fullmatch(text.tokens[place].text):
        return False
    behind = text.words(place + 1, place + 3)
    is_string = "append" in members and behind[:1] == ["+="]
    return is_string or (len(behind) == 3 and behind[::2] == [".", "("] and behind[1] in members)


def _reads(text: CppText, place: int) -> bool:
    behind = text.words(place + 1, place + 2)
    return behind[0] == "[" or (behind[0] == "." and behind[1] in READS)


def _mentions(text: CppText, name: str, places: Iterable[int]) -> Iterator[int]:
    return (place for place in places if text.tokens[place].text == name)


def _first_use(text: CppText, declaration: Declaration) -> Statement:
    for statement in text.statements(declaration.block):
        places = range(statement.first, statement.last + 1)
        if statement.first > declaration.statement.last and any(_mentions(text, declaration.name, places)):
            return statement
    raise NoPatchError(f"{declaration.name} is not used behind its declaration")


def _final_count(sites: Sequence[Site], declaration: Declaration) -> int:
    """The elements for which 99 of 100 of the containers had room at last, by the sizes of their blocks. A
    vector that begins empty has room for one element first, and each block is twice the one before.
    """
    rows: dict[int, tuple[int, int]] = {}
    for site in sites:
        if (site.figures.size_classes or 0) > len(site.figures.sizes):
            raise NoPatchError("its blocks have too many sizes")
        for most, blocks, bytes_ in site.figures.sizes:
            previous = rows.get(most, (0, 0))
            rows[most] = previous[0] + blocks, previous[1] + bytes_
    if declaration.container == STRING:
        largest = max(site.figures.largest or 0 for site in sites)
        containers = max(*(blocks for blocks, _ in rows.values()), *(site.returns or 0 for site in sites))
        finals = [(min(most, largest) - 1, blocks) for most, (blocks, _) in sorted(rows.items())]
        return _fitting(finals, containers, passes_all=False)
    element = SIZES.get(declaration.element, 0)
    smallest = min(site.figures.smallest or 0 for site in sites)
    if declaration.element == "bool" or smallest == 0 or smallest != (element or smallest):
        raise NoPatchError("the size of its elements is not known")
    # Classes below 8 bytes hold blocks of several sizes.
    exact = {most: row for most, row in rows.items() if most > 8 or smallest == 8}
    finals = [(bytes_ // (blocks * smallest), blocks) for _, (blocks, bytes_) in sorted(exact.items())]
    doubles = all(
        bytes_ == blocks * smallest * count and count & (count - 1) == 0
        for (count, _), (_, (blocks, bytes_)) in zip(finals, sorted(exact.items()), strict=True)
    )
    falls = all(first[1] >= second[1] for first, second in itertools.pairwise(finals))
    if not finals or not doubles or not falls:
        raise NoPatchError("its blocks do not double from one element on")
    return _fitting(finals, finals[0][1], passes_all=True)


def _fitting(finals: Sequence[tuple[int, int]], containers: int, *, passes_all: bool) -> int:
    """`finals`: elements, and the blocks with room for them. A vector that has one of the blocks has had all
    smaller ones.
    """

    def fits(part: float) -> int:
        larger = 0
        for count, blocks in reversed(finals):
            larger = max(larger, blocks) if passes_all else larger + blocks
            if larger > (1 - part) * containers:
                return count
        return finals[0][0]

    if fits(FIT) > MOST_TIMES_MEDIAN * fits(0.5):
        raise NoPatchError(f"the lengths differ too much: half end within {fits(0.5)}, 99 % in {fits(FIT)}")
    return fits(FIT)


# ---- declarations


def _declared(text: CppText, place: int) -> Declaration:
    """The declaration of the name at this place, in a block around it."""
    name = text.tokens[place].text
    for opening in text.enclosing_blocks(place):
        before = [statement for statement in text.statements(opening) if statement.last < place]
        for statement in reversed(before):
            declaration = _declaration(text, opening, statement)
            if declaration and declaration.name == name:
                _refuse_directives(text, opening)
                return declaration
        if not text.control(opening):
            break
    raise NoPatchError(f"{name} is not a local std::vector or std::string of the function")


def _declaration(text: CppText, opening: int, statement: Statement) -> Declaration | None:
    first, last = statement.first, statement.last
    kind = "".join(text.words(first, first + 2))
    place, element = first + 3, "char"
    if kind == VECTOR and text.tokens[place].text == "<":
        depth, begin = 1, place + 1
        while depth and place < last:
            place += 1
            depth += {"<": 1, ">": -1}.get(text.tokens[place].text, 0)
        words = text.words(begin, place - 1)
        if depth or "(" in words or "," in words:
            return None
        element = " ".join(words).replace(" :: ", "::")
        place += 1
    elif kind != STRING:
        return None
    name, behind = text.tokens[place].text, text.words(place + 1, last)
    if not IS_NAME.fullmatch(name):
        return None
    arguments: tuple[str, ...] = ()
    inside = range(place + 2, last - 1)
    if behind[:1] == ["("] and text.mates.get(place + 1) == last - 1 and inside:
        arguments = _arguments(text, inside)
    elif behind not in ([";"], ["{", "}", ";"]):
        return None
    type_text = text.text[text.tokens[first].begin : text.tokens[place - 1].end]
    return Declaration(name, kind, element, type_text, arguments, inside, opening, statement)


def _arguments(text: CppText, inside: range) -> tuple[str, ...]:
    commas, place = [], inside.start
    while place < inside.stop:
        if text.tokens[place].text == ",":
            commas.append(place)
        place = max(place, text.mates.get(place, place)) + 1
    begins, ends = [inside.start, *(place + 1 for place in commas)], [*commas, inside.stop]
    return tuple(
        text.text[text.tokens[begin].begin : text.tokens[end - 1].end]
        for begin, end in zip(begins, ends, strict=True)
        if begin < end
    )


def _function(text: CppText, opening: int) -> int:
    """The outermost brace of the function around a block."""
    return next((block for block in (opening, *text.enclosing_blocks(opening)) if not text.control(block)), 0)


def _refuse_directives(text: CppText, opening: int) -> None:
    function = _function(text, opening)
    if function not in text.mates or "#" in text.words(function, text.mates[function]):
        raise NoPatchError("its function has preprocessor directives")


# ---- reuse


def _reuse(text: CppText, line: int) -> tuple[str, list[Edit]]:
    declaration = _made_on(text, line)
    name, block = declaration.name, declaration.block
    if declaration.element not in PLAIN:
        raise NoPatchError(f"elements of type {declaration.element} may own something")
    filled = _fill(text, declaration)
    end = text.mates[block]
    for place in _mentions(text, name, range(declaration.statement.last + 1, end)):
        before, behind = text.words(place - 2, place - 1), text.words(place + 1, place + 2)
        is_whole = behind[0] not in (".", "[")
        if (before[1] == "return" and is_whole) or before == ["move", "("]:
            raise NoPatchError(f"{name} is moved or returned")
        if behind[0] == "." and behind[1] in UNLIKE_FRESH:
            raise NoPatchError(f"{name}.{behind[1]}() would tell it from a new one")
    if text.control(block) in LOOPS:
        return _hoist(text, declaration, filled)
    if not text.is_function(block):
        raise NoPatchError(f"{name} is neither declared in a loop nor at the top of a function")
    return _keep(text, declaration, filled)


def _made_on(text: CppText, line: int) -> Declaration:
    """The container whose block the line makes: declared there, or filled."""
    on_line = text.on_line(line)
    for opening in text.enclosing_blocks(on_line.start) if on_line else ():
        for statement in text.statements(opening):
            if statement.first in on_line and (made := _declaration(text, opening, statement)):
                _refuse_directives(text, opening)
                return made
        break
    return _declared(text, _filled_on(text, line, FILLS))


def _fill(text: CppText, declaration: Declaration) -> list[str]:
    """Statements that make the kept container what the declaration made."""
    name, arguments = declaration.name, declaration.arguments
    if not arguments:
        return [f"{name}.clear();"]
    separator = next((place for place in declaration.argument_tokens if text.tokens[place].text == ","), None)
    size = range(declaration.argument_tokens.start, separator or declaration.argument_tokens.stop)
    if len(arguments) > 2 or not _is_integer(text, size, declaration):
        raise NoPatchError(f"the first argument of {name} may be no number of elements")
    if len(arguments) == 2:
        return [f"{name}.assign({', '.join(arguments)});"]
    if declaration.container == STRING:
        raise NoPatchError(f"{name} is a copy")
    return [f"{name}.clear();", f"{name}.resize({arguments[0]});"]


def _is_integer(text: CppText, places: range, declaration: Declaration) -> bool:
    """True of numbers, sizes of containers, and names that the function declares as integers."""
    begin = _header(text, _function(text, declaration.block))
    skipped = -1
    for place in places:
        word = text.tokens[place].text
        if place <= skipped or word in SIZE_WORDS or word[0].isdigit():
            continue
        if text.words(place + 1, place + 4) in ([".", "size", "(", ")"], [".", "length", "(", ")"]):
            skipped = place + 4
        elif not IS_NAME.fullmatch(word) or not _is_declared_as_integer(text, word, begin, place):
            return False
    return True


def _is_declared_as_integer(text: CppText, name: str, begin: int, end: int) -> bool:
    """A name behind a word is declared there."""
    declaring = [
        text.tokens[place - 1].text
        for place in _mentions(text, name, range(begin, end))
        if IS_NAME.fullmatch(text.tokens[place - 1].text) or text.tokens[place - 1].text in (">", "&")
    ]
    return bool(declaring) and all(word in INTEGERS for word in declaring if word != "return")


def _hoist(text: CppText, declaration: Declaration, filled: list[str]) -> tuple[str, list[Edit]]:
    """Declares the container before the loop."""
    name, block = declaration.name, declaration.block
    keyword = text.loop_keyword(block)
    outer = next(text.enclosing_blocks(block), 0)
    function = _function(text, block)
    first, end = _header(text, function), text.mates[function]
    if text.control(outer) == "switch" or "goto" in text.words(function, end):
        raise NoPatchError("a jump would cross its declaration")
    if not any(statement.first == keyword for statement in text.statements(outer)):
        raise NoPatchError("its loop is not a statement of a block")
    outside = (*range(first, block), *range(text.mates[block], end))
    if any(_mentions(text, name, outside)):
        raise NoPatchError(f"{name} is a name outside of the loop, too")
    statement = f"{declaration.type_text} {name};"
    return f"{statement} before the loop", [
        _insert(text, keyword, [statement]),
        _instead(text, declaration, filled),
    ]


def _keep(text: CppText, declaration: Declaration, filled: list[str]) -> tuple[str, list[Edit]]:
    """Swaps the container with one that the thread keeps, and back where the container would end: behind the
    ends of all objects that may refer to it. A call inside of a call finds the kept one empty.
    """
    name, kind, block = declaration.name, declaration.type_text, declaration.block
    kept, keeper = f"kept_{name}", f"{name}_keeper"
    if {"constexpr", "consteval", "~"} & set(text.words(_header(text, block), block)):
        raise NoPatchError("its function may run when the program is compiled, or has ended")
    if {"co_await", "co_yield", "co_return"} & set(text.words(block, text.mates[block])):
        raise NoPatchError("its function is a coroutine")
    if any(token.text in (kept, keeper, f"keeps_{name}") for token in text.tokens):
        raise NoPatchError(f"the name {kept} is used already")
    static = f"static thread_local {kind} {kept};"
    swap_back = (
        f"struct {keeper} {{ {kind}& own; ~{keeper}() {{ {kept}.swap(own); }} }} keeps_{name}{{{name}}};"
    )
    declared = [static, f"{kind} {name};", f"{name}.swap({kept});", swap_back, *filled]
    return static, [_instead(text, declaration, declared)]


def _header(text: CppText, block: int) -> int:
    """The first token of the function whose body begins here."""
    first = block
    while first > 0 and text.tokens[first - 1].text not in (";", "{", "}", "#"):
        first -= 1
        if text.tokens[first].text in (")", "]"):
            first = text.mates.get(first, first)
    return first


# ---- edits


def _indent(text: CppText, place: int) -> str | None:
    """The space before the first token of a line; None for a later token."""
    at = text.tokens[place].begin
    before = text.text[text.text.rfind("\n", 0, at) + 1 : at]
    return None if before.strip() else before


def _ending(text: CppText, at: int) -> str:
    line_end = text.text.find("\n", at)
    if line_end < 0:
        line_end = text.text.rfind("\n")
    return "\r\n" if line_end > 0 and text.text[line_end - 1] == "\r" else "\n"


def _insert(text: CppText, place: int, statements: Sequence[str]) -> Edit:
    """Before a token, on lines before its line if that begins with the token."""
    at, own = text.tokens[place].begin, _indent(text, place)
    if own is None:
        return _edit(text, at, at, " ".join(statements) + " ")
    begin = at - len(own)
    lines = (f"{own}{statement}" for statement in statements)
    return _edit(text, begin, begin, "".join(f"{line}{_ending(text, at)}" for line in lines))


def _instead(text: CppText, declaration: Declaration, statements: Sequence[str]) -> Edit:
    first, last = declaration.statement.first, declaration.statement.last
    begin, indent = text.tokens[first].begin, _indent(text, first)
    replacement = (" " if indent is None else _ending(text, begin) + indent).join(statements)
    return _edit(text, begin, text.tokens[last].end, replacement)


def _edit(text: CppText, begin: int, end: int, replacement: str) -> Edit:
    return Edit(*text.position(begin), *text.position(end), replacement, begin, end)


def _overlap(edit: Edit, other: Edit) -> bool:
    return edit.begin < other.end and other.begin < edit.end


def _diff(file: str, text: str, patches: Sequence[Patch]) -> str:
    edits = [edit for patch in patches if patch.file == file for edit in patch.edits]
    changed = text
    for edit in sorted(edits, key=lambda edit: (edit.begin, edit.end), reverse=True):
        changed = changed[: edit.begin] + edit.text + changed[edit.end :]
    # A tab ends a name with blanks.
    tab = "\t" if " " in file else ""
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", each) for each in (text, changed))
    lines = difflib.unified_diff(before, after, f"a/{file}{tab}", f"b/{file}{tab}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )

-- The tables of a profile, which an exported database has with these comments. docs/advisor/profile_format.md lists the
-- tables, and the comments behind their names. The words in brackets say how the rows of several recordings become one row:
--   [key]       rows with the same values are one; `key by basename`: paths without their folders
--   [first]     of the heaviest row that has a value
--   [max] [min] of all rows
--   [mean by X] weighted by X
--   [same]      null unless all rows have it
--   [alone]     null unless it is the only row
--   [= X]       an expression of the sums
-- and without brackets it is the sum. In brackets behind the name of a table: [all], all rows; [peak], the rows of the
-- recording with the highest peak; [largest X], of the recording whose scope has the largest X; [none].
-- A column that REFERENCES a table has numbers of its rows in the same recording; a number that is not there is of an
-- unknown row.
--
-- Names of times end in `seconds` or `_ns...`. Bytes are requested bytes. A share is from 0 to 1. Truth is 1, and 0
-- otherwise. An unknown figure is null. `recording` is the number of a recording in `recordings`; `id` numbers the rows of one.
-- `alive` counts blocks alive at the end of the recording: `allocations` = `contained` + `escaped` + `alive`, also for bytes.
-- A realloc, even a failed one, is a free of the old block and an allocation of the new one.
-- If `completeness_scopes` is `withheld`, functions are not in `scopes`, and `iterations`, `owners` and `almost_contained` are
-- empty. Events with an incomplete stack count in figures, sites and pairs, not in scopes.
-- Without --all, long lists end after their heaviest rows, and `recordings` states how much is omitted.
-- Above 262,144 different stacks some share their sums (`warnings`): sites more than six levels from the allocation, numbers
-- and peaks of a site's stacks, timelines of scopes and the flame graph become approximate; above 524,288 also sizes, sites and
-- escapes of scopes. Figures of the process and of scopes stay exact.
-- Dimensions are `raw` as measured, `scaled` from 0 to 1. D's time is the elapsed time of the scope, times the share of its
-- threads' time in which a processor worked for the process (1 if `process_cpu_seconds` is null).
-- `diffusion` comes from censuses of all live blocks by address: when the live bytes begin to fall from a peak an eighth above
-- earlier ones, and at the end.

CREATE TABLE recordings( -- one process of each recording
    recording INTEGER PRIMARY KEY, -- from 1; of all tables
    trace_file TEXT NOT NULL, -- as on the command line [= group_concat(trace_file, ', ')]
    trace_bytes INTEGER NOT NULL, -- size of the trace
    trace_torn_bytes INTEGER NOT NULL, -- at its end that could not be read
    process_number INTEGER NOT NULL, -- process id [first]
    process_parent INTEGER, -- the parent's id [first]
    process_executable TEXT, -- path of the program; null if redacted [first]
    process_command TEXT CHECK(process_command IS NULL OR json_valid(process_command)), -- a JSON list of words, at most 100 [same]
    process_build_id TEXT, -- of the executable, hexadecimal [first]
    process_instance INTEGER NOT NULL DEFAULT 1, -- the place among the instances, by first events [= 1]
    process_instances INTEGER NOT NULL DEFAULT 1, -- processes of the same executable name with events [= 1]
    process_launcher_number INTEGER, -- of the process that started it, or became it by exec; null if not recorded [alone]
    process_launcher_executable TEXT, -- of that process [alone]
    process_launcher_command TEXT CHECK(process_launcher_command IS NULL OR json_valid(process_launcher_command)), -- a JSON list [alone]
    process_seconds REAL, -- from the first to the last event
    process_cpu_seconds REAL, -- of all its threads
    process_ticks_per_second REAL, -- of the clock of the trace [first]
    process_threads INTEGER NOT NULL, -- that allocated or freed [max]
    process_events INTEGER NOT NULL, -- allocations, frees and marks
    process_stacks TEXT NOT NULL, -- `none`, `frame pointers` or `descriptions` [first]
    process_sampled_one_in INTEGER NOT NULL, -- N: one activation in N is recorded [first]
    process_timed_one_in INTEGER, -- N: one event in N is timed [first]
    process_timed_events INTEGER, -- without the interrupted ones
    process_interrupted_events INTEGER NOT NULL DEFAULT 0, -- timed, and descheduled: longer than 250 µs and a nanosecond per byte
    process_nested_events INTEGER NOT NULL DEFAULT 0, -- inside signal handlers, not recorded
    process_forks_not_followed INTEGER NOT NULL DEFAULT 0, -- children that were not recorded
    process_programs_not_followed INTEGER NOT NULL DEFAULT 0, -- started programs that were not recorded
    process_blocks_without_end INTEGER, -- whose end the recording lacks
    process_stopped TEXT, -- `disk full`, `file full`, `asked` or `no memory`; null if the recording ended with the program [first]
    process_exit_status INTEGER, -- as wait() gives it [same]
    process_torn INTEGER NOT NULL CHECK(process_torn IN (0, 1)), -- 1 if the end of the process is missing [max]
    between_begin_seconds REAL, -- with `--between`, the part of the time that all figures are of; null without [alone]
    between_end_seconds REAL, -- its end [alone]
    between_live_at_begin_allocations INTEGER, -- blocks live at the beginning of the part [alone]
    between_live_at_begin_bytes INTEGER, -- their bytes [alone]
    between_live_at_end_allocations INTEGER, -- blocks live at its end, also earlier ones: `leaks` in `site_blocks` [alone]
    between_live_at_end_bytes INTEGER, -- their bytes [alone]
    completeness_events INTEGER NOT NULL, -- with a stack
    completeness_complete INTEGER NOT NULL, -- with a complete stack
    completeness_share REAL, -- complete / events; null without events [= sum(completeness_complete) * 1.0 / nullif(sum(completeness_events), 0)]
    completeness_by_end_outermost INTEGER NOT NULL DEFAULT 0, -- stacks that end at the outermost function
    completeness_by_end_null INTEGER NOT NULL DEFAULT 0, -- at a return address of zero
    completeness_by_end_loader INTEGER NOT NULL DEFAULT 0, -- in the loader
    completeness_by_end_unknown_code INTEGER NOT NULL DEFAULT 0, -- in code without a description
    completeness_by_end_unreadable INTEGER NOT NULL DEFAULT 0, -- in memory that cannot be read
    completeness_by_end_too_deep INTEGER NOT NULL DEFAULT 0, -- below more levels than were kept
    completeness_scopes TEXT NOT NULL CHECK(completeness_scopes IN ('shown', 'withheld')), -- `shown`, or `withheld` if the share is below 0.95 or there are no stacks: then functions are no scopes; markers remain [min]
    completeness_reason TEXT, -- a sentence if withheld [= iif(min(completeness_scopes) = 'shown', NULL, first(completeness_reason, rank))]
    foreign_frees INTEGER NOT NULL DEFAULT 0, -- of blocks whose allocation was not recorded
    foreign_double_allocations INTEGER NOT NULL DEFAULT 0, -- at the address of a live block
    markers_unmatched_ends INTEGER NOT NULL DEFAULT 0, -- of marked scopes
    markers_names_lost INTEGER NOT NULL DEFAULT 0, -- of marked scopes
    timeline_peak_bytes INTEGER, -- the highest live bytes [max]
    timeline_peak_seconds REAL, -- when they were reached [= (SELECT timeline_peak_seconds FROM main.recordings ORDER BY timeline_peak_bytes DESC, recording LIMIT 1)]
    timeline_reason TEXT, -- why `scope_timeline` is empty [= (SELECT timeline_reason FROM main.recordings ORDER BY timeline_peak_bytes DESC, recording LIMIT 1)]
    lifetimes_alive_allocations INTEGER, -- blocks alive at the end
    lifetimes_alive_bytes INTEGER, -- their bytes
    flame_pruned INTEGER NOT NULL DEFAULT 0, -- branches that `flame` omits, below 1/2000 of the root in all counts
    scopes_not_listed_scopes INTEGER NOT NULL DEFAULT 0, -- without `--all`, beyond the rows of `scopes`
    scopes_not_listed_most_allocations INTEGER, -- of one of them [max]
    sites_not_listed_sites INTEGER NOT NULL DEFAULT 0, -- beyond the rows of `sites`
    sites_not_listed_allocations INTEGER NOT NULL DEFAULT 0, -- of them
    sites_not_listed_bytes INTEGER NOT NULL DEFAULT 0, -- of them
    leaks_not_listed_sites INTEGER NOT NULL DEFAULT 0, -- beyond the rows of `site_blocks`
    leaks_not_listed_allocations INTEGER NOT NULL DEFAULT 0, -- of them
    leaks_not_listed_bytes INTEGER NOT NULL DEFAULT 0, -- of them
    temporary_not_listed_sites INTEGER NOT NULL DEFAULT 0, -- beyond the rows of `site_blocks`
    temporary_not_listed_allocations INTEGER NOT NULL DEFAULT 0, -- of them
    temporary_not_listed_bytes INTEGER NOT NULL DEFAULT 0, -- of them
    peak_not_listed_sites INTEGER NOT NULL DEFAULT 0, -- beyond the rows of `peak_sites` [= (SELECT peak_not_listed_sites FROM main.recordings ORDER BY timeline_peak_bytes DESC, recording LIMIT 1)]
    peak_not_listed_allocations INTEGER NOT NULL DEFAULT 0, -- of them [= (SELECT peak_not_listed_allocations FROM main.recordings ORDER BY timeline_peak_bytes DESC, recording LIMIT 1)]
    peak_not_listed_bytes INTEGER NOT NULL DEFAULT 0, -- of them [= (SELECT peak_not_listed_bytes FROM main.recordings ORDER BY timeline_peak_bytes DESC, recording LIMIT 1)]
    pairs_not_listed_pairs INTEGER NOT NULL DEFAULT 0, -- beyond the rows of `pairs`
    pairs_not_listed_allocations INTEGER NOT NULL DEFAULT 0, -- of them
    pairs_not_listed_bytes INTEGER NOT NULL DEFAULT 0 -- of them
) STRICT;

CREATE TABLE processes( -- all processes of the traces, at most 200 of each [all]
    recording INTEGER NOT NULL,
    number INTEGER NOT NULL, -- process id
    parent INTEGER, -- the parent's id
    executable TEXT, -- path of the program
    command TEXT CHECK(command IS NULL OR json_valid(command)), -- a JSON list of words
    seconds REAL, -- from the first to the last event
    cpu_seconds REAL, -- of all its threads
    threads INTEGER, -- that allocated or freed
    events INTEGER NOT NULL, -- allocations, frees and marks
    programs_not_followed INTEGER NOT NULL DEFAULT 0, -- started programs that were not recorded
    chosen INTEGER NOT NULL CHECK(chosen IN (0, 1)) -- 1 for the process of `recordings`
) STRICT;

CREATE TABLE warnings( -- reasons why names or figures are incomplete [all]
    recording INTEGER NOT NULL,
    text TEXT NOT NULL -- a sentence without its full stop
) STRICT;

CREATE TABLE functions( -- of stacks and scopes
    recording INTEGER NOT NULL,
    id INTEGER NOT NULL CHECK(id >= 0), -- from 0
    name TEXT NOT NULL, -- demangled if at most 16,384 letters [key]
    short_name TEXT, -- without parameters [first]
    object TEXT, -- file of the program or library [key by basename]
    file TEXT, -- source file [first]
    line INTEGER, -- in it [first]
    UNIQUE(recording, id)
) STRICT;

CREATE TABLE places( -- lines of code
    recording INTEGER NOT NULL,
    id INTEGER NOT NULL CHECK(id >= 0), -- from 0
    function INTEGER NOT NULL REFERENCES functions, -- that the line is in [key]
    file TEXT, -- source file [key by basename]
    line INTEGER, -- in it [key]
    inlined INTEGER NOT NULL DEFAULT 0 CHECK(inlined IN (0, 1)), -- 1 if the next place of the stack is the function that it was inlined into [key]
    UNIQUE(recording, id)
) STRICT;

CREATE TABLE stacks( -- a row for each level of a stack; inlined functions are levels of their own
    recording INTEGER NOT NULL,
    stack INTEGER NOT NULL CHECK(stack BETWEEN 0 AND 4000000), -- number of the stack, from 0
    level INTEGER NOT NULL CHECK(level >= 0), -- from 0, the innermost
    place INTEGER REFERENCES places -- null for levels omitted from the middle of a deep stack
) STRICT;

CREATE TABLE scopes( -- functions as scopes and marked scopes, the most owned blocks first
    recording INTEGER NOT NULL,
    id INTEGER NOT NULL CHECK(id >= 0), -- number of the scope
    function INTEGER REFERENCES functions, -- of a function as a scope [key]
    name TEXT, -- of a marked scope [key]
    kind TEXT NOT NULL DEFAULT 'function' CHECK(kind IN ('function', 'marker')), -- `marker`; `function` also for a marked scope of code compiled with -finstrument-functions [key]
    in_depth INTEGER NOT NULL DEFAULT 0 CHECK(in_depth IN (0, 1)), -- 1 for the scope of `--scope` [max]
    threads INTEGER, -- in which it ran [max]
    activations_seen INTEGER NOT NULL, -- in stacks
    activations_allocating INTEGER NOT NULL, -- with an allocation
    activations_contained INTEGER, -- of these, ended with all blocks freed
    activations_open INTEGER, -- at the end
    activations_seconds REAL, -- time in them
    owned_allocations INTEGER, -- freed blocks for which this is the innermost activation that contains them [weight]
    owned_bytes INTEGER, -- their bytes
    separations_seen INTEGER, -- activations that were distinguished
    separations_at_most INTEGER, -- the most that the stacks allow: calls may repeat without an event in between
    activation_bytes_p50 REAL, -- bytes that an activation allocates, over allocating activations, open ones included; percentiles are upper ends of size classes [max]
    activation_bytes_p90 REAL, -- of the same [max]
    activation_bytes_p99 REAL, -- of the same [max]
    activation_bytes_max REAL, -- of the same [max]
    activation_bytes_mean REAL, -- of the same [mean by activations_allocating]
    activation_peak_p50 REAL, -- the highest live bytes of an activation [max]
    activation_peak_p90 REAL, -- of the same [max]
    activation_peak_p99 REAL, -- of the same [max]
    activation_peak_max REAL, -- of the same [max]
    activation_peak_mean REAL, -- of the same [mean by activations_allocating]
    rewind_returns INTEGER, -- how often the live bytes of an activation returned to zero
    rewind_peak_bytes INTEGER, -- the most bytes allocated in between [max]
    page_faults_fresh REAL, -- 4 KiB pages that a fresh region would touch in each activation
    page_faults_per_activation REAL, -- their mean [= sum(page_faults_fresh) / nullif(sum(activations_allocating), 0)]
    UNIQUE(recording, id)
) STRICT;

CREATE TABLE escapes( -- blocks that outlive the activation of the scope that made them; the heaviest 12 of a scope, 100 of `--scope`
    recording INTEGER NOT NULL,
    scope INTEGER NOT NULL REFERENCES scopes, -- that the blocks escape from [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL, -- their bytes
    freed_by INTEGER REFERENCES functions, -- the freeing function, the first outside of the standard library [key]
    freed_at INTEGER REFERENCES places, -- its place [key]
    container INTEGER REFERENCES functions, -- the innermost function that contains the blocks [key]
    thread TEXT CHECK(thread IN ('same', 'other')), -- that frees: `same` or `other` [key]
    stack INTEGER REFERENCES stacks -- an example of the free [first]
) STRICT;

CREATE TABLE scope_sites( -- places whose blocks escape from the scope, or are alive at the end; the heaviest 12 of a scope, 100 of `--scope`
    recording INTEGER NOT NULL,
    scope INTEGER NOT NULL REFERENCES scopes, -- of the row [key]
    kind TEXT NOT NULL CHECK(kind IN ('escape', 'alive')), -- of the blocks [key]
    site INTEGER NOT NULL REFERENCES places, -- that allocates them [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL, -- their bytes
    file TEXT, -- of the code, empty for the program; null if the code is in no file [key]
    instruction INTEGER -- its offset in the file [key]
) STRICT;

CREATE TABLE diffusion( -- pages on which the live blocks of a scope lie: all that were allocated while it was on the stack; not of marked scopes and samples [largest live_bytes]
    recording INTEGER NOT NULL,
    scope INTEGER NOT NULL REFERENCES scopes, -- of the blocks
    is_peak INTEGER NOT NULL CHECK(is_peak IN (0, 1)), -- 1 for the census with the most live bytes; 0 for one of at most 63 in the order of time
    seconds REAL NOT NULL, -- since the first event
    live_bytes INTEGER NOT NULL, -- of the scope
    pages INTEGER NOT NULL, -- of 4 KiB that hold a byte of its live blocks
    pages_needed INTEGER NOT NULL, -- live bytes / 4,096, rounded up
    pages_shared INTEGER NOT NULL -- of `pages`, those that also hold live blocks of others: allocated without the scope on the stack, or with an incomplete one
) STRICT;

CREATE TABLE sites( -- the innermost places of allocations outside of the standard library and allocation functions, the most allocations first
    recording INTEGER NOT NULL,
    id INTEGER NOT NULL CHECK(id >= 0), -- number of the site
    within INTEGER REFERENCES scopes, -- null; with `--scope` also sites of the blocks made in that scope [key]
    place INTEGER NOT NULL REFERENCES places, -- line of code [key]
    file TEXT, -- of the code, empty for the program; null if the code is in no file [same]
    instruction INTEGER, -- its offset in the file [same]
    contexts INTEGER, -- number of stacks [max]
    peak_bytes INTEGER, -- the sum of its stacks' highest live bytes, an upper bound [max]
    returns INTEGER, -- how often the live bytes of one of its stacks returned to zero
    growth_allocations INTEGER, -- new blocks of realloc that are larger than the old ones
    growth_from_bytes INTEGER, -- bytes of those old blocks
    growth_to_bytes INTEGER, -- bytes of the new ones
    growth_final_allocations INTEGER, -- blocks that no realloc has replaced by larger ones
    growth_final_p99_bytes INTEGER, -- of these [max]
    UNIQUE(recording, id)
) STRICT;

CREATE TABLE site_stacks( -- the three heaviest stacks of a site
    recording INTEGER NOT NULL,
    site INTEGER NOT NULL REFERENCES sites, -- of these stacks or owners [key]
    stack INTEGER NOT NULL REFERENCES stacks, -- of the allocation [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL -- their bytes
) STRICT;

CREATE TABLE site_owners( -- the innermost functions that contain the blocks of a site, at most five
    recording INTEGER NOT NULL,
    site INTEGER NOT NULL REFERENCES sites, -- of these stacks or owners [key]
    function INTEGER REFERENCES functions, -- that contains them [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL -- their bytes
) STRICT;

CREATE TABLE figures( -- of the process, of each scope and of each site
    recording INTEGER NOT NULL,
    scope INTEGER REFERENCES scopes, -- null for the process and a site [key]
    site INTEGER REFERENCES sites, -- null for the process and a scope [key]
    allocations INTEGER NOT NULL, -- made inside: in activations of the scope, inner calls included
    bytes INTEGER NOT NULL, -- requested
    frees INTEGER, -- calls that free, from inside
    size_classes INTEGER, -- number of classes in use [max]
    smallest INTEGER, -- bytes of a block [min]
    largest INTEGER, -- bytes of a block [max]
    contained_allocations INTEGER, -- freed before the allocating activation ended; null of a site
    contained_bytes INTEGER, -- their bytes
    escaped_allocations INTEGER, -- freed afterwards; null of a site
    escaped_bytes INTEGER, -- their bytes
    alive_allocations INTEGER, -- at the end: allocations = contained + escaped + alive
    alive_bytes INTEGER, -- their bytes
    containment REAL, -- contained / (contained + escaped) [= sum(contained_allocations) * 1.0 / nullif(sum(contained_allocations) + coalesce(sum(escaped_allocations), 0), 0)]
    containment_bytes REAL, -- the same of bytes [= sum(contained_bytes) * 1.0 / nullif(sum(contained_bytes) + coalesce(sum(escaped_bytes), 0), 0)]
    freed_by_other_thread_allocations INTEGER, -- null with one thread
    freed_by_other_thread_bytes INTEGER, -- their bytes
    temporary_allocations INTEGER, -- freed by the allocating thread before its next allocation
    temporary_bytes INTEGER, -- their bytes
    D_raw REAL, -- density: share of the CPU time inside the allocator, without the time of the recorder [mean by bytes]
    D_scaled REAL, -- at most 1 [mean by bytes]
    D_low REAL, -- lower end of the interval of the mean of `D_samples` operations, at 95 % [alone]
    D_high REAL, -- its upper end [alone]
    D_samples INTEGER, -- timed operations
    D_ns_per_operation REAL, -- mean [mean by D_samples]
    D_recorder_ns_per_operation REAL, -- mean time of the recorder [mean by D_samples]
    D_operations_per_second REAL, -- allocations and frees [mean by bytes]
    V_raw REAL, -- variation: entropy of the size classes, in bits [alone]
    V_scaled REAL, -- 1 - 2^-raw: 0 for one class, 1/2 for two equal ones [alone]
    L_raw REAL, -- locality: time / (footprint x transitions), nanoseconds a byte; the papers count instructions, not time [= sum(L_raw * L_footprint_bytes * L_transitions) / nullif(max(L_footprint_bytes) * 1.0 * sum(L_transitions), 0)]
    L_scaled REAL, -- raw / (1 + raw) [alone]
    L_footprint_bytes INTEGER, -- highest live bytes [max]
    L_transitions INTEGER, -- activations
    U_raw REAL, -- utilization: highest live bytes / bytes, summed over activations [mean by bytes]
    U_scaled REAL, -- the same [mean by bytes]
    C_raw REAL, -- contention: mean number of other threads' operations during an operation, estimated from those in an equally long time before it, at most 64 [mean by bytes]
    C_scaled REAL, -- raw / (threads - 1), at most 1 [mean by bytes]
    C_samples INTEGER, -- timed operations
    C_freed_by_other_thread REAL, -- share of the freed blocks [mean by bytes]
    F_raw REAL, -- fragmentability: share of own blocks, of the current activation, whose next neighbour among live blocks is foreign [mean by bytes]
    F_scaled REAL, -- the same [mean by bytes]
    F_pages_spanned INTEGER, -- pages between the lowest and the highest own block
    F_pages_needed INTEGER, -- pages that the own blocks would fill
    F_samples INTEGER, -- snapshots of the heap
    drag_peak_ratio REAL, -- of a region that frees at the end of an activation: bytes at the end / highest live bytes, of sums over activations [mean by U_raw * bytes]
    drag_area_ratio REAL, -- its bytes / the live bytes, both integrated over time [mean by bytes]
    mean_lifetime_seconds REAL, -- of freed blocks [mean by allocations - coalesce(alive_allocations, 0)]
    mean_lifetime_bytes REAL -- of freed blocks, in bytes that the process allocated meanwhile [mean by allocations - coalesce(alive_allocations, 0)]
) STRICT;

CREATE TABLE sizes( -- blocks by size class, the heaviest 48 classes
    recording INTEGER NOT NULL,
    scope INTEGER REFERENCES scopes, -- as in `figures` [key]
    site INTEGER REFERENCES sites, -- as in `figures` [key]
    most_bytes INTEGER NOT NULL, -- of a block in the class [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL -- their bytes
) STRICT;

CREATE TABLE site_blocks( -- sites whose blocks are alive at the end, reachable or not, the most bytes first; and sites of temporary allocations, the most first
    recording INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK(kind IN ('leaks', 'temporary')), -- of the blocks [key]
    place INTEGER NOT NULL REFERENCES places, -- the site [key]
    allocations INTEGER NOT NULL, -- such blocks
    bytes INTEGER NOT NULL, -- their bytes
    stack INTEGER NOT NULL REFERENCES stacks -- that made most of them [first]
) STRICT;

CREATE TABLE suppressions( -- patterns of `--suppress`, whose blocks are not in the leaks of `site_blocks`
    recording INTEGER NOT NULL,
    pattern TEXT NOT NULL, -- behind `leak:` [key]
    allocations INTEGER NOT NULL, -- blocks alive at the end that the pattern matches first
    bytes INTEGER NOT NULL -- their bytes
) STRICT;

CREATE TABLE peak_sites( -- sites whose blocks are live when the process holds the most bytes, the most bytes first [peak]
    recording INTEGER NOT NULL,
    place INTEGER NOT NULL REFERENCES places, -- the site
    allocations INTEGER NOT NULL, -- such blocks
    bytes INTEGER NOT NULL, -- their bytes
    stack INTEGER NOT NULL REFERENCES stacks -- that made most of them
) STRICT;

CREATE TABLE large_blocks( -- sites of blocks of 256 KiB or more by their resident pages, counted when a block is freed or the program exits, those with most others first; a sample
    recording INTEGER NOT NULL,
    place INTEGER NOT NULL REFERENCES places, -- the site [key]
    allocations INTEGER NOT NULL, -- blocks whose pages were counted
    bytes INTEGER NOT NULL, -- their bytes
    resident_bytes INTEGER NOT NULL, -- of these, in pages that the program has written, or that malloc has used before
    stack INTEGER NOT NULL REFERENCES stacks -- that made most of them [first]
) STRICT;

CREATE TABLE pairs( -- stacks of allocation with stacks of free
    recording INTEGER NOT NULL,
    within INTEGER REFERENCES scopes, -- null; with `--scope` also pairs of the blocks made in that scope [key]
    allocated INTEGER REFERENCES stacks, -- stack of the allocation [key]
    freed INTEGER REFERENCES stacks, -- stack of the free; null for blocks that are alive, and beyond two million pairs [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL, -- their bytes
    container INTEGER REFERENCES functions, -- the innermost function that contains the blocks [key]
    thread TEXT CHECK(thread IN ('same', 'other')), -- that frees: `same` or `other`; null for blocks that are alive [key]
    mean_lifetime_seconds REAL, -- of the blocks [mean by allocations]
    mean_lifetime_bytes REAL -- of the blocks, in bytes that the process allocated meanwhile [mean by allocations]
) STRICT;

CREATE TABLE iterations( -- loops whose blocks outlive the allocating calls and are freed in every round
    recording INTEGER NOT NULL,
    id INTEGER NOT NULL CHECK(id >= 0), -- number of the loop
    function INTEGER NOT NULL REFERENCES functions, -- that has the loop [key]
    returns INTEGER NOT NULL, -- how often about the live bytes returned to zero
    activations INTEGER, -- of the function with an allocation
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL, -- their bytes
    most_bytes_between INTEGER, -- that were allocated between two returns to zero [max]
    UNIQUE(recording, id)
) STRICT;

CREATE TABLE iteration_sites( -- the heaviest 12 sites of a loop
    recording INTEGER NOT NULL,
    iteration INTEGER NOT NULL REFERENCES iterations, -- the loop [key]
    place INTEGER NOT NULL REFERENCES places, -- the site [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL, -- their bytes
    returns INTEGER -- to zero of their live bytes
) STRICT;

CREATE TABLE owners( -- destructors, and other functions that free blocks older than their call
    recording INTEGER NOT NULL,
    id INTEGER NOT NULL CHECK(id >= 0), -- number of the owner
    function INTEGER NOT NULL REFERENCES functions, -- that frees [key]
    class TEXT, -- whose destructor it is; null for another function [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL, -- their bytes
    calls INTEGER NOT NULL, -- activations that freed
    blocks_a_call REAL, -- their ratio [= sum(allocations) * 1.0 / nullif(sum(calls), 0)]
    stacks INTEGER, -- that allocate the blocks [max]
    UNIQUE(recording, id)
) STRICT;

CREATE TABLE owner_sites( -- the heaviest 8 sites of an owner
    recording INTEGER NOT NULL,
    owner INTEGER NOT NULL REFERENCES owners, -- that frees the blocks [key]
    place INTEGER NOT NULL REFERENCES places, -- the site [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL -- their bytes
) STRICT;

CREATE TABLE almost_contained( -- scopes with a containment of at least 0.8 and below 1
    recording INTEGER NOT NULL,
    scope INTEGER NOT NULL REFERENCES scopes, -- of the row [key]
    containment REAL, -- of the scope [alone]
    break_even_share REAL, -- the containment at which a region costs what it saves, at 4 ns a block and 250 ns a page; null without timed events [max]
    break_even_saved_ns_per_block REAL, -- by the region [min]
    break_even_cost_ns_per_activation REAL -- of the region [max]
) STRICT;

CREATE TABLE almost_contained_sites( -- the heaviest 6 places whose blocks escape from such a scope
    recording INTEGER NOT NULL,
    scope INTEGER NOT NULL REFERENCES scopes, -- from which they escape [key]
    place INTEGER NOT NULL REFERENCES places, -- the site [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL -- their bytes
) STRICT;

CREATE TABLE already_pooled( -- sites of blocks of one or of a growing size, at least half of them alive at once: chunks for a pool of the program
    recording INTEGER NOT NULL,
    place INTEGER NOT NULL REFERENCES places, -- the site [key]
    blocks INTEGER NOT NULL, -- allocated
    bytes INTEGER NOT NULL, -- their bytes [weight]
    smallest INTEGER, -- bytes of a block [min]
    largest INTEGER, -- bytes of a block [max]
    growing INTEGER CHECK(growing IN (0, 1)), -- 1 if no block is smaller than the one before [max]
    most_alive INTEGER, -- blocks at once [max]
    frees INTEGER, -- of these blocks
    named INTEGER CHECK(named IN (0, 1)) -- 1 if a function of the stack is called arena, pool, slab or the like [max]
) STRICT;

CREATE TABLE control_calls( -- calls of malloc's functions that neither allocate nor free, the longest time first; each call is recorded and timed, even in a sample
    recording INTEGER NOT NULL,
    name TEXT NOT NULL CHECK(name IN ('malloc_trim', 'mallinfo', 'mallinfo2', 'mallopt')), -- of the function [key]
    place INTEGER NOT NULL REFERENCES places, -- the site [key]
    calls INTEGER NOT NULL, -- of the function
    seconds REAL NOT NULL, -- in these calls, elapsed, of all threads [weight]
    stack INTEGER NOT NULL REFERENCES stacks -- that took most of them [first]
) STRICT;

CREATE TABLE instances( -- marked scopes that are not bound to a thread, by name
    recording INTEGER NOT NULL,
    name TEXT NOT NULL, -- of the mark [key]
    instances INTEGER NOT NULL, -- with that name
    allocations INTEGER NOT NULL, -- made in them
    bytes INTEGER NOT NULL, -- their bytes
    contained_allocations INTEGER, -- freed before the instance ended
    contained_bytes INTEGER, -- their bytes
    escaped_allocations INTEGER, -- freed afterwards
    escaped_bytes INTEGER, -- their bytes
    alive_allocations INTEGER, -- at the end of the recording
    alive_bytes INTEGER -- their bytes
) STRICT;

CREATE TABLE progress( -- marks of progress, by name
    recording INTEGER NOT NULL,
    name TEXT NOT NULL, -- of the mark [key]
    count INTEGER NOT NULL, -- of marks
    per_second REAL, -- between the first and the last mark [= sum(iif(per_second > 0, count - 1, NULL)) / sum(iif(per_second > 0, (count - 1) / per_second, NULL))]
    allocations_between REAL -- two marks, mean [mean by count - 1]
) STRICT;

CREATE TABLE pools( -- pools of the recording adaptor, by name, at most 20 million
    recording INTEGER NOT NULL,
    name TEXT NOT NULL, -- of the pool [key]
    pools INTEGER NOT NULL, -- with that name
    allocations INTEGER NOT NULL, -- from them
    bytes INTEGER NOT NULL, -- their bytes
    frees INTEGER, -- to them
    releases INTEGER, -- of all their blocks at once
    peak_bytes INTEGER, -- highest live bytes [max]
    wrong_frees_of_other INTEGER NOT NULL DEFAULT 0, -- frees to a pool of the name, of blocks of another recorded pool
    wrong_frees_of_malloc INTEGER NOT NULL DEFAULT 0, -- of blocks of malloc
    wrong_frees_after_end INTEGER NOT NULL DEFAULT 0, -- of blocks without an owner: released, rolled back or already freed
    wrong_frees_by_malloc INTEGER NOT NULL DEFAULT 0, -- its blocks that were passed to free, realloc or delete
    wrong_frees_first INTEGER REFERENCES stacks -- the first such free [first]
) STRICT;

CREATE TABLE timeline( -- live bytes of the process at up to 401 equidistant points [peak]
    recording INTEGER NOT NULL,
    point INTEGER NOT NULL CHECK(point >= 0), -- from 0
    seconds REAL NOT NULL, -- since the first event
    live_bytes REAL NOT NULL -- of the process
) STRICT;

CREATE TABLE resident( -- resident memory of the recorded process: of each step of the timeline the highest sample [peak]
    recording INTEGER NOT NULL,
    seconds REAL NOT NULL, -- since the first event
    resident_bytes INTEGER NOT NULL, -- of the process
    file_bytes INTEGER NOT NULL -- of these, in files and shared memory, as the recorder's part is
) STRICT;

CREATE TABLE scope_timeline( -- live bytes of the 10 scopes with the most, except one that is the entire process [peak]
    recording INTEGER NOT NULL,
    scope INTEGER NOT NULL REFERENCES scopes, -- of the blocks
    point INTEGER NOT NULL CHECK(point >= 0), -- as in `timeline`
    live_bytes REAL NOT NULL -- of all blocks allocated in the scope, even after its end
) STRICT;

CREATE TABLE lifetimes( -- histograms of the lifetimes of freed blocks
    recording INTEGER NOT NULL,
    unit TEXT NOT NULL CHECK(unit IN ('bytes', 'time')), -- bytes that the process allocated meanwhile, or nanoseconds [key]
    log2 INTEGER NOT NULL, -- n: from 2^n to below 2^(n+1); -1: less than 1 [key]
    allocations INTEGER NOT NULL, -- blocks
    bytes INTEGER NOT NULL -- their bytes
) STRICT;

CREATE TABLE flame( -- the tree of contexts by function, at most 3,000 nodes
    recording INTEGER NOT NULL,
    id INTEGER NOT NULL CHECK(id >= 0), -- number of the node; 0 is the root
    parent INTEGER REFERENCES flame CHECK(parent < id), -- node of the caller; null of the root [first]
    function INTEGER REFERENCES functions, -- null of the root [key]
    allocations INTEGER NOT NULL, -- inner calls included
    bytes INTEGER NOT NULL, -- their bytes
    contained_allocations INTEGER NOT NULL, -- blocks that an activation of the function contained
    contained_bytes INTEGER NOT NULL, -- their bytes
    operations INTEGER NOT NULL, -- allocations and frees
    peak_bytes INTEGER NOT NULL DEFAULT 0, -- live when the process holds the most bytes [= sum(iif(recording = (SELECT recording FROM main.recordings ORDER BY timeline_peak_bytes DESC, recording LIMIT 1), peak_bytes, 0))]
    alive_bytes INTEGER NOT NULL DEFAULT 0, -- alive at the end, without suppressed leaks
    UNIQUE(recording, id)
) STRICT;

CREATE TABLE callers( -- of the function of `--scope` [none]
    recording INTEGER NOT NULL,
    function INTEGER REFERENCES functions, -- null if it has no caller
    allocations INTEGER NOT NULL, -- made in calls from there
    bytes INTEGER NOT NULL, -- their bytes
    activations INTEGER -- of the function
) STRICT;

CREATE TABLE code( -- instructions of the function of `--scope` that were on stacks; for a marker only if it is an instrumented function [none]
    recording INTEGER NOT NULL,
    file TEXT NOT NULL, -- of the code, empty for the program
    instruction INTEGER NOT NULL -- offset from the load address of the file
) STRICT;

CREATE TABLE inlined_code( -- code of the function of `--scope` where it is inlined into others [none]
    recording INTEGER NOT NULL,
    file TEXT NOT NULL, -- as in `code`
    begin_offset INTEGER NOT NULL, -- of the first byte, from the load address of the file
    end_offset INTEGER NOT NULL -- behind the last byte
) STRICT;

CREATE TABLE activation_classes( -- activations of the scope of `--scope` by size class [none]
    recording INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK(kind IN ('bytes', 'peak')), -- bytes allocated, or highest live bytes
    most_bytes INTEGER NOT NULL, -- of an activation in the class
    activations INTEGER NOT NULL -- in the class
) STRICT;

CREATE TABLE exports( -- the process whose blocks `calls` has; this table and the next three are empty but for exports by stack [none]
    recording INTEGER NOT NULL,
    process INTEGER NOT NULL, -- its id
    executable TEXT NOT NULL, -- path of the program; empty if redacted
    command TEXT, -- its words; null if redacted
    ticks_per_second REAL NOT NULL, -- of the clock of the trace; 0 if unknown
    ticks INTEGER NOT NULL, -- from the first event to the last
    peak_ticks INTEGER NOT NULL, -- from the first event until the process holds the most bytes
    sampled_one_in INTEGER NOT NULL -- N: one activation in N is recorded
) STRICT;

CREATE TABLE calls( -- calls that allocated, and those at which stacks part: a stack is a call with its callers [none]
    recording INTEGER NOT NULL,
    call INTEGER NOT NULL, -- number of the call, from 0
    caller INTEGER CHECK(caller < call), -- number of the next outer call that is a row; null if there is none
    path TEXT NOT NULL, -- numbers in `frames` of the places from there to this call, the outermost first, with commas
    allocated_blocks INTEGER NOT NULL, -- of the stack; 0 for a mere caller
    allocated_bytes INTEGER NOT NULL, -- their bytes
    peak_blocks INTEGER NOT NULL, -- of these, alive when the process holds the most bytes
    peak_bytes INTEGER NOT NULL, -- their bytes
    end_blocks INTEGER NOT NULL, -- alive at the end
    end_bytes INTEGER NOT NULL, -- their bytes
    most_blocks INTEGER NOT NULL, -- alive when the stack holds the most bytes
    most_bytes INTEGER NOT NULL, -- their bytes
    ticks INTEGER NOT NULL -- sum of the lifetimes of the blocks, until the end at most
) STRICT;

CREATE TABLE loaded_files( -- files of code that the stacks go through, the program first [none]
    recording INTEGER NOT NULL,
    loaded_file INTEGER NOT NULL, -- number of the file, from 1
    begin_address INTEGER NOT NULL, -- of its first byte
    end_address INTEGER NOT NULL, -- behind its last byte
    path TEXT NOT NULL, -- of the file on this machine, or as recorded
    build_id TEXT NOT NULL, -- hexadecimal; empty if it has none
    has_lines INTEGER NOT NULL CHECK(has_lines IN (0, 1)) -- 1 if it has debug information
) STRICT;

CREATE TABLE frames( -- functions at the places of `calls`: the innermost inlined one first, the compiled one last [none]
    recording INTEGER NOT NULL,
    frame INTEGER NOT NULL, -- number of the place, from 0
    address INTEGER NOT NULL, -- in the instruction that calls; 0 for unknown levels, which `name` describes
    loaded_file INTEGER, -- number of the file that the address is in; null if there is none
    object TEXT NOT NULL, -- name of that file
    name TEXT NOT NULL, -- of the function
    short_name TEXT NOT NULL, -- without parameters
    file TEXT NOT NULL, -- source file; empty if unknown
    line INTEGER NOT NULL, -- in it; 0 if unknown
    inlined INTEGER NOT NULL CHECK(inlined IN (0, 1)) -- 1 if the next row of the place is the function that it was inlined into
) STRICT;

-- A database of schema 1 with one run, one row and one note.
CREATE TABLE run(
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    finished TEXT,
    experiment TEXT NOT NULL,
    command TEXT NOT NULL,
    scale TEXT NOT NULL,
    seed INTEGER NOT NULL,
    repetitions INTEGER NOT NULL,
    identity TEXT NOT NULL,
    options TEXT NOT NULL,
    machine TEXT NOT NULL,
    runner TEXT NOT NULL,
    "commit" TEXT NOT NULL,
    load_start REAL,
    load_end REAL
);
CREATE TABLE result(
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run(id),
    experiment TEXT NOT NULL,
    parameters TEXT NOT NULL,
    strategy TEXT NOT NULL,
    repetition INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    status TEXT NOT NULL,
    cpu_ns INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    user_ns INTEGER NOT NULL,
    system_ns INTEGER NOT NULL,
    operations INTEGER NOT NULL,
    iterations INTEGER NOT NULL,
    minor_faults INTEGER NOT NULL,
    major_faults INTEGER NOT NULL,
    peak_rss_bytes INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    allocations INTEGER,
    deallocations INTEGER,
    spills INTEGER NOT NULL,
    pinned_cpu INTEGER,
    load1 REAL NOT NULL,
    notes TEXT NOT NULL,
    detail TEXT NOT NULL,
    UNIQUE(run_id, experiment, parameters, strategy, repetition)
);
CREATE TABLE note(
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run(id),
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
);
PRAGMA application_id = 1296847428;
PRAGMA user_version = 1;
INSERT INTO run VALUES(1, '2026-01-02T03:04:05+00:00', '2026-01-02T03:05:06+00:00', 'density', 'mallard bench', 'quick',
    1, 3, 'abc', '{}', '{"cpu": "made up"}', '{"compiler": "g++ 12"}', 'abc', 0.25, 0.5);
INSERT INTO result VALUES(1, 1, 'density', '{"ds":"DS2","size_log2":6}', 'AS7', 0, 1, 'ok', 2000000, 2100000, 1900000,
    100000, 1000, 4, 5, 0, 1048576, 'ab', 7, 7, 0, NULL, 0.5, '["a note"]', 'kept');
INSERT INTO note VALUES(1, 1, '2026-01-02T03:04:05+00:00', 'busy', 'a note');

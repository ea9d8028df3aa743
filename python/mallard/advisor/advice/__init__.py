"""Advice: which allocator belongs where in an unprepared program, measured on the program itself.

    runner.py          the first run, the recording, other mallocs, trials; the rounds that fit into the time
    notes.py           doubts about the program and its runs
    study.py           the measurements of one program
    ceiling.py         an estimate of what an allocator can save, without locality
    global_mallocs.py  the unchanged program under other mallocs
    candidates.py      scopes of the profile that are worth a trial
    patterns.py        advice other than an allocator
    code.py            code to paste
    choice.py          one answer for changes that save equally, as far as measured
    answer.py          the answer to a study
    verdict.py         the answer in words, with its figures
    figures.py         the answer and its best rival as data
    memory.py          the change that needs least memory, and where the memory of the program is
    memory_verdict.py  the same in words

A trial beats a prediction: the profile only chooses the candidates.
"""

"""Advice: which allocator belongs where in an unprepared program, measured on the program itself.

    course.py      the steps: first run, recording, other mallocs, trials
    plan.py        the rounds that fit into the time
    tries.py       the trials of candidates
    study.py       the measurements of one program
    ceiling.py     an estimate of what an allocator can save, without locality
    globals.py     the unchanged program under other mallocs
    candidates.py  scopes of the profile that are worth a trial
    patterns.py    advice other than an allocator
    code.py        code to paste
    answer.py      the choice of the advice
    verdict.py     the answer in words, with its figures

A trial beats a prediction: the profile only chooses the candidates.
"""

"""Advice: which allocator belongs where in a program that nobody prepared, tried on the program itself.

    course.py      the course: first run, recording, other mallocs, trials
    plan.py        the rounds that fit into the time
    tries.py       the trials of candidates
    study.py       runs the program: as it is, under other mallocs, and with candidates served
    ceiling.py     an estimate of what an allocator can save, without locality
    globals.py     the unchanged program under other mallocs
    candidates.py  scopes of the profile that are worth a trial
    patterns.py    advice that is no allocator
    code.py        code to paste
    answer.py      which of them is advised
    verdict.py     the answer in words, with its figures

A trial beats a prediction: the profile only chooses what is tried.
"""

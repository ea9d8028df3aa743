"""The description of an experiment, as data: its parameters, its measurements, and their presentation.

axis.py        a parameter of a cell, and its option
quantity.py    a figure: a time or an amount
scale.py       the values of the axes at each scale, and rules for them
sentence.py    the kinds of sentences about a table
panel.py       its pictures, tables and sentences
experiment.py  all of it

The experiment's plan, --help, table in the terminal, place in the peers and claims of `mallard show`, and
section of the page follow from it. The code of each kind of sentence or panel stands once, in `analysis`.
"""

"""Turns result rows into cells and tables, means over all cells, and verdicts.

rows -> cell_tables -> rank_table (a table), pick_strategy (a row)
                    -> mean_over_rows, cost_of_dispatch, gain_of_winking_out (all cells)
                    -> panel/, with the tables and sentences of a kind of panel
"""

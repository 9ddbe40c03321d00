"""`make cluster-test`: the product on clusters of servers on this machine, whose members are killed while a simulated
match day is played.
"""

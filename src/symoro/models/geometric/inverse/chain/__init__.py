"""The equation to be solved: the chain, the pose, and numbers to probe it with."""

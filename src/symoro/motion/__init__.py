"""From model to numbers along time: trajectories, torques along them, and simulation.

A trajectory is frozen data: a start and parts, one after the other (`trajectory`). On a robot it becomes samples of
positions, velocities and accelerations (`sampling`); from these come torques, power, energy and the limits that are
passed (`torques`).
"""

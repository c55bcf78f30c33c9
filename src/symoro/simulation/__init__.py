"""Forces and motion over time: simulation of a robot, control laws, and torques along a trajectory.

`simulate` integrates the state from event to event (`event_integrator`). Dry friction and stops are decided at events
(`friction_and_stops`). `torques` evaluates the inverse dynamics along a motion, with peaks, energy and limits.
"""

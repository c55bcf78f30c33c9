"""Bundled trajectories: one YAML file per trajectory, for the bundled robot of the same name."""

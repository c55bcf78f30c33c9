"""The bundled trajectories: one YAML file each, for the robot of the same name."""

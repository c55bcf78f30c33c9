"""Tolerances of trajectories and of the samples of a robot's motion.

In this module "rad" means radians for revolute joints, and multiples of the robot's length for prismatic joints.
"""

# Curves (`splines`, `sampling`)
JERK_JUMP = 1e-3  # relative to the largest third derivative: a larger jump between pieces is a kink
JERK_ROUND_OFF = 1e-12  # relative to positions: round-off of third derivatives by differences
SHORT_PIECE = 1e-12  # relative to a part: shorter pieces are ignored
SAME_POSITION = 1e-9  # rad; largest difference of positions between consecutive parts
SAME_VELOCITY = 1e-6  # rad/s, rad/s2; largest difference of velocities between consecutive parts
LONGEST_MOVE = 1e6  # s; a longer move has a wrong unit
REAL_ROOT = 1e-3  # imaginary part of a real root of a polynomial on [0, 1]

# Samples (`samples`, `robot_samples`)
SAME_STEP = 1e-9  # relative to a step: round-off of a duration that is a multiple of it
WINDOW = 0.1  # s; window over which noise averages out
LEAST_CHANGE = 1e-3  # rad, rad/s; smaller changes are not compared with their rates
UNCORRELATED = 0.8  # correlation; rates with less are not the derivative
RATE_RATIO = 0.1  # difference of the ratio to the derivative from 1, beyond its noise
UNIT_RATIO = 0.04  # relative difference of a ratio from that of two units
PASSIVE_REFUSED = (
    0.05  # rad, or relative to the largest position: larger differences of passive joints are rejected
)
PASSIVE_DIFFERS = 1e-3  # rad, or relative to the largest position: larger differences give a warning

# Closed loops (`assembly`)
LEAP = 0.1  # rad; largest motion of the active joints between two closed postures
SINGULAR_LOOPS = 1e-5  # relative to the largest singular value of Jp: a singular configuration
AGREEMENT = (
    0.05  # relative to the motion of the passive joints: largest difference from the mean of W at both ends
)
AGREEMENT_ROUND_OFF = 1e-8  # rad; the same near rest
LEAST_SHARE = (
    2.0**-16
)  # relative to the path between two samples: shorter steps mean a singular configuration
SAME_POSTURE = 1e-6  # rad; closer postures are equal
CROSSED = 1e-4  # rad; a parallelogram farther from its linear relation is crossed
POSTURE_READ = 0.1  # rad; largest error of a posture given by the user

# Poses (`pose_following`)
SINGULAR_POSE = 1e-6  # relative to the largest singular value of the Jacobian: smaller ones are zero
POSE_AGREEMENT = 0.05  # relative to the motion: largest difference from the mean of both ends
POSE_ROUND_OFF = 1e-8  # rad; the same near rest
POSE_MET = 1e-11  # rad; error of a pose after Newton's method
POSE_STILL = 1e-9  # relative to the largest velocity: round-off
POSE_DIFFERENCE = 1e-6  # rad; step of the difference that gives dJ/dt

# Base (`prescribed`)
PARALLEL = 1e-9  # sine of the angle between the rotation axis of the base and gravity: round-off of both

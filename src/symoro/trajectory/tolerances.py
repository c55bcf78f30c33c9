"""Tolerances of trajectories and of samples on a robot.

"rad" means radians of revolute joints and shares of the robot's length of prismatic joints.
"""

# Curves (`splines`, `sampling`)
JERK_JUMP = 1e-3  # of the largest third derivative: pieces that meet with a kink
JERK_ROUND_OFF = 1e-12  # of positions: third derivatives by differences
SHORT_PIECE = 1e-12  # of a part: a piece of no length
SAME_POSITION = 1e-9  # rad; positions of two parts that meet
SAME_VELOCITY = 1e-6  # rad/s, rad/s2; velocities and accelerations of two parts that meet
LONGEST_MOVE = 1e6  # s; a longer move has a wrong unit
REAL_ROOT = 1e-3  # imaginary part of a real root of a polynomial on [0, 1]

# Samples (`samples`, `robot_samples`)
WINDOW = 0.1  # s; noise averages out in it
LEAST_CHANGE = 1e-3  # rad, rad/s; smaller changes are not compared with their rates
UNCORRELATED = 0.8  # correlation; rates with less are not the derivative
RATE_RATIO = 0.1  # difference of the ratio to the derivative from 1, beyond its noise
UNIT_RATIO = 0.04  # relative difference of a ratio from that of two units
PASSIVE_REFUSED = 0.05  # rad, or of the largest position: a passive joint that other loops have
PASSIVE_DIFFERS = 1e-3  # rad, or of the largest position: farther off there is a warning

# Closed loops (`assembly`)
LEAP = 0.1  # rad of the active joints from one closed posture to the next
SINGULAR_LOOPS = 1e-5  # of the largest singular value of Jp: a singular configuration
AGREEMENT = 0.05  # of the motion of the passive joints: its difference from the mean of W at both ends
AGREEMENT_ROUND_OFF = 1e-8  # rad; the same near rest
LEAST_SHARE = 2.0**-16  # of the way between two samples: shorter steps mean a singular configuration
SAME_POSTURE = 1e-6  # rad; postures that are equal
CROSSED = 1e-4  # rad; a parallelogram farther from its linear relation is crossed
POSTURE_READ = 0.1  # rad; error of a posture that was read off

# Poses (`pose_following`)
SINGULAR_POSE = 1e-6  # of the largest singular value of the Jacobian
POSE_AGREEMENT = 0.05  # of the way: its difference from the mean of both ends
POSE_ROUND_OFF = 1e-8  # rad; the same near rest
POSE_MET = 1e-11  # rad; error of a pose after Newton's method
POSE_STILL = 1e-9  # of the largest velocity: round-off
POSE_DIFFERENCE = 1e-6  # rad; step of the difference that gives dJ/dt

# Base (`prescribed`)
PARALLEL = 1e-9  # sine of the angle between the rotation axis of the base and gravity: round-off of both

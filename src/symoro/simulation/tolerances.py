"""Tolerances of the simulation.

Positions, velocities and accelerations of prismatic joints are compared in units of the robot's length, so that
"rad" means radians or shares of that length.
"""

# Contacts, i.e. joints with friction and stops (`box_qp`, `friction_and_stops`); each has a row of W
RANK = 1e-10  # squared sine of the angle between unit rows (metric A^-1): below it rows are dependent
IMPLIED = 100 * RANK  # a contact whose row is in the span of the held ones up to this follows from them
ZERO_ROW = 1e-20  # relative to the largest diagonal entry of G: smaller rows are zero (squared round-off)
GRADIENT = 1e-13  # relative to the largest term of v': round-off of an acceleration
FORCE_NOISE = 1e-12  # relative to the bound, for stops rad/s2: round-off of the force of a held contact
RESIDUAL = 1e-9  # relative to 1 rad/s2 + the largest acceleration: larger ones move a contact at rest
VELOCITY_REST = 1e-12  # rad/s; at rest after the projection onto the held contacts

# Stops
CONTACT = 1e-9  # rad; a start beyond a limit by less is a start at the limit
POSITION = 4e-15  # relative to max(1 rad, the limit): round-off of a gap
POSITION_ERRORS = 10.0  # relative to rtol + atol: position error of the integrator at a stop
REBOUND_SPEED = 1e-6  # rad/s; slower rebounds are inelastic, because infinitely many would follow
REBOUND_HEIGHT = 1e-11  # rad; lower rebounds are inelastic, for the same reason

# Integration and events
DRIFT = 1e-9  # rad, rad/s; a state farther from its constraints is projected and the integrator restarted
RESOLVED = (
    1e-5  # relative to the largest value: the last Chebyshev coefficients of a function that is resolved
)
TIME = 1e-15  # s, and of the time: width to which an event is located
ROOT = 1e-9  # relative to half an interval: extrema nearer to its ends are not evaluated
JUMP_SIDE = (
    1e-15  # relative to a time: distance from a declared jump at which a law has the value of one side
)

# Motions of driven joints
RATE_MISMATCH = 1e-4  # relative to the rates + 1 rad/s: difference of a motion from the integral of its rate
SHORTEST_INTERVAL = 1e-7  # s; a mismatch in a shorter interval is a jump
MOTION_ROUND_OFF = 1e-14  # relative to positions and velocities
START_MISMATCH = (
    1e-4  # relative to 1 rad + the value: difference of the start from the motion of a driven joint
)
MOTION_AT_REST = 1e-6  # relative to the largest velocity of a joint: at rest at the first or last sample
DESIRED_AT_REST = 1e-9  # relative to the largest velocity of a joint: a desired velocity that counts as zero

# Chattering laws (`chatter`)
SAME_TIME = 1e-13  # relative to the duration: events that are simultaneous
CROWDED_TIME = (
    1e-6  # relative to the duration, at most s: a thousand events in less are an unlimited sequence
)
SHORT_STEPS = 5e-5  # relative to the duration: a thousand steps in less hardly advance
TORQUE_JUMP = 1e-4  # relative to the largest torque of the joint: a change that is a jump

# Wheels and limits (`limits`)
SMALL_DETERMINANT = (
    1e-4  # relative to the largest determinant: below this the motion of the base is inaccurate
)
SAME_DETERMINANT = 1e-9  # relative to the largest determinant: determinants that do not vary

# Springs and modes at rest, motions along a trajectory (`following`, `motors`)
DIFFERENCE = 1e-6  # rad; step of central differences, about the cube root of round-off
NEWTON_STEP = 1e-10  # rad; the last step of Newton's method
NEWTON_RANK = 1e-12  # relative to the largest singular value: round-off of the derivatives
NEWTON_MISS = 1e-6  # relative to 1 + the largest acceleration: no solution of the linear equations
GIVEN_POSITION = 1e-6  # relative to the position, or rad: positions that a user writes with six digits
MOTION_JUMP = 1e-6  # relative to the largest of its kind: a derivative of the motion that jumps
PIECE_SIDE = (
    1e-9  # relative to a piece: distance from its ends at which both sides of a joint of pieces are evaluated
)

# Quantities along a motion (`piecewise_chebyshev`, `extremes`)
INSIDE = 1e-9  # relative to half a panel: its points are inside it by this, so that both sides of a jump are evaluated
INTERPOLATION = (
    1e-5  # relative to the quantity's largest value in a part: error at the points that are left out
)
QUANTITY_NOISE = 1e-7  # relative to the largest value of its kind: round-off
INTEGRAL = (
    1e-7  # relative to 1 rad + the largest value: difference between a position and the integral of its rate
)
NARROWEST = 1e-9  # relative to a piece: a narrower panel is not halved
SIGN_CHANGE = 1e-6  # relative to a panel: width around a change of sign at which it is divided
REFINED = 1e-13  # relative to an extreme: a larger value from refinement
EQUAL_PEAKS = 1e-8  # relative to a value: the first of several equal ones is reported
LIMIT_PASSED = 1e-7  # relative to the limit or the largest value: error of the polynomials
VELOCITY_MISS = 0.02  # relative to the largest velocity: error of the followed motion between samples
PEAK_SHOWN = 0.9  # relative to a peak: samples with a smaller largest value miss it
HUGE = 1e9  # rad, rad/s, rad/s2; beyond any motion of a robot

# Linearisation
UNBALANCED = (
    1e-8  # relative to the largest force on the same coordinate: an equilibrium, loops closed to 1e-11
)
FORCE_ROUND_OFF = 1e-13  # relative to the largest force on any coordinate, as a torque

"""Tolerances of the simulation.

Positions, velocities and accelerations of prismatic joints are compared in units of the robot's length, so that
"rad" means radians or shares of that length.
"""

# Rows of friction and stops (`box_qp`, `contact_modes`)
RANK = 1e-10  # 1; squared sine of the angle between unit rows (metric A^-1): below it rows are dependent
IMPLIED = 100 * RANK  # 1; a row at a bound with less than this outside the held rows follows from them
ZERO_ROW = 1e-20  # of the largest diagonal entry of G: a row that no force moves (squared round-off)
GRADIENT = 1e-13  # of the largest term of v': round-off of an acceleration
FORCE_NOISE = 1e-12  # of the bound, for stops rad/s2: round-off of the force of a held row
RESIDUAL = 1e-9  # of 1 rad/s2 + the largest acceleration: a row at rest moves; far above GRADIENT
VELOCITY_REST = 1e-12  # rad/s; at rest after the projection onto the held rows

# Stops
CONTACT = 1e-9  # rad; a start beyond a limit by less is a start at the limit
POSITION = 4e-15  # of max(1 rad, the limit): round-off of a gap
POSITION_ERRORS = 10.0  # of rtol + atol: position error of the integrator at a stop
REBOUND_SPEED = 1e-6  # rad/s; slower rebounds are inelastic, as infinitely many would follow
REBOUND_HEIGHT = 1e-11  # rad; lower rebounds are inelastic, for the same reason

# Integration and events
DRIFT = 1e-9  # rad, rad/s; a state farther from its constraints is projected and the integrator restarted
RESOLVED = 1e-5  # of the largest value: the last Chebyshev coefficients of a function that is resolved
TIME = 1e-15  # s, and of the time: width to which an event is located
ROOT = 1e-9  # of half an interval: extrema nearer to its ends are not evaluated
JUMP_SIDE = 1e-15  # of a time: distance from a declared jump at which a law has the value of one side

# Motions of driven joints
RATE_MISMATCH = 1e-4  # of the rates + 1 rad/s: difference of a motion from the integral of its rate
SHORTEST_INTERVAL = 1e-7  # s; a mismatch in a shorter interval is a jump
MOTION_ROUND_OFF = 1e-14  # of positions and velocities
START_MISMATCH = 1e-4  # of 1 rad + the value: difference of the start from the motion of a driven joint
MOTION_AT_REST = 1e-6  # of the largest velocity of a joint: at rest where its samples begin or end
DESIRED_AT_REST = 1e-9  # of the largest velocity of a joint: a desired velocity that counts as zero

# Chattering laws (`chatter`)
SAME_TIME = 1e-13  # of the duration: events that are simultaneous
CROWDED_TIME = 1e-6  # of the duration, at most s: a thousand events in less follow each other without end
SHORT_STEPS = 5e-5  # of the duration: a thousand steps in less hardly advance
TORQUE_JUMP = 1e-4  # of the largest torque of the joint: a change that is a jump

# Wheels and limits (`limits`)
SMALL_DETERMINANT = 1e-4  # of the largest determinant: nearer to zero the base's motion has too few digits
SAME_DETERMINANT = 1e-9  # of the largest determinant: determinants that do not vary

# Springs and modes at rest, motions along a trajectory (`following`, `motors`)
DIFFERENCE = 1e-6  # rad; step of central differences, about the cube root of round-off
NEWTON_STEP = 1e-10  # rad; the last step of Newton's method
NEWTON_RANK = 1e-12  # of the largest singular value: round-off of the slopes
NEWTON_MISS = 1e-6  # of 1 + the largest acceleration: no solution of the linear equations
GIVEN_POSITION = 1e-6  # of the position, or rad: positions that a user writes with six digits
MOTION_JUMP = 1e-6  # of the largest of its kind: a derivative of the motion that jumps
PIECE_SIDE = 1e-9  # of a piece: distance from its ends at which both sides of a joint of pieces are evaluated

# Quantities along a motion (`piecewise_chebyshev`, `extremes`)
INSIDE = 1e-9  # of half a panel: its points are inside it by this, so that both sides of a jump are seen
INTERPOLATION = 1e-5  # of the quantity's largest value in a part: error at the points that are left out
QUANTITY_NOISE = 1e-7  # of the largest value of its kind: round-off
INTEGRAL = 1e-7  # of 1 rad + the largest value: difference between a position and the integral of its rate
NARROWEST = 1e-9  # of a piece: a narrower panel is not halved
SIGN_CHANGE = 1e-6  # of a panel: width around a change of sign at which it is divided
REFINED = 1e-13  # of an extreme: a larger value found by refinement
EQUAL_PEAKS = 1e-8  # of a value: the first of several equal ones is reported
LIMIT_PASSED = 1e-7  # of the limit or the largest value: error of the polynomials
VELOCITY_MISS = 0.02  # of the largest velocity: error of the followed motion between samples
PEAK_SHOWN = 0.9  # of a peak: samples that reach less of it miss it
HUGE = 1e9  # rad, rad/s, rad/s2; beyond any motion of a robot

"""Tolerances and limits of identification, each with its unit and its reason.

A share is dimensionless. Lengths are shares of the robot's size (its largest reach); positions of prismatic joints are
divided by the robot's length, so that one limit in radians serves both kinds of joints.
"""

from __future__ import annotations

from math import pi

# -- numbers

TINY = 1e-300  # any unit: avoids a division by zero
ROUND_OFF = 1e-9  # share: differences of this size are round-off of the computation or of a file's digits
NEGLIGIBLE_COLUMN = 1e-10  # share of a column of unit length: what remains beside other columns is round-off
RANK = 1e-7  # of unit columns: between the round-off of filters (1e-9) and what changes a residual
COLUMN_IN_SPAN = (
    1e-8  # of unit columns at random motions: a smaller distance from the span of others is round-off
)
SMALL_COEFFICIENT = 1e-3  # of unit columns: smaller terms of a linear dependence are not listed
SMALL_SHARE_OF_COLUMN = 1e-6  # of unit columns: a column that contributes less does not contain the other
LEAST_EIGENVALUE = 1e-13  # of the largest eigenvalue of the correlations: below is round-off
SIGMA_FLOOR = 1e-12  # of the root mean square of the torques: data without noise keep a finite weight
EXACT_PARAMETER = 1e-6  # of a parameter: no solver can weigh anything beside a smaller deviation
PASSIVE_RATE = 1e-6  # of the largest rate of a passive joint for a unit rate of another: less is round-off

# -- iterations

ITERATIONS = 30  # steps of the iterations of IDIM-IV, DIDIM, friction by load, and rough placements
IRLS_ITERATIONS = 100  # steps: weights converge linearly
CLOE_ITERATIONS = 40  # steps of Gauss and Newton's method with damping
GEOMETRIC_ITERATIONS = 50  # steps of Gauss and Newton's method in calibration
TRIAL_ITERATIONS = 15  # steps with another reading of measurements: a correct reading converges quickly
FACTOR_ITERATIONS = 20  # steps for the factor of one joint's torques
DELAY_ITERATIONS = 12  # steps for the delay of torques
UNDAMPED_ITERATIONS = 5  # steps, after which they are halved: an iteration may alternate between two states
SCALING_ITERATIONS = 20  # steps of IRLS in which sigma is estimated again: a median jumps from row to row
REWEIGHTING_ITERATIONS = 4  # rounds of calibration in which the noise is estimated from the residuals
CONVERGED = 0.1  # standard deviations: a joint that begins to stick changes the estimate by a jump
DELAY_CONVERGED = 0.05  # standard deviations of the delay
FACTOR_CONVERGED = 1e-3  # of the factor of one joint's torques
IRLS_CONVERGED = 1e-8  # of the torques
IRLS_CONVERGED_DEVIATIONS = 1e-4  # standard deviations, where these are larger than the share of the torques
GEOMETRIC_CONVERGED = 1e-12  # of the residual: full accuracy
CLOE_ROUGHNESS = 1e-3  # of the squared error: the error jumps by this where friction changes its sign
CLOE_STEP = 1e-2  # of a parameter: above the jumps of a motion whose joints stick a step sooner or later
CLOE_NEAR = 2.0  # standard deviations: sensitivities of a point this near serve
CLOE_PROGRESS = 0.8  # of the step before: sensitivities that progress less are computed again
CLOE_TIME_LIMIT = 120.0  # s: the longest time that users wait for without having chosen it

# -- times of a log

EVEN_STEP = 0.01  # of the step between samples: clocks that are read have some scatter
CLOCK_MULTIPLE = 1e-4  # of a unit of the clock: round-off of times that are whole multiples of it
LOST_SAMPLE = 1.5  # of the usual step: a longer one may be a lost sample
MANY_LOST = 0.1  # of the samples: if more steps are as long, rounding is the cause
CLOCK_DRIFT = 1e-3  # of the rate: difference between the clock of the stamps and that of the samples
SLOWEST_LOG, FASTEST_LOG = 5.0, 1e6  # samples per second: others are no logs of a motion

# -- values of a log

BEYOND_EFFORT = 10.0  # of the effort limit: larger torques are in another unit
BEYOND_RANGE = 1.2  # of the span of the position limits: larger positions are in another unit
JUMP_NEIGHBOURS = 8  # steps to each side with which a step is compared
JUMP_ALIKE = 0.1  # of a step: smaller neighbours differ from it
JUMP_OTHERS = 2  # steps nearby that may be as large: a spike has two
JUMP_LEAST = 1e-3  # rad: smaller steps may be those of coarse encoders
JUMP_ACCELERATION = 1e3  # rad/s^2: no joint accelerates more
JUMP_USUAL = 10.0  # of the median step that is not zero
JUMP_STEPS = 8  # such steps determine what is usual
WHOLE_TURN = 0.05  # of a turn
SPIKE_REST = 0.2  # of a jump: what may remain of a spike
VELOCITY_AT_REST = 1e-6  # rad/s: the sign of a slower joint is round-off
LONGEST_DELAY = 0.1  # of the log
DELAY_ROWS = 32  # rows of a log: fewer do not determine a delay
QUATERNION_LENGTH = 0.01  # by which a quaternion's length may differ from 1, and a whole turn from 2 pi (rad)

# -- motion and noise of joints

DIAGNOSED_SAMPLES = 20_000  # samples from which the noise and the units of a log are determined
REST_SAMPLES = 50  # samples: fewer do not separate motion from noise
ENCODER_COUNTS = 3.0  # counts that an encoder may move by at rest
EQUAL_POSITIONS = 1e-6  # of the range of a joint: closer values are equal
NOISE_RANGE = 2.0  # standard deviations by which the range of a motion exceeds that of noise
CERTAIN_MOTION = 30.0  # ranges of noise: a joint with a larger range moves, however noisy its velocity is
NOISE_VELOCITY = 2.0  # of the expected velocity of noise: more is motion
PEAK_VELOCITY, PEAK_SAMPLES = (
    5.0,
    1e-3,
)  # standard deviations; share of samples beyond them that noise does not have
SIGNIFICANT = 3.0  # standard deviations: less may be chance
SLOW_SAMPLES = 0.2  # share of samples within noise from which a slow joint is reported
REST_SHARE = 0.03  # the same of samples in which the joint rests
SHORT_MOTION = 1e-3  # of the range of another joint of the same kind

# -- units of a log

RATE_WINDOW = 0.1  # s: noise averages out over this time
LEAST_CHANGE = 0.01  # rad: windows with smaller changes are not compared
FACTOR_OF_RATES = (
    0.2  # of 1, by which the factor of a derivative may differ: offsets and filters are no units
)
WOUND_UP, FAST_JOINT = 3 * pi, 20.0  # rad, rad/s: beyond both, positions may be in degrees
ONE_WAY = 0.9  # of the path of a joint that leads onward: more is a continuous rotation
FASTEST_JOINT = 60.0  # rad/s: no joint goes to and fro faster
BEYOND_VELOCITY = 3.0  # of the velocity limit of the robot
BETTER_FIT = 0.8  # of a residual: another unit, assembly or factor that leaves less is the cause
ROWS_PER_COLUMN = 5  # rows for each parameter: fewer determine neither residuals nor deviations reliably
ROWS_PER_COLUMN_OF_ASSEMBLY = 3  # the same for the residuals of assembly modes, which differ more
UNIT_RESIDUAL = 1e-4  # of the torques: smaller residuals are of rounding
NO_EFFECT = 1e-6  # of the torques: a smaller residual or bias has no effect

# -- diagnostics of an estimate

UNEXPLAINED = 0.5  # of the torques
SMALL_EFFECT = 5e-3  # of the torques: a parameter with a smaller effect may have any sign
THOUSANDFOLD = (300.0, 3000.0)  # factor that a wrong unit gives: nominal values are not the true ones
PROPORTIONAL = 0.5  # correlation of torques that are in proportion
CONSTRAINED_BETTER = 0.02  # of the residual, by which constraints may reduce it
INCONSISTENT_RATIO = (
    1.2  # squared residual per row, by that of each equation alone, which is 1 except for chance
)
FACTOR_ERROR = 0.2  # difference of a factor of torques from 1: torque constants are known better
FACTOR_DEVIATIONS = 5.0  # standard deviations by which such a factor differs from 1
EXPLAINED_RATIO = 2.0  # as INCONSISTENT_RATIO: what a factor that is the cause leaves at most
EXPLAINED_SHARE = 0.1  # of the squared residual: the same where the model has other errors besides
EQUIVALENT_COST = 1.25  # of the least squared residual: factors of other joints below it explain as much
JOINT_RATIO = 2.0  # residual of a joint, by that of its own equation alone: more contradicts the other joints
JOINT_SHARE = (
    0.1  # residual of a joint, of its torques: less is not reported without a factor that explains it
)
NOISE_RATIO = 2.0  # residual of a joint, by the white noise of its torques: less is noise
DELAY_DEVIATIONS = 4.0  # standard deviations of a delay from zero
DELAY_EFFECT = 1e-5  # of the torques: a delay with a smaller effect is an error of interpolation
HOLD_SAMPLES = 0.1  # samples from minus half a sample: less is the delay of a zero-order hold
BIAS_DEVIATIONS = 1.0  # standard deviations from which a bias is reported
NOISE_BIAS_DEVIATIONS = 1.5  # the same of noise on positions: changes of friction's sign look like some
TLS_DEVIATIONS = 4.0  # standard deviations between total and weighted least squares
AUTOCORRELATED = 3.5  # standard deviations of drawn white noise
AUTOCORRELATION_RATIO = 1.1  # of the deviations for white noise: the least ratio that widens them
RESOLVED_MEAN, RESOLVED_WORST = (
    0.5,
    1.5,
)  # standard deviations between estimates with longer and shorter steps
RESOLVED_EFFECT = 1e-3  # of the torques: the same of logs with hardly any noise
ELIMINATION_RATIO = 15.0  # of the least relative deviation: parameters beyond it are candidates to be removed
ELIMINATION_LEVEL = 0.05  # probability that the F test removes too few parameters
HUBER = 1.345  # standard deviations: 95 % of the efficiency of least squares on normal noise
LOCKED_JOINT = 0.9  # of the load: a joint that loses more would lock itself
CONSISTENT_MARGIN = 1e-6  # kg: least eigenvalue of a pseudo-inertia, lengths in units of the robot's own

# -- excitation

NOT_EXCITED = 1e8  # condition number beyond which a motion does not show all parameters
LIMIT_IN_USE = 0.99  # of a limit, from which it restricts the motion
WIDEST_RANGE = pi  # rad: half the range of a revolute joint without limits
SPOILT_CONDITION = 2.0  # of the condition before a motion was reduced to keep its limits
LARGEST_ENTRY = 1e100  # of the regressor: its square is a number too
KEPT_LIMIT = 1 - 1e-7  # of a limit: the digits of a file are fewer than those here
TORQUE_PEAK = 0.95  # of the largest torque, from which a peak is refined

# -- calibration

RESIDUAL_LENGTH = 0.01  # of the robot's size: sound measurements leave less
RESIDUAL_ANGLE = 0.05  # rad: the same
LARGE_ANGLE = 0.2  # rad: no frame of a robot needs a larger correction
OTHER_JOINT = 1.0  # rad: with a larger correction the joint is another one
LARGE_LENGTH = 0.1  # of the robot's size: no frame needs a larger correction
LARGE_GAIN = 0.1  # of 1
DISTANT_BASE = 30.0  # of the robot's size
DISTANT_END = 3.0  # of the robot's size: tools and markers are nearer
ABOVE_NOISE = 5.0  # of the noise that was given
EQUATIONS_PER_UNKNOWN = 2  # fewer equations: more unknowns reduce the residual by themselves
FAINT_GAIN = 0.02  # of the strongest effect of a gain
HALF_RESIDUAL = 0.5  # of the residual: another reading or gains that leave less are the cause
TWICE_RESIDUAL = 2.0  # of the residual: what another reading may leave, where corrections are too large
LARGE_ANCHOR_MISMATCH = 0.4  # of the robot's size: the robot as described is nowhere near the measurements
PLAUSIBLE_PLACEMENT = 0.1  # of the robot's size: residual of a robot that is only placed elsewhere
GOOD_PLACEMENT = 0.02  # of the robot's size: the same where no unit, sign or order is mistaken
SIMILAR_PLACEMENT = 5.0  # of the residual of the best placement: others may become better
EQUIVALENT_PLACEMENT = 1.5  # of the residual of the best fit: others cannot be excluded
DIFFERENT_PREDICTION = 10.0  # of the residual: two fits that differ more at other postures are different
BETTER_START = 1e-6  # of the residual, by which another start must be better
LEAST_OFFSET = 0.01  # of the robot's size: a shorter lever does not show further parameters well
NEAR_ROTATION = 1.0  # rad: from there Gauss and Newton's method converges
NEAR_POINT = 0.3  # of the robot's size: the same for the point of distances
SAME_PLACEMENT = 0.02  # rad, or of the robot's size
DIFFERENT_ROTATION = 0.3  # rad
EQUAL_COST = 1e-7  # of the range of costs: these are equal
MEAN_SQUARE_ROUND_OFF = 1e-20  # of the squared size of the robot
STRONG_CORRELATION = 0.95  # of two calibrated parameters, from which it is listed

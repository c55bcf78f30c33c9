"""Tolerances and limits of identification, each with its unit and its reason.

"Relative to" and "share of" denote dimensionless numbers. Lengths are relative to the robot's size (its largest reach);
positions of prismatic joints are divided by the robot's length, so that one limit in radians serves both joint types.
"""

from __future__ import annotations

from math import pi

# -- numbers

TINY = 1e-300  # any unit: avoids a division by zero
ROUND_OFF = 1e-9  # share: differences of this size are round-off of the computation or of a file's digits
NEGLIGIBLE_COLUMN = (
    1e-10  # norm of the part of a unit column that is independent of others: a smaller one is round-off
)
RANK = 1e-7  # of unit columns: above the round-off of filters (1e-9), below changes that affect a residual
COLUMN_IN_SPAN = (
    1e-8  # of unit columns at random motions: a smaller distance from the span of others is round-off
)
SMALL_COEFFICIENT = 1e-3  # of unit columns: smaller terms of a linear dependence are not listed
SMALL_SHARE_OF_COLUMN = (
    1e-6  # coefficient of unit columns: smaller contributions to a linear combination are ignored
)
LEAST_EIGENVALUE = 1e-13  # relative to the largest eigenvalue of the correlations: smaller ones are round-off
EXACT_PARAMETER = 1e-6  # relative to a parameter: smaller deviations exceed the accuracy of the solver
PASSIVE_RATE = (
    1e-6  # relative to the largest rate of a passive joint for a unit rate of another: less is round-off
)

# -- iterations

ITERATIONS = 30  # largest number of iterations of IDIM-IV, DIDIM, load-dependent friction, and alignments
IRLS_ITERATIONS = 100  # iterations: weights converge linearly
CLOE_ITERATIONS = 40  # damped Gauss-Newton steps
GEOMETRIC_ITERATIONS = 50  # Gauss-Newton steps of a calibration
TRIAL_ITERATIONS = 15  # steps with another unit or convention: the correct one converges quickly
FACTOR_ITERATIONS = 20  # steps for the factor of one joint's torques
WEIGHT_ITERATIONS = 3  # steps for the weights of the joints in the start of the drive gains
DELAY_ITERATIONS = 12  # steps for the delay of torques
UNDAMPED_ITERATIONS = 5  # iterations before steps are halved: an iteration may alternate between two states
SCALING_ITERATIONS = (
    20  # iterations of IRLS in which sigma is estimated again: a median changes discontinuously
)
REWEIGHTING_ITERATIONS = 4  # iterations of calibration in which the noise is estimated from the residuals
CONVERGED = 0.1  # standard deviations: a joint that begins to stick changes the estimate discontinuously
DELAY_CONVERGED = 0.05  # standard deviations of the delay
FACTOR_CONVERGED = 1e-3  # relative to the factor of one joint's torques
IRLS_CONVERGED = 1e-8  # relative to the torques
IRLS_CONVERGED_DEVIATIONS = 1e-4  # standard deviations, if these exceed the limit relative to the torques
GEOMETRIC_CONVERGED = 1e-12  # relative to the residual: full accuracy
CLOE_ROUGHNESS = 1e-3  # relative to the squared error: its discontinuity where friction changes its sign
CLOE_STEP = (
    1e-2  # relative to a parameter: above the discontinuities by joints that stick a step earlier or later
)
CLOE_NEAR = 2.0  # standard deviations: sensitivities at a point this near are reused
CLOE_PROGRESS = 0.8  # relative to the previous step: sensitivities are recomputed if the steps decrease less
CLOE_TIME_LIMIT = 120.0  # s: default limit of the computing time

# -- times of a log

EVEN_STEP = (
    0.01  # relative to the sampling interval: smaller differences are used if the positions confirm them
)
NEGLIGIBLE_JITTER = 1e-4  # relative to the sampling interval: moves a joint by less than encoders resolve
CLOCK_MULTIPLE = 1e-4  # relative to a unit of the clock: round-off of times that are integer multiples of it
SAME_TIME = 1e-6  # relative to the period: round-off of times after hours
LOST_SAMPLE = 1.5  # relative to the period: a longer step may be a lost sample
LONGEST_STEP = (
    3.5  # relative to the period: interpolation over a longer step loses the band of a robot's motion
)
DECREASING_STEP = (
    0.5  # relative to the period: stamps that differ more from the next one are in the wrong order
)
CLOSE_STEP = (
    0.25  # relative to the period: interpolation through samples this close multiplies their noise by four
)
REGULAR_STEPS = 0.5  # share of the steps within DECREASING_STEP of the period: with fewer there is no period
BAND_ERROR = 0.01  # relative to a sine: error of interpolation at the limit of the band that remains usable
CLOCK_DRIFT = (
    1e-3  # relative to the rate: difference between the clock of the time stamps and that of the samples
)
SLOWEST_LOG, FASTEST_LOG = 5.0, 1e6  # samples per second: other rates indicate a wrong unit of time

# -- values of a log

BEYOND_EFFORT = 10.0  # relative to the effort limit: larger torques are in another unit
BEYOND_RANGE = 1.2  # relative to the range of the position limits: larger positions are in another unit
JUMP_NEIGHBOURS = 8  # steps to each side with which a step is compared
JUMP_ALIKE = 0.1  # relative to a step: smaller neighbours differ from it
JUMP_OTHERS = 2  # steps nearby that may be as large: a spike has two
JUMP_LEAST = 1e-3  # rad: smaller steps may be those of coarse encoders
JUMP_ACCELERATION = 1e3  # rad/s^2: no joint accelerates more
JUMP_USUAL = 10.0  # relative to the median nonzero step
JUMP_STEPS = 8  # number of nonzero steps that determine the median reliably
WHOLE_TURN = 0.05  # relative to a turn
SPIKE_REST = 0.2  # relative to a jump: the remainder of a spike
VELOCITY_AT_REST = 1e-6  # rad/s: the sign of a slower joint is round-off
LONGEST_DELAY = 0.1  # share of the length of the log
DELAY_ROWS = 32  # rows of a log: fewer do not determine a delay
DELAY_DECIMATION = 3  # decimation of the rows for a delay: unfiltered ones jump where dry friction reverses
DELAY_STEADY_ROWS = 3  # rows to each side of a reversal: 2 % of a jump remains beyond them after decimation
QUATERNION_LENGTH = (
    0.01  # largest difference of a quaternion's length from 1, and of a full turn from 2 pi (rad)
)

# -- motion and noise of joints

DIAGNOSED_SAMPLES = 20_000  # samples from which the noise and the units of a log are determined
REST_SAMPLES = 50  # samples: fewer do not separate motion from noise
ENCODER_COUNTS = 3.0  # counts by which an encoder may change at rest
EQUAL_POSITIONS = 1e-6  # relative to the range of a joint: closer values are equal
NOISE_RANGE = 2.0  # standard deviations by which the range of a motion exceeds that of noise
CERTAIN_MOTION = 30.0  # ranges of noise: a joint with a larger range moves, however noisy its velocity is
NOISE_VELOCITY = 2.0  # relative to the expected velocity of noise: more is motion
PEAK_VELOCITY, PEAK_SAMPLES = (
    5.0,
    1e-3,
)  # standard deviations; a larger share of samples beyond them is not noise
NORMAL_95 = 1.959963984540054  # standard deviations: half a 95 % interval of the normal distribution
SIGNIFICANT = 3.0  # standard deviations: less may be chance
SLOW_SAMPLES = 0.2  # share of samples within noise from which a slow joint is reported
REST_SHARE = 0.03  # share of samples at rest from which a slow joint is reported
SHORT_MOTION = 1e-3  # relative to the range of another joint of the same type
CONSTANT_TORQUE = 1e-3  # standard deviations of its noise: a torque that varies by less is not measured
NEAR_LARGEST = 0.05  # of the range of a torque: interpolated samples exceed a limited torque by less
SATURATED_SHARE = (
    0.005  # share of samples at the largest or smallest torque from which saturation is reported
)
SATURATED_SAMPLES = 8  # times the longest constant torque elsewhere, which coarse steps of the torque cause

# -- units of a log

RATE_WINDOW = 0.1  # s: noise averages out over this time
LEAST_CHANGE = 0.01  # rad: windows with smaller changes are not compared
FACTOR_OF_RATES = (
    0.2  # largest difference of the factor of a derivative from 1: offsets and filters cause smaller ones
)
WOUND_UP, FAST_JOINT = 3 * pi, 20.0  # rad, rad/s: beyond both, positions may be in degrees
ONE_WAY = 0.9  # net motion relative to the path length of a joint: more is a continuous rotation
FASTEST_JOINT = 60.0  # rad/s: no joint oscillates faster
BEYOND_VELOCITY = 3.0  # relative to the velocity limit of the robot
BETTER_FIT = (
    0.8  # relative to a residual: another unit, assembly mode or factor with a smaller one is the cause
)
ROWS_PER_COLUMN = 5  # rows per parameter: fewer determine neither residuals nor deviations reliably
ROWS_PER_COLUMN_OF_ASSEMBLY = 3  # the same for the residuals of assembly modes, which differ more
UNIT_RESIDUAL = 1e-4  # relative to the torques: smaller residuals are caused by rounding
NO_EFFECT = 1e-6  # relative to the torques: a smaller residual or bias has no effect

# -- diagnostics of an estimate

UNEXPLAINED = 0.5  # residual relative to the torques
SMALL_EFFECT = 5e-3  # relative to the torques: a parameter with a smaller effect may have any sign
THOUSANDFOLD = (
    300.0,
    3000.0,
)  # range of the factor by a wrong unit: nominal values differ from the true ones
PROPORTIONAL = 0.5  # correlation of proportional torques
CONSTRAINED_BETTER = 0.02  # relative to the residual: largest reduction by constraints
INCONSISTENT_RATIO = (
    1.2  # squared residual per row relative to fits of single equations; about 1 for consistent torques
)
FACTOR_ERROR = 0.2  # difference of a factor of torques from 1: torque constants are known better
FACTOR_DEVIATIONS = 5.0  # standard deviations by which such a factor differs from 1
EXPLAINED_RATIO = 2.0  # as INCONSISTENT_RATIO: largest ratio that remains with a factor that is the cause
EXPLAINED_SHARE = 0.1  # relative to the squared residual: the same if the model has further errors
EQUIVALENT_COST = (
    1.25  # relative to the smallest squared residual: factors of other joints below it explain as much
)
JOINT_RATIO = (
    2.0  # residual of a joint relative to a fit of its equation alone: more contradicts the other joints
)
JOINT_SHARE = (
    0.1  # residual of a joint relative to its torques: less is not reported without a factor that explains it
)
NOISE_RATIO = 2.0  # residual of a joint relative to the white noise of its torques: less is noise
DELAY_DEVIATIONS = 4.0  # standard deviations of a delay from zero
DELAY_EFFECT = 1e-5  # relative to the torques: a delay with a smaller effect is an interpolation error
HOLD_SAMPLES = (
    0.1  # samples: largest difference of a delay from minus half a sample that indicates a zero-order hold
)
BIAS_DEVIATIONS = 1.0  # standard deviations from which a bias is reported
NOISE_BIAS_DEVIATIONS = 1.5  # the same for noise on positions: sign changes of friction resemble noise
TLS_DEVIATIONS = 4.0  # standard deviations between total and weighted least squares
AUTOCORRELATED = 3.5  # standard deviations of simulated white noise
AUTOCORRELATION_RATIO = 1.1  # relative to the deviations for white noise: smallest ratio that widens them
RESOLVED_MEAN, RESOLVED_WORST = (
    0.5,
    1.5,
)  # standard deviations between estimates with longer and shorter steps
RESOLVED_EFFECT = 1e-3  # relative to the torques: the same for logs with hardly any noise
ELIMINATION_RATIO = (
    15.0  # relative to the smallest relative deviation: parameters beyond it are candidates for removal
)
ELIMINATION_LEVEL = 0.05  # probability that the F test removes too few parameters
HUBER = 1.345  # standard deviations: 95 % of the efficiency of least squares on normal noise
LOCKED_JOINT = 0.9  # relative to the load: a joint with more friction would be self-locking
CONSISTENT_MARGIN = 1e-6  # smallest eigenvalue of a pseudo-inertia, in units of the robot's largest parameter
MASS_AT_BOUND = 1e-3  # relative to the bound: the solver stops near an active bound

# -- verdict: by criterion, the largest value that passes and the largest value that is doubtful

VERDICT_LIMITS = {
    # relative to the torques of a joint: published models of industrial robots leave 3 % to 15 %
    "fit-residual": (0.2, UNEXPLAINED),
    "validation-residual": (0.2, UNEXPLAINED),
    # relative to the residual of the fit: friction that changes with temperature doubles it, an overfit exceeds this
    "validation-ratio": (2.0, 4.0),
    # residual of a joint relative to a fit of its equation alone: real robots have up to 1.07, late torques 2
    "joint-consistency": (1.2, 3.0),
    # difference from 1: torque constants are calibrated to 3 %; a wrong sign is 2, less may have other causes
    "torque-factor": (0.03, 2.0),
    # relative to deviations for white residuals: beyond 3, fewer than one in nine rows is independent; 10, one in 100
    "autocorrelation": (3.0, 10.0),
    # of unit columns: Gautier's limit; beyond 1e4, errors of 0.01 % in the rows dominate a parameter
    "condition": (100.0, 1e4),
    # relative to a parameter: twice its deviation is the parameter; its sign is unknown
    "deviation": (0.5, 1.0),
    # parameters per independent row: with two rows per parameter half of the noise is fitted
    "parameters-per-row": (1 / ROWS_PER_COLUMN, 0.5),
    # relative to the residual: noise alone costs 2 %; beyond 20 % the data contradict the constraints
    "consistency": (0.05, 0.2),
    # 0 without warnings, 1 for warnings, 2 for warnings that indicate wrong data
    "warnings": (0.0, 1.0),
}

# -- comparison

# relative to a coefficient of a sum, or to the largest ratio of a motor: digits of a file; more is another robot
SAME_GROUPING = 1e-6

# -- floating robots

GRAVITY_MISMATCH = (
    0.3  # relative to gravity: errors of accelerometers and mean accelerations of a log are smaller
)
SAMPLES_PER_COLUMN = 5  # samples per parameter: fewer do not determine the covariance of their rows

# -- excitation

NOT_EXCITED = 1e8  # condition number beyond which a motion does not excite all parameters
LIMIT_IN_USE = 0.99  # share of a limit from which it restricts the motion
WIDEST_RANGE = pi  # rad: half the range of a revolute joint without limits
SPOILT_CONDITION = 2.0  # relative to the condition number before a motion was reduced to satisfy its limits
LARGEST_ENTRY = 1e100  # entry of the regressor: its square is still finite
KEPT_LIMIT = 1 - 1e-7  # share of a limit: the numbers in a file have fewer digits
TORQUE_PEAK = 0.95  # share of the largest torque from which a peak is refined

# -- calibration

RESIDUAL_LENGTH = 0.01  # relative to the robot's size: correct measurements have smaller residuals
RESIDUAL_ANGLE = 0.05  # rad: correct measurements have smaller residuals
LARGE_ANGLE = 0.2  # rad: no frame of a robot needs a larger correction
OTHER_JOINT = 1.0  # rad: a larger correction indicates a different joint axis
LARGE_LENGTH = 0.1  # relative to the robot's size: no frame of a robot needs a larger correction
LARGE_GAIN = 0.1  # largest plausible gain error
DISTANT_BASE = 30.0  # relative to the robot's size
DISTANT_END = 3.0  # relative to the robot's size: tools and markers are nearer
ABOVE_NOISE = 5.0  # relative to the given noise
EQUATIONS_PER_UNKNOWN = 2  # with fewer equations, further unknowns always reduce the residual
FAINT_GAIN = 0.02  # relative to the strongest effect of a gain
HALF_RESIDUAL = 0.5  # relative to the residual: another convention or gains with a smaller one are the cause
TWICE_RESIDUAL = (
    2.0  # relative to the residual: largest one of another convention if corrections are too large
)
LARGE_ANCHOR_MISMATCH = (
    0.4  # relative to the robot's size: the nominal robot does not fit the measurements at any base pose
)
PLAUSIBLE_PLACEMENT = 0.1  # relative to the robot's size: residual of a correct robot on another base
GOOD_PLACEMENT = 0.02  # relative to the robot's size: the same if no unit, sign or order is wrong
SIMILAR_PLACEMENT = 5.0  # relative to the residual of the best alignment: refinement may make others better
EQUIVALENT_PLACEMENT = 1.5  # relative to the residual of the best fit: others cannot be excluded
DIFFERENT_PREDICTION = 10.0  # relative to the residual: two fits whose predictions differ more are different
BETTER_START = 1e-6  # relative to the residual: smallest improvement by another start
LEAST_OFFSET = (
    0.01  # relative to the robot's size: a shorter lever does not determine further parameters well
)
NEAR_ROTATION = 1.0  # rad: Gauss-Newton converges from smaller rotations
NEAR_POINT = 0.3  # relative to the robot's size: Gauss-Newton converges from smaller distances of the point
SAME_PLACEMENT = 0.02  # rad, or relative to the robot's size: alignments nearer than this are equal
DIFFERENT_ROTATION = 0.3  # rad: rotations nearer than this are equal
EQUAL_COST = 1e-7  # relative to the range of costs: costs nearer than this are equal
MEAN_SQUARE_ROUND_OFF = 1e-20  # relative to the squared size of the robot
WEAKEST_SHARE = 0.1  # of the unit combination that measurements determine least: its main parameters
STRONG_CORRELATION = 0.95  # correlation of two calibrated parameters from which it is listed

# -- collisions

DEFAULT_CLEARANCE = 0.01  # share of the sum of the robot's lengths: 1 cm for a reach of 1 m
CLEARANCE_TOLERANCE = 0.02  # share of the clearance: accuracy of the smallest distance along a motion
CLEARANCE_AIM = (
    1.1  # share of the clearance from which the optimisation is penalised: above 1 + the tolerance
)
POSTURE_DRAWS = 2000  # random postures that are tried as the middle of a motion without collision
VERIFICATION_SAMPLES = 2000  # samples per shortest period with which the final motion is verified

# -- postures for calibration

RANDOM_SETS = 200  # random sets of postures with which the selected one is compared
DRAWS_PER_CANDIDATE = 100  # random postures per candidate before the search for candidates is given up
EXCHANGE_GAIN = 1e-9  # logarithm of the determinant: a smaller gain of an exchange is round-off
SINGULAR_INFORMATION = (
    1e-12  # relative to the mean eigenvalue: added while fewer postures than needed are left
)
POSTURE_STEPS = (
    0.4,
    0.2,
    0.1,
    0.05,
)  # share of half the range of each joint: sizes of the changes of a posture
POSTURE_CHANGES = 20  # random changes of each posture per step size

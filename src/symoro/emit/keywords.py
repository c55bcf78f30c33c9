"""Words that cannot be names in each language: keywords, and functions that the emitted code calls."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the set of words in a text."""
    return frozenset(text.split())


_CPP_KEYWORDS = words(
    """
    alignas alignof and and_eq bitand bitor catch char16_t char32_t class compl concept const_cast constexpr
    decltype delete dynamic_cast explicit export friend import module mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert
    static_cast template this thread_local throw try typeid typename using virtual xor xor_eq co_await
    co_return co_yield consteval constinit
    """
)

# Functions of the kernels, as named in most languages.
KERNELS = words(
    """
    solve_ circle_ circle_left_ circle_resolvent_ circle_order_ quartic_ quartic_sizes_ quartic_degree_
    quartic_unit_ quartic_polish_ closed_chain_ refine_ refine_miss_ refine_solve_ refine_row_ refine_rows_
    refine_weak_ refine_again_ refine_one_ refine_turn_ refine_chain_ polynomial_roots_
    """
)

# Macros of float.h, math.h, stddef.h and stdio.h, and those that compilers define without an underscore.
_C_MACROS = words(
    """
    BUFSIZ DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON DBL_HAS_SUBNORM DBL_MANT_DIG DBL_MAX DBL_MAX_10_EXP DBL_MAX_EXP
    DBL_MIN DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN DBL_NORM_MAX DECIMAL_DIG DOMAIN EOF EXCEPTION_DEFINED
    FILENAME_MAX FLT_DECIMAL_DIG FLT_DIG FLT_EPSILON FLT_EVAL_METHOD FLT_HAS_SUBNORM FLT_MANT_DIG FLT_MAX
    FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP FLT_NORM_MAX FLT_RADIX FLT_ROUNDS FLT_TRUE_MIN
    FOPEN_MAX FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_INT_DOWNWARD
    FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO FP_INT_UPWARD FP_LLOGB0 FP_LLOGBNAN FP_NAN
    FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE HUGE_VALF HUGE_VALL INFINITY LDBL_DECIMAL_DIG LDBL_DIG LDBL_EPSILON
    LDBL_HAS_SUBNORM LDBL_MANT_DIG LDBL_MAX LDBL_MAX_10_EXP LDBL_MAX_EXP LDBL_MIN LDBL_MIN_10_EXP LDBL_MIN_EXP
    LDBL_NORM_MAX LDBL_TRUE_MIN L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT M_1_PI M_2_PI
    M_2_SQRTPI M_3PI_4 M_E M_INVLN2 M_IVLN10 M_LN10 M_LN2 M_LN2HI M_LN2LO M_LOG10E M_LOG2E M_LOG2_E M_PI M_PI_2
    M_PI_4 M_SQRT1_2 M_SQRT2 M_SQRT3 M_SQRTPI M_TWOPI OVERFLOW PLOSS P_tmpdir SEEK_CUR SEEK_END SEEK_SET
    SING SNAN SNANF SNANL TLOSS TMP_MAX UNDERFLOW X_TLOSS i386 linux math_errhandling mips offsetof
    signgam stderr stdin stdout sun sparc unix vax
    """
)

# The header of the C code can be included in C++, so that the keywords of both are reserved.
C = (
    _CPP_KEYWORDS
    | _C_MACROS
    | KERNELS
    | words(
        """
    auto break case char const continue default do double else enum extern float for goto if inline int
    long register restrict return short signed sizeof static struct switch typedef union unsigned void
    volatile while asm typeof bool true false main errno NULL INFINITY NAN HUGE_VAL size_t ptrdiff_t
    wchar_t sqrt sin cos tan asin acos atan2 exp fabs abs sqrtf sinf cosf tanf asinf acosf atan2f expf fabsf
    sign_ min_ max_ show printf symoro
    """
    )
)

# Functions of libm that the code does not call: a variable may have such a name, a function may not.
LIBM = words(
    """
    atan log log10 log2 pow hypot sinh cosh tanh asinh acosh atanh ceil floor round trunc rint fmod modf
    ldexp frexp fmin fmax fma fdim erf erfc gamma tgamma lgamma cbrt expm1 log1p exp2 logb ilogb scalbn
    nearbyint lrint lround remainder remquo copysign nan nextafter nexttoward j0 j1 jn y0 y1 yn
    """
)

# Definitions of the C and C++ headers; both may be included in one file.
MACROS = ("{0}_H", "{0}_HPP", "{0}_PARAMETERS", "{0}_CONSTANTS")

CPP = C | words("std detail Scalar PARAMETERS CONSTANTS")

CUDA = C | words(
    "blockDim blockIdx gridDim threadIdx warpSize dim3 stream sincos sincosf fma fmaf SAMPLES place"
)

FORTRAN = KERNELS | words(
    """
    allocate associate block call case class common complex contains continue critical cycle data
    deallocate dimension do double elemental else elseif elsewhere end enddo endif entry enum
    equivalence exit external final forall format function generic go goto if implicit import include
    inquire integer intent interface intrinsic kind len logical module namelist none nullify only open
    operator optional out parameter pause pointer print private procedure program protected public pure
    read real recursive result return save select sequence stop subroutine target then type use value
    where while write sqrt sin cos tan asin acos atan2 exp abs min max merge sign_ wp real64
    """
)

MATLAB = KERNELS | words(
    """
    break case catch classdef continue else elseif end endfunction endif endwhile endfor for function
    global if methods otherwise parfor persistent properties return spmd switch try until unwind_protect
    while do double sqrt sin cos tan asin acos atan2 exp abs sign min max zeros isstruct isreal ans pi Inf NaN
    eps numel size isvector isa class error
    nargin nargout real_sqrt real_asin real_acos select_
    """
)

JULIA = KERNELS | words(
    """
    baremodule begin break catch const continue do else elseif end export false finally for function
    global if import in isa let local macro module mutable quote return struct true try using where
    while abstract primitive type ccall Inf NaN pi im missing nothing sqrt sin cos tan asin acos atan
    exp abs sign min max ifelse zeros float promote_type eltype length fill real_sqrt real_asin real_acos
    PARAMETERS Element AbstractDict size throw DimensionMismatch
    """
)

# Keywords of modules (strict mode) and of TypeScript declarations; globals that the code uses; its exports.
JAVASCRIPT = words(
    """
    arguments async as await break case catch class const continue debugger declare default delete do else enum
    eval export extends false finally for from function get if implements import in instanceof interface let
    module namespace new null number of package private protected public return set static string super switch
    this throw true try type typeof undefined unknown any never void var while with yield boolean object symbol
    NaN Infinity Math Object Array ArrayBuffer ArrayLike Float64Array Number Record TypeError globalThis
    PARAMETERS INPUTS OUTPUTS Parameter Outputs BatchOutputs Readonly out listed sample entry
    """
)

# Keywords of all editions, including reserved and weak ones; names of the prelude that cannot be variables; names of
# crates; names that the code defines.
RUST = words(
    """
    abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if
    impl in let loop macro macro_rules match mod move mut override priv pub raw ref return safe self Self static struct
    super trait true try type typeof union unsafe unsized use virtual where while yield
    bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize None Some Ok Err
    alloc core std test proc_macro demo main show
    PARAMETERS CONSTANTS
    """
)

MAPLE = KERNELS | words(
    """
    and assuming break by catch description do done elif else end error export fi finally for from
    global if implies in intersect local minus mod module next not od option options or proc quit read
    return save stop subset then to try union use uses while xor true false FAIL NULL infinity undefined
    Catalan D I O Pi gamma Digits Order constants Vector Matrix Array Zeta Beta GAMMA Psi Li Si Ci Ei
    sqrt sin cos tan arcsin arccos arctan exp abs signum min max piecewise solve nops seq eval evalf
    """
)

MATHEMATICA = words(
    """
    C D E I K N O Pi Sqrt Sin Cos Tan ArcSin ArcCos ArcTan Exp Abs Sign Min Max If Module With Block List Set
    True False Null Degree Infinity Indeterminate LinearSolve Partition Table Function Map Do While Return
    kernelSolve kernelCircle kernelQuartic kernelClosedChain kernelRefine kernelRefineMiss kernelRefineSolve
    kernelRefineRow kernelRefineWeak kernelRefineTurn kernelRefineAgain kernelRefineOne Switch Which Rule
    """
)

LISTING = words(
    "sqrt sin cos tan asin acos atan2 exp abs sign min max select solve circle quartic closed_chain refine pi"
)

// Math functions in 113 bits: the host's library for _Float128, and what it lacks. `hard_cases.rs` compiles this for
// its searches, and loads it. Results are a few units of 2^-113 off, those of `tgamma` some more: less than 2^-55 of a
// double's last place.
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

typedef _Float128 quad;
typedef quad function(quad x, quad y);

static const quad PI = 3.14159265358979323846264338327950288419716939937510582097494f128;

// Infinities, NaN and zeros of a library may differ from OpenCL's: these functions have OpenCL's.

static int is_whole(quad x) { return truncf128(x) == x; }

static int is_odd(quad x) { return is_whole(x) && fmodf128(x, 2) != 0; }

static quad quad_acospi(quad x, quad y) { return acosf128(x) / PI; }
static quad quad_asinpi(quad x, quad y) { return asinf128(x) / PI; }
static quad quad_atanpi(quad x, quad y) { return atanf128(x) / PI; }
static quad quad_atan2pi(quad y, quad x) { return atan2f128(y, x) / PI; }
static quad quad_degrees(quad x, quad y) { return x * (180 / PI); }
static quad quad_radians(quad x, quad y) { return x * (PI / 180); }
static quad quad_rsqrt(quad x, quad y) { return 1 / sqrtf128(x); }

// Sine of pi r for |r| <= 1, whose zeros have the sign of r.
static quad sine(quad r)
{
    quad a = fabsf128(r);
    a = a > 0.5f128 ? 1 - a : a;
    return copysignf128(a > 0.25f128 ? cosf128((0.5f128 - a) * PI) : sinf128(a * PI), r);
}

static quad quad_sinpi(quad x, quad y)
{
    if (!isfinite(x))
        return NAN;
    quad s = sine(remainderf128(x, 2));
    return s == 0 ? copysignf128(0, x) : s;
}

// The zeros are positive.
static quad quad_cospi(quad x, quad y)
{
    if (!isfinite(x))
        return NAN;
    quad a = fmodf128(fabsf128(x), 2);
    a = a > 1 ? 2 - a : a;
    return a == 0.5f128 ? 0 : a < 0.5f128 ? sine(0.5f128 - a) : -sine(a - 0.5f128);
}

// Spec: OpenCL C, "Additional Requirements Beyond ISO/IEC 9899:TC2".
static quad quad_tanpi(quad x, quad y)
{
    if (!isfinite(x))
        return NAN;
    if (is_whole(x))
        return copysignf128(0, is_odd(x) ? -x : x);
    if (is_whole(2 * x))
        return is_odd(x - 0.5f128) ? -INFINITY : INFINITY;
    return quad_sinpi(x, y) / quad_cospi(x, y);
}

static quad quad_tgamma(quad x, quad y) { return x < 0 && is_whole(x) ? NAN : tgammaf128(x); }

static quad quad_pow(quad x, quad y) { return powf128(x, y); }

static quad quad_powr(quad x, quad y)
{
    if (isnan(x) || isnan(y) || x < 0 || ((x == 0 || isinf(x)) && y == 0) || (x == 1 && isinf(y)))
        return NAN;
    return powf128(fabsf128(x), y);
}

static quad quad_rootn(quad x, quad n)
{
    if (isnan(x) || n == 0 || (x < 0 && !is_odd(n)))
        return NAN;
    // Within a unit or two of 2^-113 times log(x) / n.
    quad root = powf128(fabsf128(x), 1 / n);
    return is_odd(n) ? copysignf128(root, x) : root;
}

static quad quad_ldexp(quad x, quad n) { return scalbnf128(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n); }

#define OF_ONE(name) static quad quad_##name(quad x, quad y) { return name##f128(x); }
#define OF_TWO(name) static quad quad_##name(quad x, quad y) { return name##f128(x, y); }
OF_ONE(acos) OF_ONE(acosh) OF_ONE(asin) OF_ONE(asinh) OF_ONE(atan) OF_ONE(atanh) OF_ONE(cbrt) OF_ONE(cos) OF_ONE(cosh)
OF_ONE(erf) OF_ONE(erfc) OF_ONE(exp) OF_ONE(exp10) OF_ONE(exp2) OF_ONE(expm1) OF_ONE(log) OF_ONE(log10) OF_ONE(log1p)
OF_ONE(log2) OF_ONE(sin) OF_ONE(sinh) OF_ONE(sqrt) OF_ONE(tan) OF_ONE(tanh)
OF_TWO(atan2) OF_TWO(fdim) OF_TWO(fmod) OF_TWO(hypot) OF_TWO(remainder)

#define ROW(name) {#name, quad_##name}
static const struct { const char *name; function *of; } FUNCTIONS[] = {
    ROW(acos), ROW(acosh), ROW(acospi), ROW(asin), ROW(asinh), ROW(asinpi), ROW(atan), ROW(atan2), ROW(atan2pi),
    ROW(atanh), ROW(atanpi), ROW(cbrt), ROW(cos), ROW(cosh), ROW(cospi), ROW(degrees), ROW(erf), ROW(erfc), ROW(exp),
    ROW(exp10), ROW(exp2), ROW(expm1), ROW(fdim), ROW(fmod), ROW(hypot), ROW(ldexp), ROW(log), ROW(log10), ROW(log1p),
    ROW(log2), ROW(pow), {"pown", quad_pow}, ROW(powr), ROW(radians), ROW(remainder), ROW(rootn), ROW(rsqrt), ROW(sin),
    ROW(sinh), ROW(sinpi), ROW(sqrt), ROW(tan), ROW(tanh), ROW(tanpi), ROW(tgamma),
};

// Doubles, or floats (digits 24) as doubles: what `got` is off from the function's value in units of the last place of
// that, the number nearest to the value, and how much the value is above it, in the same units. Not 0 if the function
// is not known.
int quad_errors(const char *name, int digits, long n, const double *x, const double *y, const double *got,
                double *error, double *nearest, double *above)
{
    function *of = 0;
    for (unsigned f = 0; f < sizeof FUNCTIONS / sizeof *FUNCTIONS; f++)
        if (strcmp(name, FUNCTIONS[f].name) == 0)
            of = FUNCTIONS[f].of;
    if (!of)
        return 1;
    int most = digits == 53 ? 1023 : 127;
    quad beyond = scalbnf128(1, most + 1);
    for (long i = 0; i < n; i++) {
        quad value = of(x[i], y[i]);
        nearest[i] = digits == 53 ? (double)value : (float)value;
        above[i] = error[i] = 0;
        if (isnan(value) || isnan(got[i]) || isinf(value) || value == 0 || got[i] == value) {
            int same = isnan(value) ? isnan(got[i]) : got[i] == value && !signbit(got[i]) == !signbit(value);
            error[i] = same ? 0 : INFINITY;
            continue;
        }
        int exponent = ilogbf128(value);
        exponent = exponent > most ? most : exponent < 1 - most ? 1 - most : exponent;
        quad unit = scalbnf128(1, exponent - digits + 1);
        quad number = isinf(got[i]) ? copysignf128(beyond, got[i]) : got[i];
        above[i] = isinf(nearest[i]) ? 0 : (double)((value - nearest[i]) / unit);
        error[i] = isinf(got[i]) && got[i] == nearest[i] ? 0 : (double)fabsf128((number - value) / unit);
        if (number == 0 && !signbit(got[i]) != !signbit(value))
            error[i] = INFINITY;
    }
    return 0;
}

#include "bench.h"

static float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) * k
        * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    return d > 0 ? 1.0f - tail : tail;
}

/* Units: options. */
UNITS(black_scholes) {
    const float *price = a[0], *strike = a[1], *years = a[2];
    float *call = a[3], *put = a[4], rate = *(float *)a[5], volatility = *(float *)a[6];
    for (long i = from; i < to; i++) {
        float s = price[i], x = strike[i], t = years[i], spread = volatility * sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread, d2 = d1 - spread;
        float discounted = x * expf(-rate * t), n1 = normal(d1), n2 = normal(d2);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}

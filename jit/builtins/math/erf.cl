// erf, erfc. erf of doubles: Taylor's series around the nearest c = n/32, erf c + h slope(c) (1 + P(c, h)), where P comes from
// Hermite's polynomials in c. float erf: |x| < 1: x times a polynomial in x^2; beyond, 2^polynomial. erfc: |x| < 3/4: 1 - erf(x);
// beyond, erfc(a) = exp(-a^2) g(t) / (1 + 2a), t = (a - 4) / (a + 4), with the rounding error of a^2 carried.
//
// Tables: erf(n/32), and its slope 2/sqrt(pi) exp(-(n/32)^2) rounded to multiples of 2^-56.
// Coefficients: weighted minimax fits of erf(x)/x - 1, of exp(a^2) erfc(a) (1 + 2a) in t, and of log2(erfc(a)) on [1, 4]; in P,
// Taylor's up to h^4, and fits in c^2 of those of h^5 and h^6 with 0.91/64^2 times the next but one added; made for this file.
// Worst error seen (limit 16 ulp): float erf 1.14, erfc 0.51; double erf 1.96, erfc 3.00.

__constant double ERF[256] = {
    0.0, 0x1.20c5645dd2538p-5, 0x1.207d480e90658p-4, 0x1.b0081148a873ap-4, 0x1.1f5e1a35c3b89p-3, 0x1.662a0bdf7a89fp-3,
    0x1.ac45e37fe2526p-3, 0x1.f190aa85540e2p-3, 0x1.1af54e232d609p-2, 0x1.3c9aa8b84bedap-2, 0x1.5da9f415ff23fp-2,
    0x1.7e15944d9d3e4p-2, 0x1.9dd0d2b721f39p-2, 0x1.bccfec24855b8p-2, 0x1.db081ce6e2a48p-2, 0x1.f86faa9428f9dp-2,
    0x1.0a7ef5c18edd2p-1, 0x1.1855a5fd3dd5p-1, 0x1.25b8a88b6dd7fp-1, 0x1.32a54cb8db67bp-1, 0x1.3f196dcd0f135p-1,
    0x1.4b13713ad3513p-1, 0x1.569243d2b3a9bp-1, 0x1.61955607dd15dp-1, 0x1.6c1c9759d0e5fp-1, 0x1.762870f720c6fp-1,
    0x1.7fb9bfaed8078p-1, 0x1.88d1cd474a2ep-1, 0x1.91724951b8fc6p-1, 0x1.999d4192a5715p-1, 0x1.a1551a16aaeafp-1,
    0x1.a89c850b7d54dp-1, 0x1.af767a741088bp-1, 0x1.b5e62fce16095p-1, 0x1.bbef0fbde6221p-1, 0x1.c194b1d49a184p-1,
    0x1.c6dad2829ec62p-1, 0x1.cbc54b476248dp-1, 0x1.d0580b2cfd249p-1, 0x1.d4970f9ce00d9p-1, 0x1.d8865d98abe01p-1,
    0x1.dc29fb60715afp-1, 0x1.df85ea8db188ep-1, 0x1.e29e22a89d766p-1, 0x1.e5768c3b4a3fcp-1, 0x1.e812fc64db369p-1,
    0x1.ea7730ed0bbb9p-1, 0x1.eca6ccd709544p-1, 0x1.eea5557137aep-1, 0x1.f0762fde45ee6p-1, 0x1.f21c9f12f0677p-1,
    0x1.f39bc242e43e6p-1, 0x1.f4f693b67bd77p-1, 0x1.f62fe80272419p-1, 0x1.f74a6d9a38383p-1, 0x1.f848acb544e95p-1,
    0x1.f92d077f8d56dp-1, 0x1.f9f9ba8d3c733p-1, 0x1.fab0dd89d1309p-1, 0x1.fb54641aebbc9p-1, 0x1.fbe61eef4cf6ap-1,
    0x1.fc67bcf2d7b8fp-1, 0x1.fcdacca0bfb73p-1, 0x1.fd40bd6d7a785p-1, 0x1.fd9ae142795e3p-1, 0x1.fdea6e062d0c9p-1,
    0x1.fe307f2b503dp-1, 0x1.fe6e1742f7cf6p-1, 0x1.fea4218d6594ap-1, 0x1.fed37386190fbp-1, 0x1.fefcce6813974p-1,
    0x1.ff20e0a7ba8c2p-1, 0x1.ff404760319b4p-1, 0x1.ff5b8fb26f5f6p-1, 0x1.ff733814af88cp-1, 0x1.ff87b1913e853p-1,
    0x1.ff9960f3eb327p-1, 0x1.ffa89fe5b3625p-1, 0x1.ffb5bdf67fe6fp-1, 0x1.ffc10194fcb64p-1, 0x1.ffcaa8f4c9beap-1,
    0x1.ffd2eae369a07p-1, 0x1.ffd9f78c7524ap-1, 0x1.ffdff92db56e5p-1, 0x1.ffe514bbdc197p-1, 0x1.ffe96a78a04a9p-1,
    0x1.ffed167b12ac2p-1, 0x1.fff0312b010b5p-1, 0x1.fff2cfb0453d9p-1, 0x1.fff50456dab8cp-1, 0x1.fff6dee89352ep-1,
    0x1.fff86cfd3e657p-1, 0x1.fff9ba420e834p-1, 0x1.fffad0b901755p-1, 0x1.fffbb8f1049c6p-1, 0x1.fffc7a37857d2p-1,
    0x1.fffd1ac4135f9p-1, 0x1.fffd9fdeabccep-1, 0x1.fffe0e0140857p-1, 0x1.fffe68f4fa777p-1, 0x1.fffeb3ebb267bp-1,
    0x1.fffef1960d85dp-1, 0x1.ffff2436a21dcp-1, 0x1.ffff4db27f146p-1, 0x1.ffff6f9f67e55p-1, 0x1.ffff8b500e77cp-1,
    0x1.ffffa1de8c582p-1, 0x1.ffffb43555b5fp-1, 0x1.ffffc316d9edp-1, 0x1.ffffcf23ff5fcp-1, 0x1.ffffd8e1a2f22p-1,
    0x1.ffffe0bd3e852p-1, 0x1.ffffe710d565ep-1, 0x1.ffffec2641a9ep-1, 0x1.fffff039f9e8fp-1, 0x1.fffff37d63a36p-1,
    0x1.fffff618c3da6p-1, 0x1.fffff82cdcf1bp-1, 0x1.fffff9d446cccp-1, 0x1.fffffb248c39dp-1, 0x1.fffffc2f171e3p-1,
    0x1.fffffd01f36afp-1, 0x1.fffffda86faa9p-1, 0x1.fffffe2ba0ea5p-1, 0x1.fffffe92ced93p-1, 0x1.fffffee3cc32cp-1,
    0x1.ffffff233ee1dp-1, 0x1.ffffff54dab72p-1, 0x1.ffffff7b91176p-1, 0x1.ffffff99b79d2p-1, 0x1.ffffffb127525p-1,
    0x1.ffffffc355dfdp-1, 0x1.ffffffd169d0cp-1, 0x1.ffffffdc4ad7ap-1, 0x1.ffffffe4aed5ep-1, 0x1.ffffffeb24467p-1,
    0x1.fffffff01a8b6p-1, 0x1.fffffff3e8892p-1, 0x1.fffffff6d1e56p-1, 0x1.fffffff90b2e3p-1, 0x1.fffffffabd229p-1,
    0x1.fffffffc0748fp-1, 0x1.fffffffd01f89p-1, 0x1.fffffffdbff2ap-1, 0x1.fffffffe4fa3p-1, 0x1.fffffffebc1a9p-1,
    0x1.ffffffff0dd2bp-1, 0x1.ffffffff4b453p-1, 0x1.ffffffff79626p-1, 0x1.ffffffff9bec8p-1, 0x1.ffffffffb5be5p-1,
    0x1.ffffffffc901cp-1, 0x1.ffffffffd759dp-1, 0x1.ffffffffe202dp-1, 0x1.ffffffffe9ebp-1, 0x1.ffffffffefc57p-1,
    0x1.fffffffff4188p-1, 0x1.fffffffff748ep-1, 0x1.fffffffff9a1bp-1, 0x1.fffffffffb5bp-1, 0x1.fffffffffc9e8p-1,
    0x1.fffffffffd8b3p-1, 0x1.fffffffffe38p-1, 0x1.fffffffffeb6p-1, 0x1.ffffffffff11ap-1, 0x1.ffffffffff542p-1,
    0x1.ffffffffff845p-1, 0x1.ffffffffffa73p-1, 0x1.ffffffffffc05p-1, 0x1.ffffffffffd27p-1, 0x1.ffffffffffdf8p-1,
    0x1.ffffffffffe8dp-1, 0x1.ffffffffffef8p-1, 0x1.fffffffffff45p-1, 0x1.fffffffffff7bp-1, 0x1.fffffffffffa2p-1,
    0x1.fffffffffffbep-1, 0x1.fffffffffffd1p-1, 0x1.fffffffffffdfp-1, 0x1.fffffffffffe9p-1, 0x1.ffffffffffffp-1,
    0x1.ffffffffffff5p-1, 0x1.ffffffffffff8p-1, 0x1.ffffffffffffbp-1, 0x1.ffffffffffffcp-1, 0x1.ffffffffffffdp-1,
    0x1.ffffffffffffep-1, 0x1.fffffffffffffp-1, 0x1.fffffffffffffp-1, 0x1.fffffffffffffp-1, 0x1p+0, 0x1p+0};

__constant double ERF_SLOPE[256] = {
    0x1.20dd750429b6dp+0, 0x1.209546ad13ccfp+0, 0x1.1fbd27cdc72d3p+0, 0x1.1e565bca400d4p+0, 0x1.1c62fa1e869b6p+0,
    0x1.19e5e92b964abp+0, 0x1.16e2d7093cd8cp+0, 0x1.135e3075d076bp+0, 0x1.0f5d1602f7e41p+0, 0x1.0ae54fa490723p+0,
    0x1.05fd3ecbec298p+0, 0x1.00abcf3e187a9p+0, 0x1.f5f0cdaf15313p-1, 0x1.e9d5a8e4c934ep-1, 0x1.dd167c4cf9d2ap-1,
    0x1.cfc41e36c7df9p-1, 0x1.c1efca49a5011p-1, 0x1.b3aafcc27502ep-1, 0x1.a5074e215762p-1, 0x1.96164fafd8de3p-1,
    0x1.86e9694134b9ep-1, 0x1.7791b886e7403p-1, 0x1.681ff24b4ab04p-1, 0x1.58a445da7c74cp-1, 0x1.492e42d78d2c5p-1,
    0x1.39ccc1b136d5ap-1, 0x1.2a8dcede3673bp-1, 0x1.1b7e98fe26217p-1, 0x1.0cab61f084b93p-1, 0x1.fc3ee5d1524bp-2,
    0x1.dfca26f5bbf88p-2, 0x1.c40b0729ed548p-2, 0x1.a911f096fbc26p-2, 0x1.8eed36b886d94p-2, 0x1.75a91a7f4d2edp-2,
    0x1.5d4fd33729015p-2, 0x1.45e99bcbb7915p-2, 0x1.2f7cc3fe6f424p-2, 0x1.1a0dc51a9934dp-2, 0x1.059f59af7a906p-2,
    0x1.e4652fadcb6b2p-3, 0x1.bf8e1b1ca2279p-3, 0x1.9cb5bd549b111p-3, 0x1.7bd5c7df3fe9cp-3, 0x1.5ce595c455b0ap-3,
    0x1.3fda6bc016994p-3, 0x1.24a7b84d38972p-3, 0x1.0b3f52ce8c384p-3, 0x1.e723726b824a9p-4, 0x1.bb1c972f23e5p-4,
    0x1.92470a61b6965p-4, 0x1.6c7e64e7281cbp-4, 0x1.499d478bca735p-4, 0x1.297db960e4f63p-4, 0x1.0bf97e95f2a64p-4,
    0x1.e1d4cf1e2450ap-5, 0x1.b055303221016p-5, 0x1.83298d717210ep-5, 0x1.5a08e85af27ep-5, 0x1.34ac36ad8dafep-5,
    0x1.12ceb37ff9bc4p-5, 0x1.e85c449e377f4p-6, 0x1.b1160991ff738p-6, 0x1.7f5188610ddc8p-6, 0x1.529b9e8cf9a2p-6,
    0x1.2a875b5ffab58p-6, 0x1.06ae13b0d3254p-6, 0x1.cd5ec93c1243p-7, 0x1.94624e78e0fbp-7, 0x1.61beae53b72b8p-7,
    0x1.34d7dbc76d7e8p-7, 0x1.0d1d69569b83p-7, 0x1.d4143a9dfe96p-8, 0x1.9646f35a7662p-8, 0x1.5ff2750fe782p-8,
    0x1.30499b503958p-8, 0x1.06918b635562p-8, 0x1.c4412bf4b8fp-9, 0x1.84ba3004a50cp-9, 0x1.4d78bba8ca6p-9, 0x1.1d83170fbf7p-9,
    0x1.e7f232d9e264p-10, 0x1.a024365f771cp-10, 0x1.6235fbd7a434p-10, 0x1.2ce898809244p-10, 0x1.fe41cd9bb4fp-11,
    0x1.afc85e0f82ep-11, 0x1.6caa0d3583p-11, 0x1.3360ccd23dbp-11, 0x1.0295ef659188p-11, 0x1.b23a5a23e42p-12,
    0x1.6be02102b35p-12, 0x1.30538fbb77fp-12, 0x1.fc0d55470dp-13, 0x1.a7406840266p-13, 0x1.5feada379d8p-13,
    0x1.2408e9ba332p-13, 0x1.e3bcf436a1cp-14, 0x1.8fdc1b2dcf8p-14, 0x1.49e17724f4cp-14, 0x1.0f9e1b4dd38p-14,
    0x1.be6abbb10a8p-15, 0x1.6e2367dc28p-15, 0x1.2bb5cc22e6p-15, 0x1.e9b5e8d00dp-16, 0x1.8f4ccca7fdp-16, 0x1.44f21e4905p-16,
    0x1.07ebd2a2d3p-16, 0x1.abe09e9144p-17, 0x1.5a2adfa0b4p-17, 0x1.1783ceac28p-17, 0x1.c282cd3958p-18, 0x1.6a597219a8p-18,
    0x1.22df298214p-18, 0x1.d21397ead8p-19, 0x1.74adc8f408p-19, 0x1.296a70f418p-19, 0x1.d9c73699p-20, 0x1.789fb715bp-20,
    0x1.2acee2f5fp-20, 0x1.d9371e3p-21, 0x1.75fa8dbc8p-21, 0x1.26f9df852p-21, 0x1.d06ad6eccp-22, 0x1.6ce1aa3fcp-22,
    0x1.1e1e857acp-22, 0x1.bfd7555ap-23, 0x1.5dcd669fp-23, 0x1.10b1488bp-23, 0x1.a854ea14p-24, 0x1.4980cb3dp-24,
    0x1.febc107ep-25, 0x1.8b0cfcep-25, 0x1.30f93c36p-25, 0x1.d5f3a8ep-26, 0x1.6961b8d8p-26, 0x1.155a0908p-26,
    0x1.a8e405e8p-27, 0x1.44d26de8p-27, 0x1.efac518p-28, 0x1.7974e74p-28, 0x1.1edfa3cp-28, 0x1.b334facp-29, 0x1.4979ac8p-29,
    0x1.f1e3524p-30, 0x1.77756ecp-30, 0x1.1a94ff4p-30, 0x1.a887bdp-31, 0x1.3e44e48p-31, 0x1.dc479ep-32, 0x1.63ac6bp-32,
    0x1.0916fp-32, 0x1.8a6174p-33, 0x1.24caf2p-33, 0x1.b1e5acp-34, 0x1.40dfd8p-34, 0x1.d9a88p-35, 0x1.5ce9a8p-35,
    0x1.0085p-35, 0x1.7872ep-36, 0x1.13af5p-36, 0x1.92ff4p-37, 0x1.25f9ep-37, 0x1.ac0f4p-38, 0x1.370acp-38, 0x1.c325p-39,
    0x1.46898p-39, 0x1.d7c6p-40, 0x1.5423p-40, 0x1.e982p-41, 0x1.5f8cp-41, 0x1.f7f4p-42, 0x1.6884p-42, 0x1.0164p-42,
    0x1.6edp-43, 0x1.04ep-43, 0x1.726p-44, 0x1.066p-44, 0x1.73p-45, 0x1.05cp-45, 0x1.70cp-46, 0x1.034p-46, 0x1.6b8p-47,
    0x1.fdp-48, 0x1.64p-48, 0x1.fp-49, 0x1.5ap-49, 0x1.ep-50, 0x1.4cp-50, 0x1.dp-51, 0x1.4p-51, 0x1.bp-52};

// erfc(a) for a >= 3/4.
static double erfc_tail(double a)
{
    a = a > 28.0 ? 28.0 : a;
    double t = (a - 4.0) / (a + 4.0);
    double p = -0x1.101db178babe9p-26;
    p = __clift_fma(p, t, 0x1.5ea7f990b04fp-24);
    p = __clift_fma(p, t, 0x1.382e81d0b6237p-24);
    p = __clift_fma(p, t, -0x1.ad0b6639dae87p-21);
    p = __clift_fma(p, t, 0x1.3f3bb4174e79p-22);
    p = __clift_fma(p, t, 0x1.7e41c6d67230dp-18);
    p = __clift_fma(p, t, -0x1.78acb3df4bf6dp-17);
    p = __clift_fma(p, t, -0x1.99476fdc0342cp-16);
    p = __clift_fma(p, t, 0x1.3be187b4bead5p-13);
    p = __clift_fma(p, t, -0x1.a1df8fad97301p-13);
    p = __clift_fma(p, t, -0x1.8d4ab3024c5aep-11);
    p = __clift_fma(p, t, 0x1.49c672e0e82a3p-8);
    p = __clift_fma(p, t, -0x1.096238612cccep-6);
    p = __clift_fma(p, t, 0x1.3079edf5e8bd6p-5);
    p = __clift_fma(p, t, -0x1.0fb06dff30dbfp-4);
    p = __clift_fma(p, t, 0x1.7fee004e13965p-4);
    p = __clift_fma(p, t, -0x1.9ddb23c3dd392p-4);
    p = __clift_fma(p, t, 0x1.16ecefcfa53cfp-4);
    p = __clift_fma(p, t, 0x1.f7f5df66fb928p-7);
    p = __clift_fma(p, t, -0x1.1df1ad154a28fp-3);
    p = __clift_fma(p, t, 0x1.3ba5916e9fd7fp+0);
    double s = a * a;
    double low = __clift_fma(a, a, -s);
    double e = exp(-s);
    e = __clift_fma(-e, low, e);
    return e * (p / __clift_fma(2.0, a, 1.0));
}

float erf(float x)
{
    float a = __clift_fabs(x);
    float z = x * x;
    float p = 0x1.48c588p-14f;
    p = __clift_fma(p, z, -0x1.a3bafp-11f);
    p = __clift_fma(p, z, 0x1.53fdb6p-8f);
    p = __clift_fma(p, z, -0x1.b7f824p-6f);
    p = __clift_fma(p, z, 0x1.ce2ceep-4f);
    p = __clift_fma(p, z, -0x1.81273ep-2f);
    p = __clift_fma(p, z, 0x1.06eba8p-3f);
    float small = __clift_fma(x, p, x);
    a = a > 4.0f ? 4.0f : a;
    float q = 0x1.18cceap-12f;
    q = __clift_fma(q, a, -0x1.15f9d8p-8f);
    q = __clift_fma(q, a, 0x1.01ba1ep-5f);
    q = __clift_fma(q, a, -0x1.3072bcp-3f);
    q = __clift_fma(q, a, -0x1.d76dcep-1f);
    q = __clift_fma(q, a, -0x1.a0401cp+0f);
    q = __clift_fma(q, a, -0x1.0b26e2p-11f);
    float tail = __clift_copysign(1.0f - exp2(q), x);
    return a < 1.0f ? small : tail;
}

double erf(double x)
{
    double a = __clift_fabs(x);
    // From here on the result is 1. NaN passes through.
    a = a > 5.96875 ? 5.96875 : a;
    // The number of the nearest multiple of 1/32 stands in the low bits of the sum.
    double sum = a + 0x1.8p+47;
    ulong n = as_ulong(sum) & 255UL;
    double c = sum - 0x1.8p+47;
    double h = a - c;
    double q = c * c;
    double u = c * h;
    double v = h * h;
    double even = __clift_fma(q, 0x1.a010673963aeap-7, -0x1.861192147601ap-4);
    even = __clift_fma(even, q, 0x1.248e49135d747p-3);
    even = __clift_fma(even, q, -0x1.86141424d9239p-6);
    double fourth = __clift_fma(q, 0x1.1111111111111p-3, -0x1.999999999999ap-2);
    even = __clift_fma(even, v, __clift_fma(fourth, q, 0x1.999999999999ap-4));
    even = __clift_fma(even, v, __clift_fma(q, 0x1.5555555555555p-1, -0x1.5555555555555p-2));
    double odd = __clift_fma(q, 0x1.6c0e9e74e2dd9p-5, -0x1.c714b06a6a499p-3);
    odd = __clift_fma(odd, q, 0x1.5550b3cf9e78p-3);
    odd = __clift_fma(odd, v, __clift_fma(q, 0x1.5555555555555p-2, -0.5));
    odd = __clift_fma(odd, v, 1.0);
    double p = __clift_fma(-u, odd, v * even);
    double d = ERF_SLOPE[n] * h;
    return __clift_copysign(ERF[n] + __clift_fma(d, p, d), x);
}

double erfc(double x)
{
    double a = __clift_fabs(x);
    double tail = erfc_tail(a);
    double y = x < 0.0 ? 2.0 - tail : tail;
    return a < 0.75 ? 1.0 - erf(x) : y;
}

float erfc(float x) { return (float)erfc((double)x); }

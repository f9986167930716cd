// erf, erfc. erf of doubles: Taylor's series around the nearest node c = n S, erf c + h slope(c) (1 + P(c, h)), where P
// comes from Hermite's polynomials in c. float erf: |x| < 1: x times a polynomial in x^2; beyond, 2^polynomial. erfc:
// |x| < 3/4: 1 - erf(x); beyond, erfc(a) = exp(-a^2) g(t) / (1 + 2a), t = (a - 4) / (a + 4), with the rounding
// error of a^2 carried.
//
// Tables: erf(n S), and its slope 2/sqrt(pi) exp(-(n S)^2) rounded to multiples of 2^-56. S is a number of 30 bits near
// 1/32 for which erf(S), erf(2 S) and erf(4 S), whose rounding errors would count double, and the slope at S are nearly
// doubles. Coefficients: weighted minimax fits of erf(x)/x - 1, of exp(a^2) erfc(a) (1 + 2a) in t for either type, and
// of log2(erfc(a)) on [1, 4]; in P, Taylor's up to h^4, and fits in c^2 of those of h^5 and h^6 with 0.91 (S/2)^2 times
// the next but one added; made for this file. Worst error seen (limit 16 ulp): float erf 1.14, erfc 4.58; double erf
// 1.45, erfc 4.47.

__constant double ERF[256] = {
    0.0, 0x1.20a8403728419p-5, 0x1.206039b89fef6p-4, 0x1.afdcb21b28f2bp-4, 0x1.1f41627fe4193p-3, 0x1.6606769e23da7p-3,
    0x1.ac1ba5249bf75p-3, 0x1.f16000deca5cep-3, 0x1.1ad9e6f4e426fp-2, 0x1.3c7c5687a9776p-2, 0x1.5d88e1ebb50e7p-2,
    0x1.7df1f07cc848ap-2, 0x1.9daace7169e7ap-2, 0x1.bca7bb0956f48p-2, 0x1.daddf48f2c027p-2, 0x1.f843c21c053bbp-2,
    0x1.0a683d896d58fp-1, 0x1.183e46282eb49p-1, 0x1.25a0bd897a9a1p-1, 0x1.328cf2d28ed98p-1, 0x1.3f00c0ed54afep-1,
    0x1.4afa8cbba748cp-1, 0x1.5679424d201bep-1, 0x1.617c5127b115p-1, 0x1.6c03a7b56cd87p-1, 0x1.760fadeba203ap-1,
    0x1.7fa13f40db6f4p-1, 0x1.88b9a4086b5dp-1, 0x1.915a8a4ae1c62p-1, 0x1.9985fe3330029p-1, 0x1.a13e62284865p-1,
    0x1.a88666aac3406p-1, 0x1.af61020d814bcp-1, 0x1.b5d1681f6bcdap-1, 0x1.bbdb01db5c6d2p-1, 0x1.c1816531e8db1p-1,
    0x1.c6c84cff51e87p-1, 0x1.cbb3913e32bb2p-1, 0x1.d0471f85cc473p-1, 0x1.d486f3e0f3b8bp-1, 0x1.d8771208c8781p-1,
    0x1.dc1b7f0c7006cp-1, 0x1.df783b6d32b79p-1, 0x1.e2913db47b41cp-1, 0x1.e56a6d8772b8ep-1, 0x1.e8079f3a4026ap-1,
    0x1.ea6c8fe35ba8p-1, 0x1.ec9ce1edec80bp-1, 0x1.ee9c1a28d336ep-1, 0x1.f06d9d4ecec59p-1, 0x1.f214ae031fd07p-1,
    0x1.f3946b3d273f3p-1, 0x1.f4efcf1cbec62p-1, 0x1.f629ae20710eap-1, 0x1.f744b6b64334cp-1, 0x1.f843711f7074bp-1,
    0x1.f9283f9f4911cp-1, 0x1.f9f55eed54323p-1, 0x1.faace6e2def29p-1, 0x1.fb50cb5c46529p-1, 0x1.fbe2dd4682d06p-1,
    0x1.fc64cbd1c874cp-1, 0x1.fcd825c2699d2p-1, 0x1.fd3e5ad992fe6p-1, 0x1.fd98bd4fe939p-1, 0x1.fde8835c89345p-1,
    0x1.fe2ec8c369b4ap-1, 0x1.fe6c90669bfaap-1, 0x1.fea2c5d668837p-1, 0x1.fed23edcc26f7p-1, 0x1.fefbbd0105fbdp-1,
    0x1.ff1fef016b8bep-1, 0x1.ff3f724007d46p-1, 0x1.ff5ad42199f72p-1, 0x1.ff72935cc9178p-1, 0x1.ff872138cbb6ep-1,
    0x1.ff98e2bac3b49p-1, 0x1.ffa831c1620b2p-1, 0x1.ffb55e0ea55f8p-1, 0x1.ffc0ae3fbe5c3p-1, 0x1.ffca60b354f38p-1,
    0x1.ffd2ac5e9252bp-1, 0x1.ffd9c191750f5p-1, 0x1.ffdfcaab10596p-1, 0x1.ffe4ecbe6c4ccp-1, 0x1.ffe94828cd6c6p-1,
    0x1.ffecf91a34664p-1, 0x1.fff01810ee111p-1, 0x1.fff2ba490ea5bp-1, 0x1.fff4f220b3139p-1, 0x1.fff6cf71e06e4p-1,
    0x1.fff85fe2d4523p-1, 0x1.fff9af2d92265p-1, 0x1.fffac75f70b3dp-1, 0x1.fffbb111620dp-1, 0x1.fffc7399a56cp-1,
    0x1.fffd153787e68p-1, 0x1.fffd9b39cdbc8p-1, 0x1.fffe0a2052e36p-1, 0x1.fffe65b966605p-1, 0x1.fffeb13b5938p-1,
    0x1.fffeef5aaf424p-1, 0x1.ffff225d562f5p-1, 0x1.ffff4c2b3d883p-1, 0x1.ffff6e5ca17e9p-1, 0x1.ffff8a4652019p-1,
    0x1.ffffa10437c4p-1, 0x1.ffffb38251b0dp-1, 0x1.ffffc2845eb52p-1, 0x1.ffffceac61c05p-1, 0x1.ffffd88028656p-1,
    0x1.ffffe06df797fp-1, 0x1.ffffe6d07d8f2p-1, 0x1.ffffebf223df1p-1, 0x1.fffff00fd94d6p-1, 0x1.fffff35b67c26p-1,
    0x1.fffff5fd67ee3p-1, 0x1.fffff816e1c8ap-1, 0x1.fffff9c2a6eb4p-1, 0x1.fffffb1671e57p-1, 0x1.fffffc23d4084p-1,
    0x1.fffffcf8f9bbfp-1, 0x1.fffffda14c37ap-1, 0x1.fffffe25f6659p-1, 0x1.fffffe8e51d61p-1, 0x1.fffffee03fdafp-1,
    0x1.ffffff20723ebp-1, 0x1.ffffff52a6766p-1, 0x1.ffffff79d5b6ep-1, 0x1.ffffff985beb3p-1, 0x1.ffffffb017356p-1,
    0x1.ffffffc281575p-1, 0x1.ffffffd0c4268p-1, 0x1.ffffffdbc9f81p-1, 0x1.ffffffe44ac8dp-1, 0x1.ffffffead6c19p-1,
    0x1.ffffffefde9a8p-1, 0x1.fffffff3ba47ap-1, 0x1.fffffff6ae45ap-1, 0x1.fffffff8efcccp-1, 0x1.fffffffaa821ep-1,
    0x1.fffffffbf734fp-1, 0x1.fffffffcf5affp-1, 0x1.fffffffdb694fp-1, 0x1.fffffffe48828p-1, 0x1.fffffffeb6b1p-1,
    0x1.ffffffff09b89p-1, 0x1.ffffffff482aep-1, 0x1.ffffffff770adp-1, 0x1.ffffffff9a28cp-1, 0x1.ffffffffb46aap-1,
    0x1.ffffffffc802ep-1, 0x1.ffffffffd69bp-1, 0x1.ffffffffe1743p-1, 0x1.ffffffffe980ap-1, 0x1.ffffffffef764p-1,
    0x1.fffffffff3ddbp-1, 0x1.fffffffff71d4p-1, 0x1.fffffffff9816p-1, 0x1.fffffffffb432p-1, 0x1.fffffffffc8cfp-1,
    0x1.fffffffffd7e4p-1, 0x1.fffffffffe2e9p-1, 0x1.fffffffffeaf1p-1, 0x1.ffffffffff0c9p-1, 0x1.ffffffffff507p-1,
    0x1.ffffffffff81ap-1, 0x1.ffffffffffa53p-1, 0x1.ffffffffffbeep-1, 0x1.ffffffffffd17p-1, 0x1.ffffffffffdecp-1,
    0x1.ffffffffffe84p-1, 0x1.ffffffffffef2p-1, 0x1.fffffffffff4p-1, 0x1.fffffffffff78p-1, 0x1.fffffffffffap-1,
    0x1.fffffffffffbcp-1, 0x1.fffffffffffdp-1, 0x1.fffffffffffdep-1, 0x1.fffffffffffe8p-1, 0x1.fffffffffffefp-1,
    0x1.ffffffffffff4p-1, 0x1.ffffffffffff8p-1, 0x1.ffffffffffffap-1, 0x1.ffffffffffffcp-1, 0x1.ffffffffffffdp-1,
    0x1.ffffffffffffep-1, 0x1.fffffffffffffp-1, 0x1.fffffffffffffp-1, 0x1.fffffffffffffp-1, 0x1p+0, 0x1p+0};

__constant double ERF_SLOPE[256] = {
    0x1.20dd750429b6dp+0, 0x1.2095553e6accfp+0, 0x1.1fbd61e783edfp+0, 0x1.1e56dde136bdbp+0, 0x1.1c63dfd09c13fp+0,
    0x1.19e74cee2c633p+0, 0x1.16e4d1dbebe4dp+0, 0x1.1360d99a86195p+0, 0x1.0f6082bc7aa1cp+0, 0x1.0ae992fc4a3d3p+0,
    0x1.0602695fbd34p+0, 0x1.00b1ef16cf9b1p+0, 0x1.f5ff0e90f47e2p-1, 0x1.e9e5fc04c70cbp-1, 0x1.dd28ed04f29dcp-1,
    0x1.cfd8b2250eb71p-1, 0x1.c206815c1aa5ap-1, 0x1.b3c3d153d0295p-1, 0x1.a5223527b9b08p-1, 0x1.963338fb8b334p-1,
    0x1.87083fca2bb79p-1, 0x1.77b262c77f822p-1, 0x1.684252a683455p-1, 0x1.58c83b0bd6a85p-1, 0x1.4953a86aa2adep-1,
    0x1.39f3707f0aebfp-1, 0x1.2ab59d8e44024p-1, 0x1.1ba75c8932889p-1, 0x1.0cd4ee234e744p-1, 0x1.fc9335c93fc08p-2,
    0x1.e01f54665f904p-2, 0x1.c460b88cc44cap-2, 0x1.a967cddb04f98p-2, 0x1.8f42ea14ecc67p-2, 0x1.75fe5134477acp-2,
    0x1.5da43e3b68b2fp-2, 0x1.463cf065172d9p-2, 0x1.2fcebc45063f6p-2, 0x1.1a5e2065b5cacp-2, 0x1.05eddcec64771p-2,
    0x1.e4fe1b934c7c8p-3, 0x1.c0228dfa1fb56p-3, 0x1.9d4564e8375bap-3, 0x1.7c605e1f9afa7p-3, 0x1.5d6ae0c2f3ddcp-3,
    0x1.405a3d6a8683ep-3, 0x1.2521ee1044708p-3, 0x1.0bb3d51ef633p-3, 0x1.e800f604574a5p-4, 0x1.bbee934e84829p-4,
    0x1.930d8ae60534p-4, 0x1.6d3986856f9ep-4, 0x1.4a4d3645be3abp-4, 0x1.2a22aef0a6f41p-4, 0x1.0c93c0d5c7e63p-4,
    0x1.e2f48dc55ec76p-5, 0x1.b160dbbb395b2p-5, 0x1.8421e7801ee2p-5, 0x1.5aeebe91360b2p-5, 0x1.35805fe5a0928p-5,
    0x1.13920d30b147ep-5, 0x1.e9c31c3e27414p-6, 0x1.b25ecca75c7dp-6, 0x1.807dfdfea831cp-6, 0x1.53ad89fdf1c3cp-6,
    0x1.2b8078eedd0ap-6, 0x1.079015d8375e4p-6, 0x1.cef7e3404835p-7, 0x1.95d3ae3ba6678p-7, 0x1.630b641532468p-7,
    0x1.3602d562b8c2p-7, 0x1.0e29704af1b48p-7, 0x1.d5f3aac1ade9p-8, 0x1.97f2c022e78cp-8, 0x1.616f4b15e1e3p-8,
    0x1.319bd98553e7p-8, 0x1.07bd43fb7375p-8, 0x1.c6531ff3b5e8p-9, 0x1.868da2ae132ap-9, 0x1.4f141bc21e94p-9,
    0x1.1eec4c162ec8p-9, 0x1.ea6b13e110d4p-10, 0x1.a24d672a7b28p-10, 0x1.64186ee5ba6p-10, 0x1.2e8c685e358p-10,
    0x1.008d6481cdap-10, 0x1.b23fe0ce6f4p-11, 0x1.6ecbe8ba8e8p-11, 0x1.353793b706d8p-11, 0x1.042b0fdcdbap-11,
    0x1.b4f2146a58dp-12, 0x1.6e3434bad28p-12, 0x1.32512451251p-12, 0x1.ff72b2e9af6p-13, 0x1.aa2460879b2p-13,
    0x1.625f5097c66p-13, 0x1.261d831a022p-13, 0x1.e741b6f3ea8p-14, 0x1.92d42aafb18p-14, 0x1.4c616b53124p-14,
    0x1.11b7c5cb34p-14, 0x1.c1f03edd9cp-15, 0x1.711592bd31p-15, 0x1.2e2b59ca8fp-15, 0x1.edceb89437p-16,
    0x1.92b492f562p-16, 0x1.47c531e249p-16, 0x1.0a4249cfabp-16, 0x1.afbd2c4b0ep-17, 0x1.5d599839ccp-17,
    0x1.1a21d74fecp-17, 0x1.c6ce8db488p-18, 0x1.6dde124a78p-18, 0x1.25bf29181cp-18, 0x1.d6c3fc838p-19,
    0x1.787ea10f38p-19, 0x1.2c83b2949p-19, 0x1.deccda71p-20, 0x1.7caf5b765p-20, 0x1.2e15d7238p-20, 0x1.de7e4c1d6p-21,
    0x1.7a385a7d8p-21, 0x1.2a60983c6p-21, 0x1.d5dc6bf14p-22, 0x1.713a8cf64p-22, 0x1.2195665c4p-22, 0x1.c559ef348p-23,
    0x1.622cde6bp-23, 0x1.1427dcbe8p-23, 0x1.adce484ep-24, 0x1.4dd208e8p-24, 0x1.02c3eb15p-24, 0x1.9063748ep-25,
    0x1.35284838p-25, 0x1.dc7f2f08p-26, 0x1.6e7d991cp-26, 0x1.1954d4ap-26, 0x1.af13fap-27, 0x1.499f355p-27,
    0x1.f71ae48p-28, 0x1.7f32ccap-28, 0x1.234cecep-28, 0x1.ba04ea6p-29, 0x1.4eb4bc6p-29, 0x1.f9e77a4p-30,
    0x1.7d96b68p-30, 0x1.1f42918p-30, 0x1.afa7d18p-31, 0x1.43af398p-31, 0x1.e47e98p-32, 0x1.69e434p-32, 0x1.0dc955p-32,
    0x1.917646p-33, 0x1.2a1ebcp-33, 0x1.b9e574p-34, 0x1.46de2p-34, 0x1.e29ee8p-35, 0x1.6399cp-35, 0x1.057ff8p-35,
    0x1.7fd9ep-36, 0x1.192cdp-36, 0x1.9b1fcp-37, 0x1.2bfacp-37, 0x1.b4e9p-38, 0x1.3d8d8p-38, 0x1.ccb48p-39,
    0x1.4d8bp-39, 0x1.e204p-40, 0x1.5b9dp-40, 0x1.f464p-41, 0x1.6776p-41, 0x1.01b6p-41, 0x1.70dp-42, 0x1.0764p-42,
    0x1.7778p-43, 0x1.0b18p-43, 0x1.7b5p-44, 0x1.0ccp-44, 0x1.7c2p-45, 0x1.0c6p-45, 0x1.7ap-46, 0x1.09cp-46, 0x1.75p-47,
    0x1.058p-47, 0x1.6dp-48, 0x1.fep-49, 0x1.62p-49, 0x1.ecp-50, 0x1.58p-50, 0x1.d8p-51, 0x1.48p-51, 0x1.cp-52};

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

// erf(x) for |x| < 1.
static float erf_small(float x)
{
    float z = x * x;
    float p = 0x1.48c588p-14f;
    p = __clift_fma(p, z, -0x1.a3bafp-11f);
    p = __clift_fma(p, z, 0x1.53fdb6p-8f);
    p = __clift_fma(p, z, -0x1.b7f824p-6f);
    p = __clift_fma(p, z, 0x1.ce2ceep-4f);
    p = __clift_fma(p, z, -0x1.81273ep-2f);
    p = __clift_fma(p, z, 0x1.06eba8p-3f);
    return __clift_fma(x, p, x);
}

// erfc(a) for a >= 3/4.
static float erfc_tail(float a)
{
    // From here on it rounds to zero.
    a = a > 10.1f ? 10.1f : a;
    float t = (a - 4.0f) / (a + 4.0f);
    float p = 0x1.5dc4cap-8f;
    p = __clift_fma(p, t, -0x1.0e1022p-6f);
    p = __clift_fma(p, t, 0x1.2f1edcp-5f);
    p = __clift_fma(p, t, -0x1.0f8a1cp-4f);
    p = __clift_fma(p, t, 0x1.800a26p-4f);
    p = __clift_fma(p, t, -0x1.9ddd02p-4f);
    p = __clift_fma(p, t, 0x1.16eb42p-4f);
    p = __clift_fma(p, t, 0x1.f7f624p-7f);
    p = __clift_fma(p, t, -0x1.1df1aap-3f);
    p = __clift_fma(p, t, 0x1.3ba592p+0f);
    float s = a * a;
    float low = __clift_fma(a, a, -s);
    float e = exp(-s);
    e = __clift_fma(-e, low, e);
    return e * (p / __clift_fma(2.0f, a, 1.0f));
}

float erf(float x)
{
    float a = __clift_fabs(x);
    float small = erf_small(x);
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
    a = a > 5.9375 ? 5.9375 : a;
    // The number of the nearest node stands in the low bits of the sum.
    double sum = __clift_fma(a, 0x1.0019dc7489123p+5, 0x1.8p+52);
    ulong i = as_ulong(sum) & 255UL;
    double n = sum - 0x1.8p+52;
    double h = __clift_fma(n, -0x1.ffcc4c5p-6, a);
    double q = n * n;
    double u = n * h;
    double v = h * h;
    double even = __clift_fma(q, 0x1.9f1492d7f1787p-37, -0x1.85741cb9d533dp-24);
    even = __clift_fma(even, q, 0x1.2453372c1c13ap-13);
    even = __clift_fma(even, q, -0x1.86141503468a5p-6);
    double fourth = __clift_fma(q, 0x1.10a2d5a2bf6f5p-23, -0x1.9946e4ad3c197p-12);
    even = __clift_fma(even, v, __clift_fma(fourth, q, 0x1.999999999999ap-4));
    even = __clift_fma(even, v, __clift_fma(q, 0x1.5510693b076a9p-11, -0x1.5555555555555p-2));
    double odd = __clift_fma(q, 0x1.6b56f51efd888p-30, -0x1.c68ae31be2342p-18);
    odd = __clift_fma(odd, q, 0x1.552e3d700b3cdp-8);
    odd = __clift_fma(odd, v, __clift_fma(q, 0x1.54edf866119bp-17, -0x1.ffcc4c5p-7));
    odd = __clift_fma(odd, v, 0x1.ffcc4c5p-6);
    double p = __clift_fma(-u, odd, v * even);
    double d = ERF_SLOPE[i] * h;
    return __clift_copysign(ERF[i] + __clift_fma(d, p, d), x);
}

double erfc(double x)
{
    double a = __clift_fabs(x);
    double tail = erfc_tail(a);
    double y = x < 0.0 ? 2.0 - tail : tail;
    return a < 0.75 ? 1.0 - erf(x) : y;
}

float erfc(float x)
{
    float a = __clift_fabs(x);
    float tail = erfc_tail(a);
    float y = x < 0.0f ? 2.0f - tail : tail;
    return a < 0.75f ? 1.0f - erf_small(x) : y;
}

// write_imagef: normalised integers as the colour times the maximum, rounded to nearest even and saturated (NaN gives
// 0); half rounded to nearest even; sRGB by a binary search in the linear values where the code changes, which rounds
// correctly.

#include "image.clh"

#define WRITE write_imagef
#define TEXEL float4

// Linear value of the sRGB code n + 1/2 (IEC 61966-2-1): from there on the code is n + 1.
constant float SRGB_STEPS[256] = {
    0.000151763496f, 0.000455290487f, 0.000758817478f, 0.00106234441f, 0.0013658714f, 0.00166939839f, 0.00197292538f,
    0.00227645249f, 0.00257997937f, 0.00288350624f, 0.00318830088f, 0.00350925932f, 0.00384831498f, 0.00420574797f,
    0.00458183279f, 0.00497683743f, 0.00539102405f, 0.00582465064f, 0.00627796957f, 0.00675122766f, 0.00724466844f,
    0.00775853032f, 0.00829304848f, 0.00884845294f, 0.00942497049f, 0.0100228256f, 0.010642237f, 0.011283421f,
    0.0119465925f, 0.0126319602f, 0.0133397318f, 0.0140701123f, 0.0148233026f, 0.0155995032f, 0.0163989104f,
    0.0172217153f, 0.0180681143f, 0.0189382937f, 0.0198324434f, 0.0207507443f, 0.0216933824f, 0.0226605386f,
    0.0236523896f, 0.0246691145f, 0.0257108882f, 0.0267778821f, 0.0278702695f, 0.0289882198f, 0.0301319025f,
    0.0313014798f, 0.0324971229f, 0.0337189883f, 0.0349672437f, 0.0362420455f, 0.0375435539f, 0.0388719253f,
    0.04022732f, 0.041609887f, 0.0430197865f, 0.0444571637f, 0.0459221713f, 0.0474149622f, 0.0489356853f, 0.0504844859f,
    0.0520615056f, 0.0536668971f, 0.055300802f, 0.0569633618f, 0.0586547181f, 0.0603750125f, 0.0621243827f,
    0.0639029741f, 0.0657109171f, 0.0675483495f, 0.0694154128f, 0.0713122338f, 0.0732389539f, 0.0751957074f,
    0.0771826133f, 0.0791998208f, 0.0812474415f, 0.0833256245f, 0.085434489f, 0.0875741541f, 0.089744769f, 0.091946438f,
    0.0941793025f, 0.0964434743f, 0.098739095f, 0.101066269f, 0.10342513f, 0.105815805f, 0.108238399f, 0.110693045f,
    0.113179862f, 0.115698971f, 0.118250482f, 0.120834522f, 0.123451203f, 0.126100644f, 0.128782958f, 0.131498262f,
    0.134246677f, 0.137028307f, 0.13984327f, 0.142691687f, 0.145573661f, 0.148489311f, 0.151438728f, 0.15442206f,
    0.157439381f, 0.160490826f, 0.163576499f, 0.166696489f, 0.169850931f, 0.173039913f, 0.176263571f, 0.179521978f,
    0.182815254f, 0.186143503f, 0.189506829f, 0.192905352f, 0.196339145f, 0.199808344f, 0.203313038f, 0.206853345f,
    0.210429341f, 0.214041144f, 0.217688844f, 0.22137256f, 0.225092396f, 0.228848428f, 0.232640758f, 0.236469507f,
    0.240334779f, 0.244236633f, 0.248175204f, 0.252150565f, 0.256162852f, 0.260212123f, 0.264298469f, 0.268422037f,
    0.272582889f, 0.276781112f, 0.281016797f, 0.285290092f, 0.289601028f, 0.293949723f, 0.298336297f, 0.30276081f,
    0.30722335f, 0.311724037f, 0.31626296f, 0.32084018f, 0.325455844f, 0.330109984f, 0.334802747f, 0.339534163f,
    0.344304383f, 0.349113464f, 0.353961498f, 0.358848572f, 0.363774776f, 0.368740231f, 0.373744965f, 0.378789127f,
    0.383872777f, 0.388996005f, 0.3941589f, 0.399361521f, 0.404604018f, 0.40988642f, 0.415208817f, 0.420571357f,
    0.425974041f, 0.431417018f, 0.436900347f, 0.442424119f, 0.447988421f, 0.453593314f, 0.459238917f, 0.464925289f,
    0.470652521f, 0.476420701f, 0.482229918f, 0.488080233f, 0.493971765f, 0.499904543f, 0.505878687f, 0.511894286f,
    0.517951429f, 0.524050117f, 0.530190527f, 0.536372721f, 0.542596757f, 0.548862696f, 0.555170655f, 0.561520696f,
    0.567912877f, 0.574347317f, 0.580824137f, 0.587343335f, 0.593904972f, 0.600509226f, 0.607156098f, 0.613845706f,
    0.62057811f, 0.62735337f, 0.634171605f, 0.641032875f, 0.647937238f, 0.654884815f, 0.661875665f, 0.668909788f,
    0.675987363f, 0.683108449f, 0.690273106f, 0.697481334f, 0.704733372f, 0.712029159f, 0.719368815f, 0.72675246f,
    0.734180033f, 0.741651773f, 0.749167681f, 0.756727815f, 0.764332294f, 0.77198112f, 0.779674411f, 0.787412286f,
    0.795194745f, 0.803021908f, 0.810893834f, 0.818810523f, 0.826772213f, 0.834778786f, 0.842830479f, 0.850927293f,
    0.859069228f, 0.867256522f, 0.875489056f, 0.883767068f, 0.892090559f, 0.900459588f, 0.908874214f, 0.917334557f,
    0.925840616f, 0.934392571f, 0.942990363f, 0.951634169f, 0.960324049f, 0.969060004f, 0.977842152f, 0.986670554f,
    0.995545268f, 1.00000002e+30f,
};

static uchar srgb_code(float linear)
{
    uint code = 0;
    for (uint step = 128; step > 0; step >>= 1)
        code += linear >= SRGB_STEPS[code + step - 1] ? step : 0;
    return (uchar)code;
}

// Stores the channels that the texel has. T is the type in memory, V that of the colour.
#define FOUR(NAME, T, V, STORE4, STORE2, STORE) \
    static void NAME(constant Image *image, global uchar *texel, V##4 v) \
    { \
        global T *p = (global T *)texel; \
        if (image->texel_bytes == 4 * sizeof(T)) { \
            v = TO_TEXEL(v, image->offset[0] / sizeof(T)); \
            STORE4; \
        } else if (image->texel_bytes == 2 * sizeof(T)) { \
            V##2 two = (V##2)(v.x, SECOND(v)); \
            STORE2; \
        } else { \
            V one = ONLY(v); \
            STORE; \
        } \
    }

#define PLAIN(NAME, T) FOUR(NAME, T, T, vstore4(v, 0, p), vstore2(two, 0, p), *p = one)

PLAIN(put_uchar, uchar)
PLAIN(put_char, char)
PLAIN(put_ushort, ushort)
PLAIN(put_short, short)
PLAIN(put_float, float)
FOUR(put_half, half, float, vstore_half4_rte(v, 0, p), vstore_half2_rte(two, 0, p), vstore_half_rte(one, 0, p))

static void encode_any(constant Image *image, global uchar *p, float4 colour)
{
    switch (image->type) {
    case UNORM_INT8: {
        uchar4 v = convert_uchar4_sat_rte(colour * 255.0f);
        if (image->channels & CHANNELS_SRGB)
            v.xyz = (uchar3)(srgb_code(colour.x), srgb_code(colour.y), srgb_code(colour.z));
        put_uchar(image, p, v);
        break;
    }
    case SNORM_INT8: put_char(image, p, convert_char4_sat_rte(colour * 127.0f)); break;
    case UNORM_INT16: put_ushort(image, p, convert_ushort4_sat_rte(colour * 65535.0f)); break;
    case SNORM_INT16: put_short(image, p, convert_short4_sat_rte(colour * 32767.0f)); break;
    case HALF_FLOAT: put_half(image, p, colour); break;
    case FLOAT: put_float(image, p, colour); break;
    case UNORM_SHORT_565: {
        uint4 v = min(convert_uint4_sat_rte(colour * (float4)(31.0f, 63.0f, 31.0f, 0.0f)), (uint4)(31, 63, 31, 0));
        *(global ushort *)p = (ushort)(v.x << 11 | v.y << 5 | v.z);
        break;
    }
    case UNORM_SHORT_555: {
        uint4 v = min(convert_uint4_sat_rte(colour * 31.0f), 31u);
        *(global ushort *)p = (ushort)(v.x << 10 | v.y << 5 | v.z);
        break;
    }
    case UNORM_INT_101010: {
        uint4 v = min(convert_uint4_sat_rte(colour * 1023.0f), 1023u);
        *(global uint *)p = v.x << 20 | v.y << 10 | v.z;
        break;
    }
    case UNORM_INT_101010_2: {
        float4 top = (float4)(1023.0f, 1023.0f, 1023.0f, 3.0f);
        uint4 v = min(convert_uint4_sat_rte(colour * top), (uint4)(1023, 1023, 1023, 3));
        *(global uint *)p = v.x << 22 | v.y << 12 | v.z << 2 | v.w;
        break;
    }
    default: break;
    }
}

static void encode(constant Image *image, global uchar *p, float4 colour)
{
    if (image->fast == FAST_UNORM8) {
        // NaN compares false and gives 0.
        float4 v = colour * 255.0f;
        v = v > 0.0f ? v : (float4)0.0f;
        v = v < 255.0f ? v : (float4)255.0f;
        // One addition rounds to an integer and leaves it in the low bits.
        uint4 bytes = as_uint4(v + 0x1.8p23f) & 0xff;
        bytes |= bytes.yyww << 8;
        *(global uint *)p = bytes.x | bytes.z << 16;
    } else if (image->fast == FAST_FLOAT) {
        vstore4(colour, 0, (global float *)p);
    } else {
        encode_any(image, p, colour);
    }
}

#include "image_write.clh"

void write_imagef(write_only image2d_depth_t image, int2 c, float depth)
{
    put(IMAGE(image), c.x, c.y, 0, 1, (float4)depth);
}

void write_imagef(write_only image2d_array_depth_t image, int4 c, float depth)
{
    put(IMAGE(image), c.x, c.y, c.z, IMAGE(image)->layers, (float4)depth);
}

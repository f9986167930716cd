// A value that is spilled for another one's sake, though a third that is made of it is made again: in a dispatch loop,
// which so many regions share.
//@ options: -cl-std=CL3.0
//@ kernel: parts
//@ global: 8
//@ local: 8
//@ out: long = 132000149 143000147 110000124 209000157 176000169 187000171 330000192 253000188
//@ in: int = 0 0 0 0 0 0 0 0
//@ value: long = 3
//@ value: long = 9
//@ value: long = 100
//@ value: int = 3
kernel void parts(global long *out, volatile global const int *in, long n, long m, long p, int k) {
  local int t[64]; local int t2[64];
  int l = get_local_id(0), lsz = get_local_size(0);
  int u = ((l * 3) ^ 5) + 7;
  long v = (((long)u * n) ^ m) + p;
  int w = u * 11;
  t[l] = in[l]; t2[l] = l;
  int s = l;
    if (k & 0) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*3; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+1) % lsz]; }
    s = s * 3 + (s >> 1) ^ t2[(s & 7)]; s = (s ^ 0) * (s >> 3) + t2[(s>>2)&7];
    if (k & 1) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*4; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+2) % lsz]; }
    s = s * 5 + (s >> 2) ^ t2[(s & 7)]; s = (s ^ 77) * (s >> 3) + t2[(s>>2)&7];
    if (k & 2) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*5; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+3) % lsz]; }
    s = s * 7 + (s >> 3) ^ t2[(s & 7)]; s = (s ^ 154) * (s >> 3) + t2[(s>>2)&7];
    if (k & 3) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*6; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+4) % lsz]; }
    s = s * 9 + (s >> 4) ^ t2[(s & 7)]; s = (s ^ 231) * (s >> 3) + t2[(s>>2)&7];
    if (k & 4) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*7; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+5) % lsz]; }
    s = s * 11 + (s >> 5) ^ t2[(s & 7)]; s = (s ^ 308) * (s >> 3) + t2[(s>>2)&7];
    if (k & 5) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*8; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+6) % lsz]; }
    s = s * 13 + (s >> 6) ^ t2[(s & 7)]; s = (s ^ 385) * (s >> 3) + t2[(s>>2)&7];
    if (k & 6) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*9; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+7) % lsz]; }
    s = s * 15 + (s >> 7) ^ t2[(s & 7)]; s = (s ^ 462) * (s >> 3) + t2[(s>>2)&7];
    if (k & 7) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*10; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+8) % lsz]; }
    s = s * 17 + (s >> 8) ^ t2[(s & 7)]; s = (s ^ 539) * (s >> 3) + t2[(s>>2)&7];
    if (k & 8) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*11; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+9) % lsz]; }
    s = s * 19 + (s >> 9) ^ t2[(s & 7)]; s = (s ^ 616) * (s >> 3) + t2[(s>>2)&7];
    if (k & 9) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*12; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+10) % lsz]; }
    s = s * 21 + (s >> 10) ^ t2[(s & 7)]; s = (s ^ 693) * (s >> 3) + t2[(s>>2)&7];
    if (k & 10) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*13; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+11) % lsz]; }
    s = s * 23 + (s >> 11) ^ t2[(s & 7)]; s = (s ^ 770) * (s >> 3) + t2[(s>>2)&7];
    if (k & 11) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*14; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+12) % lsz]; }
    s = s * 25 + (s >> 12) ^ t2[(s & 7)]; s = (s ^ 847) * (s >> 3) + t2[(s>>2)&7];
    if (k & 12) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*15; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+13) % lsz]; }
    s = s * 27 + (s >> 13) ^ t2[(s & 7)]; s = (s ^ 924) * (s >> 3) + t2[(s>>2)&7];
    if (k & 13) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*16; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+14) % lsz]; }
    s = s * 29 + (s >> 14) ^ t2[(s & 7)]; s = (s ^ 1001) * (s >> 3) + t2[(s>>2)&7];
    if (k & 14) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*17; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+15) % lsz]; }
    s = s * 31 + (s >> 15) ^ t2[(s & 7)]; s = (s ^ 1078) * (s >> 3) + t2[(s>>2)&7];
    if (k & 15) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*18; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+16) % lsz]; }
    s = s * 33 + (s >> 16) ^ t2[(s & 7)]; s = (s ^ 1155) * (s >> 3) + t2[(s>>2)&7];
    if (k & 16) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*19; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+17) % lsz]; }
    s = s * 35 + (s >> 17) ^ t2[(s & 7)]; s = (s ^ 1232) * (s >> 3) + t2[(s>>2)&7];
    if (k & 17) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*20; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+18) % lsz]; }
    s = s * 37 + (s >> 18) ^ t2[(s & 7)]; s = (s ^ 1309) * (s >> 3) + t2[(s>>2)&7];
    if (k & 18) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*21; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+19) % lsz]; }
    s = s * 39 + (s >> 19) ^ t2[(s & 7)]; s = (s ^ 1386) * (s >> 3) + t2[(s>>2)&7];
    if (k & 19) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*22; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+20) % lsz]; }
    s = s * 41 + (s >> 20) ^ t2[(s & 7)]; s = (s ^ 1463) * (s >> 3) + t2[(s>>2)&7];
    if (k & 20) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*23; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+21) % lsz]; }
    s = s * 43 + (s >> 21) ^ t2[(s & 7)]; s = (s ^ 1540) * (s >> 3) + t2[(s>>2)&7];
    if (k & 21) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*24; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+22) % lsz]; }
    s = s * 45 + (s >> 22) ^ t2[(s & 7)]; s = (s ^ 1617) * (s >> 3) + t2[(s>>2)&7];
    if (k & 22) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*25; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+23) % lsz]; }
    s = s * 47 + (s >> 23) ^ t2[(s & 7)]; s = (s ^ 1694) * (s >> 3) + t2[(s>>2)&7];
    if (k & 23) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*26; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+24) % lsz]; }
    s = s * 49 + (s >> 24) ^ t2[(s & 7)]; s = (s ^ 1771) * (s >> 3) + t2[(s>>2)&7];
    if (k & 24) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*27; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+25) % lsz]; }
    s = s * 51 + (s >> 25) ^ t2[(s & 7)]; s = (s ^ 1848) * (s >> 3) + t2[(s>>2)&7];
    if (k & 25) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*28; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+26) % lsz]; }
    s = s * 53 + (s >> 26) ^ t2[(s & 7)]; s = (s ^ 1925) * (s >> 3) + t2[(s>>2)&7];
    if (k & 26) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*29; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+27) % lsz]; }
    s = s * 55 + (s >> 27) ^ t2[(s & 7)]; s = (s ^ 2002) * (s >> 3) + t2[(s>>2)&7];
    if (k & 27) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*30; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+28) % lsz]; }
    s = s * 57 + (s >> 28) ^ t2[(s & 7)]; s = (s ^ 2079) * (s >> 3) + t2[(s>>2)&7];
    if (k & 28) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*31; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+29) % lsz]; }
    s = s * 59 + (s >> 29) ^ t2[(s & 7)]; s = (s ^ 2156) * (s >> 3) + t2[(s>>2)&7];
    if (k & 29) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = s*32; barrier(CLK_LOCAL_MEM_FENCE); s += t[(l+30) % lsz]; }
    s = s * 61 + (s >> 30) ^ t2[(s & 7)]; s = (s ^ 2233) * (s >> 3) + t2[(s>>2)&7];

  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = v + (s & 15) + w * 1000000L;
}

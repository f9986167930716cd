; random2164: 1504 bytes of code, 416 bytes of stack
  pushq %rbp
  movq %rsp, %rbp
  subq $0x190, %rsp
  movq %rbx, 0x160(%rsp)
  movq %r12, 0x168(%rsp)
  movq %r13, 0x170(%rsp)
  movq %r14, 0x178(%rsp)
  movq %r15, 0x180(%rsp)
block0:
  jmp     label1
block1:
  leaq <offset:1>+(%rsp), %rbx
  movq (%rdi), %r12
  vmovdqu (%rip), %xmm0
  movdqu %xmm0, <offset:1>+0x150(%rsp)
  movl $0x7, %eax
  vmovq %rax, %xmm0
  movabsq $0x3ff0000000000000, %rax
  vmovq %rax, %xmm1
  vmovq %xmm1, %r13
  vmovq %xmm0, %rax
  vucomisd (%rip), %xmm0
  cmovpq %r13, %rax
  vmovq %rax, %xmm0
  movdqu %xmm0, <offset:1>+0x140(%rsp)
  vmovupd (%rip), %xmm0
  movdqu %xmm0, <offset:1>+0x130(%rsp)
  movq 8(%rdi), %r14
  vmovups (%rip), %xmm0
  movdqu %xmm0, <offset:1>+0x120(%rsp)
  uninit  %xmm0
  vpxor %xmm0, %xmm0, %xmm0
  vpextrd $0x0, %xmm0, %eax
  testl %eax, %eax
  setne %r15b
  movq %r15, <offset:1>+0x118(%rsp)
  vpextrd $0x1, %xmm0, %eax
  testl %eax, %eax
  setne %r15b
  movq %r15, <offset:1>+0x110(%rsp)
  vpextrd $0x2, %xmm0, %eax
  testl %eax, %eax
  setne %al
  movq %rax, <offset:1>+0x108(%rsp)
  cmpq %rcx, %rdx
  movq %rdx, %r15
  movq %rcx, <offset:1>+0x100(%rsp)
  jb      label2; j label3
block2:
  jmp     label4
block3:
  jmp     label29
block4:
  jmp     label5
block5:
  movl $0x3a, %esi
  movl $0x100, %edx
  load_ext_name userextname0+0, %rax
  movq %rbx, %rdi
  call    *%rax
  movq %r15, %rdx
  movq %rdx, %r9
  shlq $0x6, %r9
  movzbq 0x17(%r12, %r9), %rcx
  movzwq 0x1a(%r12, %r9), %rax
  movl 0xf(%r12, %r9), %edi
  movq 0xe(%r12, %r9), %r8
  vmovdqu 0x18(%r12, %r9), %xmm0
  vmovdqu 0x28(%r12, %r9), %xmm1
  movzwq (%r12, %r9), %rsi
  vmovsd 0x1f(%r12, %r9), %xmm2
  vmovupd 0x13(%r12, %r9), %xmm7
  vmovupd 0x23(%r12, %r9), %xmm6
  cmpb $0xff, %cl
  jz      label24; j label6
block6:
  cmpb $0x5, %cl
  jz      label7; j label8
block7:
  movdqu <offset:1>+0x150(%rsp), %xmm3
  movdqu <offset:1>+0x140(%rsp), %xmm4
  jmp     label25
block8:
  testb %cl, %cl
  jnz     label23; j label9
block9:
  cmpb $0xff, %cl
  jz      label21; j label10
block10:
  cmpb $0x5, %cl
  jz      label11; j label12
block11:
  movdqu <offset:1>+0x150(%rsp), %xmm3
  movdqu <offset:1>+0x140(%rsp), %xmm4
  jmp     label22
block12:
  testb %cl, %cl
  jnz     label18; j label13
block13:
  jmp     label14
block14:
  movdqu <offset:1>+0x150(%rsp), %xmm3
  vmovdqu %xmm3, <offset:1>+0x68(%rsp)
  vmovdqu %xmm3, <offset:1>+0x78(%rsp)
  vmovdqu %xmm3, <offset:1>+0x88(%rsp)
  vmovdqu %xmm3, <offset:1>+0x98(%rsp)
  vmovdqu %xmm3, <offset:1>+0xa8(%rsp)
  vmovdqu %xmm3, <offset:1>+0xb8(%rsp)
  vmovdqu %xmm3, <offset:1>+0xc8(%rsp)
  vmovdqu %xmm3, <offset:1>+0xd8(%rsp)
  jmp     label15
block15:
  movzwl %si, %r9d
  movq %r9, %r10
  andl $0x7fff, %r10d
  movq %r10, %r15
  shll $0xd, %r15d
  movq %r15, %r11
  orl $0x7f800000, %r11d
  vmovd %r15d, %xmm4
  vmulss (%rip), %xmm4, %xmm4
  vmovd %xmm4, %r15d
  cmpl $0x7c00, %r10d
  cmovgel %r11d, %r15d
  andl $0x8000, %r9d
  shll $0x10, %r9d
  orl %r9d, %r15d
  vmovd %r15d, %xmm4
  vucomiss %xmm4, %xmm4
  movq %rsi, %r9
  cmovpl (%rip), %r9d
  andq $0xf, %r8
  movw %r9w, 0xcb(%rbx, %r8)
  jmp     label16
block16:
  jmp     label17
block17:
  movdqu <offset:1>+0x140(%rsp), %xmm4
  jmp     label22
block18:
  movdqu <offset:1>+0x150(%rsp), %xmm3
  jmp     label19
block19:
  jmp     label20
block20:
  movq <offset:1>+0x31(%rsp), %r9
  andq $0xf, %r8
  imulq $0x3, %r8, %r8
  movdqu <offset:1>+0x140(%rsp), %xmm4
  vmovsd %xmm4, 0xad(%rbx, %r8)
  andq $0xf, %r9
  movw $0xab92, 0xbc(%rbx, %r9, 2)
  movw $0xab92, 0xbe(%rbx, %r9, 2)
  jmp     label22
block21:
  movdqu <offset:1>+0x150(%rsp), %xmm3
  movdqu <offset:1>+0x140(%rsp), %xmm4
  jmp     label22
block22:
  jmp     label25
block23:
  movdqu <offset:1>+0x150(%rsp), %xmm3
  movdqu <offset:1>+0x140(%rsp), %xmm4
  jmp     label25
block24:
  movdqu <offset:1>+0x150(%rsp), %xmm3
  movdqu <offset:1>+0x140(%rsp), %xmm4
  jmp     label25
block25:
  vcmpunordpd %xmm7, %xmm7, %xmm8
  movdqu <offset:1>+0x130(%rsp), %xmm5
  vpblendvb %xmm8, %xmm5, %xmm7, %xmm7
  movq %rdx, %r8
  shlq $0x7, %r8
  vmovupd %xmm7, (%r14, %r8)
  vcmpunordpd %xmm6, %xmm6, %xmm8
  vpblendvb %xmm8, %xmm5, %xmm6, %xmm6
  vmovupd %xmm6, 0x10(%r14, %r8)
  movb %cl, 0x20(%r14, %r8)
  movl %edi, 0x21(%r14, %r8)
  vcvtpd2ps %xmm7, %xmm8
  vcvtps2pd %xmm8, %xmm9
  vpcmpgtq %xmm7, %xmm9, %xmm9
  vpaddd %xmm9, %xmm8, %xmm8
  vbroadcastss %xmm8, %xmm8
  vpshufd $0xee, %xmm7, %xmm7
  uninit  %xmm9
  vxorpd %xmm9, %xmm9, %xmm9
  vmovsd %xmm7, %xmm9, %xmm7
  vcvtpd2ps %xmm7, %xmm9
  vcvtps2pd %xmm9, %xmm10
  vpcmpgtq %xmm7, %xmm10, %xmm7
  vpaddd %xmm7, %xmm9, %xmm7
  vinsertps $0x10, %xmm7, %xmm8, %xmm7
  vcvtpd2ps %xmm6, %xmm8
  vcvtps2pd %xmm8, %xmm9
  vpcmpgtq %xmm6, %xmm9, %xmm9
  vpaddd %xmm9, %xmm8, %xmm8
  vinsertps $0x20, %xmm8, %xmm7, %xmm7
  vpshufd $0xee, %xmm6, %xmm6
  uninit  %xmm8
  vxorpd %xmm8, %xmm8, %xmm8
  vmovsd %xmm6, %xmm8, %xmm6
  vcvtpd2ps %xmm6, %xmm8
  vcvtps2pd %xmm8, %xmm9
  vpcmpgtq %xmm6, %xmm9, %xmm6
  vpaddd %xmm6, %xmm8, %xmm6
  vinsertps $0x30, %xmm6, %xmm7, %xmm7
  vcmpunordps %xmm7, %xmm7, %xmm8
  movdqu <offset:1>+0x120(%rsp), %xmm6
  vpblendvb %xmm8, %xmm6, %xmm7, %xmm7
  vmovups %xmm7, 0x25(%r14, %r8)
  movzwl %si, %edi
  movq %rdi, %r9
  andl $0x7fff, %r9d
  movq %r9, %r11
  shll $0xd, %r11d
  movq %r11, %r10
  orl $0x7f800000, %r10d
  vmovd %r11d, %xmm7
  vmulss (%rip), %xmm7, %xmm7
  vmovd %xmm7, %r11d
  cmpl $0x7c00, %r9d
  cmovgel %r10d, %r11d
  andl $0x8000, %edi
  shll $0x10, %edi
  orl %edi, %r11d
  vmovd %r11d, %xmm7
  vucomiss %xmm7, %xmm7
  cmovpl (%rip), %esi
  movw %si, 0x35(%r14, %r8)
  movb %cl, 0x37(%r14, %r8)
  xorw $0x352d, %ax
  movq %rax, %rcx
  andq $0xf, %rcx
  movq %rax, %rsi
  rolw %cl, %si
  movw %si, 0x38(%r14, %r8)
  vmovdqu %xmm0, 0x3a(%r14, %r8)
  vmovdqu %xmm1, 0x4a(%r14, %r8)
  vmovq %xmm2, %rcx
  vucomisd %xmm2, %xmm2
  cmovpq %r13, %rcx
  vmovq %rcx, %xmm0
  vmovsd %xmm0, 0x5a(%r14, %r8)
  movw $0x7ab4, 0x62(%r14, %r8)
  movw $0x7ab4, 0x64(%r14, %r8)
  movw $0x7ab4, 0x66(%r14, %r8)
  movw %ax, 0x68(%r14, %r8)
  movq <offset:1>+0x118(%rsp), %rax
  movb %al, 0x7a(%r14, %r8)
  movq <offset:1>+0x110(%rsp), %rcx
  movb %cl, 0x7b(%r14, %r8)
  movq <offset:1>+0x108(%rsp), %rsi
  movb %sil, 0x7c(%r14, %r8)
  jmp     label26
block26:
  leaq 1(%rdx), %rdx
  movq <offset:1>+0x100(%rsp), %rdi
  cmpq %rdi, %rdx
  jb      label27; j label28
block27:
  movq %rdx, %r15
  movq %rdi, <offset:1>+0x100(%rsp)
  movq %rsi, <offset:1>+0x108(%rsp)
  movq %rcx, <offset:1>+0x110(%rsp)
  movq %rax, <offset:1>+0x118(%rsp)
  movdqu %xmm6, <offset:1>+0x120(%rsp)
  movdqu %xmm5, <offset:1>+0x130(%rsp)
  movdqu %xmm4, <offset:1>+0x140(%rsp)
  movdqu %xmm3, <offset:1>+0x150(%rsp)
  jmp     label4
block28:
  jmp     label29
block29:
  jmp     label30
block30:
  movq 0x160(%rsp), %rbx
  movq 0x168(%rsp), %r12
  movq 0x170(%rsp), %r13
  movq 0x178(%rsp), %r14
  movq 0x180(%rsp), %r15
  addq $0x190, %rsp
  movq %rbp, %rsp
  popq %rbp
  retq


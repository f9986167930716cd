; random2164: 1280 bytes of code, 384 bytes of stack
  pushq %rbp
  movq %rsp, %rbp
  subq $0x170, %rsp
  movq %rbx, 0x140(%rsp)
  movq %r12, 0x148(%rsp)
  movq %r13, 0x150(%rsp)
  movq %r14, 0x158(%rsp)
  movq %r15, 0x160(%rsp)
block0:
  jmp     label1
block1:
  leaq <offset:1>+(%rsp), %rbx
  movq (%rdi), %r12
  vmovdqu (%rip), %xmm0
  movdqu %xmm0, <offset:1>+0x130(%rsp)
  vmovupd (%rip), %xmm0
  movdqu %xmm0, <offset:1>+0x120(%rsp)
  movq 8(%rdi), %r13
  vmovups (%rip), %xmm0
  movdqu %xmm0, <offset:1>+0x110(%rsp)
  movabsq $0x3ff0000000000000, %rax
  vmovq %rax, %xmm0
  vmovq %xmm0, %r14
  cmpq %rcx, %rdx
  movq %rdx, %r15
  movq %rcx, <offset:1>+0x100(%rsp)
  jb      label2; j label3
block2:
  jmp     label4
block3:
  jmp     label22
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
  movl 0xf(%r12, %r9), %r8d
  movq 0xe(%r12, %r9), %rdi
  vmovdqu 0x18(%r12, %r9), %xmm0
  vmovdqu 0x28(%r12, %r9), %xmm1
  movzwq (%r12, %r9), %rsi
  vmovsd 0x1f(%r12, %r9), %xmm2
  vmovupd 0x13(%r12, %r9), %xmm6
  vmovupd 0x23(%r12, %r9), %xmm5
  cmpb $0xff, %cl
  jz      label6; j label7
block6:
  movdqu <offset:1>+0x130(%rsp), %xmm3
  jmp     label18
block7:
  cmpb $0x5, %cl
  jz      label8; j label9
block8:
  movdqu <offset:1>+0x130(%rsp), %xmm3
  jmp     label18
block9:
  testb %cl, %cl
  jnz     label10; j label11
block10:
  movdqu <offset:1>+0x130(%rsp), %xmm3
  jmp     label18
block11:
  cmpb $0xff, %cl
  jz      label12; j label13
block12:
  movdqu <offset:1>+0x130(%rsp), %xmm3
  jmp     label18
block13:
  cmpb $0x5, %cl
  jz      label14; j label15
block14:
  movdqu <offset:1>+0x130(%rsp), %xmm3
  jmp     label18
block15:
  testb %cl, %cl
  jnz     label17; j label16
block16:
  movdqu <offset:1>+0x130(%rsp), %xmm3
  vmovdqu %xmm3, <offset:1>+0x68(%rsp)
  vmovdqu %xmm3, <offset:1>+0x78(%rsp)
  vmovdqu %xmm3, <offset:1>+0x88(%rsp)
  vmovdqu %xmm3, <offset:1>+0x98(%rsp)
  vmovdqu %xmm3, <offset:1>+0xa8(%rsp)
  vmovdqu %xmm3, <offset:1>+0xb8(%rsp)
  vmovdqu %xmm3, <offset:1>+0xc8(%rsp)
  vmovdqu %xmm3, <offset:1>+0xd8(%rsp)
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
  movq %rsi, %r10
  cmovpl (%rip), %r10d
  andq $0xf, %rdi
  movw %r10w, 0xcb(%rbx, %rdi)
  jmp     label18
block17:
  movdqu <offset:1>+0x130(%rsp), %xmm3
  movq <offset:1>+0x31(%rsp), %r9
  movl $0x7, %r11d
  vmovq %r11, %xmm4
  andq $0xf, %rdi
  imulq $0x3, %rdi, %rdi
  vmovsd %xmm4, 0xad(%rbx, %rdi)
  andq $0xf, %r9
  movw $0xab92, 0xbc(%rbx, %r9, 2)
  movw $0xab92, 0xbe(%rbx, %r9, 2)
  jmp     label18
block18:
  vcmpunordpd %xmm6, %xmm6, %xmm7
  movdqu <offset:1>+0x120(%rsp), %xmm4
  vpblendvb %xmm7, %xmm4, %xmm6, %xmm6
  movq %rdx, %rdi
  shlq $0x7, %rdi
  vmovupd %xmm6, (%r13, %rdi)
  vcmpunordpd %xmm5, %xmm5, %xmm7
  vpblendvb %xmm7, %xmm4, %xmm5, %xmm5
  vmovupd %xmm5, 0x10(%r13, %rdi)
  movb %cl, 0x20(%r13, %rdi)
  movl %r8d, 0x21(%r13, %rdi)
  vcvtpd2ps %xmm6, %xmm7
  vcvtps2pd %xmm7, %xmm8
  vpcmpgtq %xmm6, %xmm8, %xmm8
  vpaddd %xmm8, %xmm7, %xmm7
  vbroadcastss %xmm7, %xmm7
  vpshufd $0xee, %xmm6, %xmm6
  uninit  %xmm8
  vxorpd %xmm8, %xmm8, %xmm8
  vmovsd %xmm6, %xmm8, %xmm6
  vcvtpd2ps %xmm6, %xmm8
  vcvtps2pd %xmm8, %xmm9
  vpcmpgtq %xmm6, %xmm9, %xmm6
  vpaddd %xmm6, %xmm8, %xmm6
  vinsertps $0x10, %xmm6, %xmm7, %xmm6
  vcvtpd2ps %xmm5, %xmm7
  vcvtps2pd %xmm7, %xmm8
  vpcmpgtq %xmm5, %xmm8, %xmm8
  vpaddd %xmm8, %xmm7, %xmm7
  vinsertps $0x20, %xmm7, %xmm6, %xmm6
  vpshufd $0xee, %xmm5, %xmm5
  uninit  %xmm7
  vxorpd %xmm7, %xmm7, %xmm7
  vmovsd %xmm5, %xmm7, %xmm5
  vcvtpd2ps %xmm5, %xmm7
  vcvtps2pd %xmm7, %xmm8
  vpcmpgtq %xmm5, %xmm8, %xmm5
  vpaddd %xmm5, %xmm7, %xmm5
  vinsertps $0x30, %xmm5, %xmm6, %xmm6
  vcmpunordps %xmm6, %xmm6, %xmm7
  movdqu <offset:1>+0x110(%rsp), %xmm5
  vpblendvb %xmm7, %xmm5, %xmm6, %xmm6
  vmovups %xmm6, 0x25(%r13, %rdi)
  movzwl %si, %r8d
  movq %r8, %r9
  andl $0x7fff, %r9d
  movq %r9, %r11
  shll $0xd, %r11d
  movq %r11, %r10
  orl $0x7f800000, %r10d
  vmovd %r11d, %xmm6
  vmulss (%rip), %xmm6, %xmm6
  vmovd %xmm6, %r11d
  cmpl $0x7c00, %r9d
  cmovgel %r10d, %r11d
  andl $0x8000, %r8d
  shll $0x10, %r8d
  orl %r8d, %r11d
  vmovd %r11d, %xmm6
  vucomiss %xmm6, %xmm6
  cmovpl (%rip), %esi
  movw %si, 0x35(%r13, %rdi)
  movb %cl, 0x37(%r13, %rdi)
  xorw $0x352d, %ax
  movq %rax, %rcx
  andq $0xf, %rcx
  movq %rax, %rsi
  rolw %cl, %si
  movw %si, 0x38(%r13, %rdi)
  vmovdqu %xmm0, 0x3a(%r13, %rdi)
  vmovdqu %xmm1, 0x4a(%r13, %rdi)
  vmovq %xmm2, %rcx
  vucomisd %xmm2, %xmm2
  cmovpq %r14, %rcx
  vmovq %rcx, %xmm0
  vmovsd %xmm0, 0x5a(%r13, %rdi)
  movw $0x7ab4, 0x62(%r13, %rdi)
  movw $0x7ab4, 0x64(%r13, %rdi)
  movw $0x7ab4, 0x66(%r13, %rdi)
  movw %ax, 0x68(%r13, %rdi)
  movb $0x0, 0x7a(%r13, %rdi)
  movb $0x0, 0x7b(%r13, %rdi)
  movb $0x0, 0x7c(%r13, %rdi)
  jmp     label19
block19:
  leaq 1(%rdx), %rdx
  movq <offset:1>+0x100(%rsp), %rcx
  cmpq %rcx, %rdx
  jb      label20; j label21
block20:
  movq %rdx, %r15
  movq %rcx, <offset:1>+0x100(%rsp)
  movdqu %xmm5, <offset:1>+0x110(%rsp)
  movdqu %xmm4, <offset:1>+0x120(%rsp)
  movdqu %xmm3, <offset:1>+0x130(%rsp)
  jmp     label4
block21:
  jmp     label22
block22:
  jmp     label23
block23:
  movq 0x140(%rsp), %rbx
  movq 0x148(%rsp), %r12
  movq 0x150(%rsp), %r13
  movq 0x158(%rsp), %r14
  movq 0x160(%rsp), %r15
  addq $0x170, %rsp
  movq %rbp, %rsp
  popq %rbp
  retq


/**
 * The program that holds a task's namespaces open: a static ELF executable of a few hundred bytes for Linux, so that no image
 * has to be pulled and no binary shipped. It ignores SIGCHLD, by which the kernel reaps orphans where it is process 1 of
 * a shared PID namespace (as the pause containers of ECS and Kubernetes do by hand), and sleeps for ever:
 *
 * ```
 * rt_sigaction(SIGCHLD, &{ handler: SIG_IGN }, NULL, 8);
 * for (;;) pause();                        // arm64, which has no pause: ppoll(NULL, 0, NULL, NULL)
 * ```
 */
export const pauseProgram = (architecture: string): Buffer => {
  const machine = machines[architecture];
  if (!machine) throw new Error(`the container engine runs on ${architecture}: only amd64 and arm64 are known`);
  const code = Buffer.concat([Buffer.from(machine.code.join(''), 'hex'), sigaction]);
  return Buffer.concat([elfHeader(machine.id), programHeader(headBytes + code.length), code]);
};

const machines: Readonly<Record<string, { readonly id: number; readonly code: readonly string[] }>> = {
  // mov edi, 17; lea rsi, [rip+18]; xor edx, edx; push 8; pop r10; push 13; pop rax; syscall
  // push 34; pop rax; syscall; jmp -7
  x86_64: { id: 62, code: ['bf11000000488d351200000031d26a08415a6a0d580f05', '6a22580f05ebf9'] },
  // mov x0, 17; adr x1, +48; mov x2, 0; mov x3, 8; mov x8, 134; svc 0
  // mov x0, 0; mov x1, 0; mov x2, 0; mov x3, 0; mov x8, 73; svc 0; b -24
  aarch64: {
    id: 183,
    code: [
      '200280d281010010020080d2030180d2c81080d2010000d4',
      '000080d2010080d2020080d2030080d2280980d2010000d4faffff17',
    ],
  },
};

/** `struct sigaction` of the kernel: the handler SIG_IGN, no flags, no restorer, no mask. */
const sigaction = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);

const base = 0x400000n;
const headBytes = 64 + 56;

const elfHeader = (machine: number): Buffer => {
  const header = Buffer.alloc(64);
  header.write('\u007fELF', 'latin1');
  header.set([2, 1, 1], 4); // 64 bits, little-endian, version 1
  header.writeUInt16LE(2, 16); // an executable
  header.writeUInt16LE(machine, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(base + BigInt(headBytes), 24); // entry
  header.writeBigUInt64LE(64n, 32); // program headers
  header.writeUInt16LE(64, 52);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(1, 56);
  return header;
};

const programHeader = (size: number): Buffer => {
  const header = Buffer.alloc(56);
  header.writeUInt32LE(1, 0); // PT_LOAD
  header.writeUInt32LE(5, 4); // readable, executable
  header.writeBigUInt64LE(base, 16);
  header.writeBigUInt64LE(base, 24);
  header.writeBigUInt64LE(BigInt(size), 32);
  header.writeBigUInt64LE(BigInt(size), 40);
  header.writeBigUInt64LE(4096n, 48);
  return header;
};

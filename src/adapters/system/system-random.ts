import { randomUUID } from 'node:crypto';
import type { Random } from '../../core/clock.ts';

/** The machine's chance. `next` is not for secrets; `uuid` is unguessable. */
export class SystemRandom implements Random {
  next(): number {
    return Math.random();
  }

  uuid(): string {
    return randomUUID();
  }
}

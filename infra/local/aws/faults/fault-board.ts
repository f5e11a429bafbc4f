import type { Fault, FaultOf, TaskFault } from './fault-model.ts';

interface Standing {
  readonly fault: Fault;
  readonly until: number;
  uses: number;
}

/** What is set to go wrong now. Tests and `POST /_local/faults` write it; the services ask it before they answer. */
export class FaultBoard {
  readonly #now: () => number;
  #standing: Standing[] = [];
  #onTaskFault: (fault: TaskFault) => void = () => {};

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Who makes task faults happen; set by the ECS service. */
  onTaskFault(listener: (fault: TaskFault) => void): void {
    this.#onTaskFault = listener;
  }

  /** @throws whatever the ECS service says of a task fault that cannot happen. */
  inject(fault: Fault): void {
    if (fault.kind === 'spot-interruption' || fault.kind === 'retirement') return this.#onTaskFault(fault);
    const until = fault.forSeconds === undefined ? Number.POSITIVE_INFINITY : this.#now() + fault.forSeconds * 1000;
    this.#standing.push({ fault, until, uses: fault.count ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.#standing = [];
  }

  list(): readonly Fault[] {
    this.#drop();
    return this.#standing.map(({ fault }) => fault);
  }

  /** The first standing fault of this kind that `applies`; one of its uses is spent. */
  take<Kind extends Fault['kind']>(
    kind: Kind,
    applies: (fault: FaultOf<Kind>) => boolean = () => true,
  ): FaultOf<Kind> | undefined {
    this.#drop();
    for (const standing of this.#standing) {
      if (!isOf(standing.fault, kind) || !applies(standing.fault)) continue;
      standing.uses -= 1;
      return standing.fault;
    }
    return undefined;
  }

  #drop(): void {
    const now = this.#now();
    this.#standing = this.#standing.filter(({ until, uses }) => until > now && uses > 0);
  }
}

const isOf = <Kind extends Fault['kind']>(fault: Fault, kind: Kind): fault is FaultOf<Kind> => fault.kind === kind;

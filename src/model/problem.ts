/** Something a pod asks for that cannot be had. `field` is a path in the pod: `spec.containers[0].ports[1].hostPort`. */
export interface Problem {
  readonly field: string;
  /** What is wrong and how to mend it, in one sentence. */
  readonly message: string;
}

/** Something that runs differently from a kubelet. */
export interface Note {
  readonly field: string;
  readonly message: string;
}

/** How long the emulated steps take, in milliseconds. Real ones add up to 20-60 s; these suit a person who waits. */
export interface Delays {
  /** The elastic network interface is made. */
  readonly provisioning: number;
  /** PENDING, until the agent takes the task. */
  readonly pending: number;
  /** Added to what the runtime needs for the images. */
  readonly pull: number;
  /** From a container's start to its execute command agent's. */
  readonly execAgent: number;
  /** DEACTIVATING, before the containers are told to stop. */
  readonly deactivating: number;
  /** The network interface is taken away. */
  readonly deprovisioning: number;
  /** From a change to its event. */
  readonly event: number;
  /** From a line to its being readable in CloudWatch Logs. */
  readonly logIngestion: number;
  /** How long one registration keeps its family busy. */
  readonly registration: number;
}

/** About one second to RUNNING. */
export const localDelays: Delays = {
  provisioning: 400,
  pending: 200,
  pull: 300,
  execAgent: 300,
  deactivating: 50,
  deprovisioning: 200,
  event: 20,
  logIngestion: 200,
  registration: 20,
};

/** Everything at once; the order of things stays. */
export const noDelays: Delays = {
  provisioning: 0,
  pending: 0,
  pull: 0,
  execAgent: 0,
  deactivating: 0,
  deprovisioning: 0,
  event: 0,
  logIngestion: 0,
  registration: 0,
};

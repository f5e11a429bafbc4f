/** Where the operator's command and the functions of a deployment find each other, in SSM's Parameter Store. */
export interface ParameterNames {
  /** SecureString: how to reach the Kubernetes API server. */
  readonly credentials: string;
  /** SecureString: what the path of the admission webhook ends with. */
  readonly admission: string;
  /** String, written by the stack: its nodes and where it listens. */
  readonly deployment: string;
  /** String, written by the stack: variables of a stream gateway. */
  readonly gateway: string;
}

/** Not below `/svk/<deployment>/`, which the tasks' execution role may read. serverless.yml says the same. */
export const parameterNames = (deployment: string): ParameterNames => ({
  credentials: `/svk-system/${deployment}/kubernetes`,
  admission: `/svk-system/${deployment}/admission`,
  deployment: `/svk-system/${deployment}/deployment`,
  gateway: `/svk-system/${deployment}/gateway`,
});

/** A part of a CloudFormation template, as an element of `resources` in serverless.yml. */
export interface TemplatePart {
  readonly Resources?: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Description: string }>>;
  /** What is added to resources that the framework writes. */
  readonly extensions?: Readonly<Record<string, Extension>>;
}

export type Extension = Partial<Pick<Resource, 'Properties' | 'Metadata'>>;

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: 'Retain' | 'Delete';
  readonly UpdateReplacePolicy?: 'Retain' | 'Delete';
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** What a stack is made of, as far as the generated parts need it. */
export interface StackShape {
  readonly deployment: string;
  readonly nodes: readonly string[];
}

export const ref = (id: string): { readonly Ref: string } => ({ Ref: id });

export const arnOf = (id: string): { readonly 'Fn::GetAtt': readonly [string, string] } => ({
  'Fn::GetAtt': [id, 'Arn'],
});

export const sub = (text: string): { readonly 'Fn::Sub': string } => ({ 'Fn::Sub': text });

/** A node's name as part of a logical id, which has letters and digits only; no two names become one. */
export const idOf = (node: string): string =>
  node
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('Dash');

/** Logical ids that the framework gives to the functions. */
export const FUNCTION_IDS = {
  'node-heartbeat': 'NodeDashheartbeat',
  'pod-resync': 'PodDashresync',
  'pod-worker': 'PodDashworker',
  admission: 'Admission',
  'kubelet-api': 'KubeletDashapi',
  'container-logs': 'ContainerDashlogs',
  'task-collector': 'TaskDashcollector',
} as const;
export type FunctionName = keyof typeof FUNCTION_IDS;

export const lambdaId = (name: FunctionName): string => `${FUNCTION_IDS[name]}LambdaFunction`;

/** Functions that call the Kubernetes API server, by their roles. */
export const KUBERNETES_ROLES = [
  'NodeHeartbeatRole',
  'PodResyncRole',
  'PodWorkerRole',
  'KubeletApiRole',
  'ContainerLogsRole',
  'TaskCollectorRole',
] as const;

/** Every role of a function. */
export const FUNCTION_ROLES = [...KUBERNETES_ROLES, 'AdmissionRole'] as const;

/** Neither path nor query: they hold the webhook's secret, names of pods, and commands. */
export const ACCESS_LOG_FORMAT = JSON.stringify({
  requestId: '$context.requestId',
  route: '$context.routeKey',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  error: '$context.error.message',
});

import { wholeSecondTime } from '../../../src/core/micro-time.ts';
import type { Container, Pod, PodCondition, PodStatus } from '../../../src/model/kubernetes.ts';

/** A pod as it stands right after its POST: Pending, with the defaults the server fills in that anybody here reads. */
export const createdPod = (pod: Pod): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...pod,
  metadata: { namespace: 'default', ...pod.metadata },
  spec: {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
    securityContext: {},
    ...pod.spec,
    containers: (pod.spec?.containers ?? []).map(withDefaults),
    ...(pod.spec?.initContainers && { initContainers: pod.spec.initContainers.map(withDefaults) }),
  },
  status: servedStatus({ phase: 'Pending', qosClass: qosClass(pod), ...pod.status }),
});

const withDefaults = (container: Container): Container => ({
  imagePullPolicy: /:(?!latest$)[^/]+$|@/.test(container.image ?? '') ? 'IfNotPresent' : 'Always',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  ...container,
  ...(container.ports && { ports: container.ports.map((port) => ({ protocol: 'TCP', ...port })) }),
  ...(container.env && {
    env: container.env.map((variable) =>
      variable.valueFrom?.fieldRef
        ? { ...variable, valueFrom: { fieldRef: { apiVersion: 'v1', ...variable.valueFrom.fieldRef } } }
        : variable,
    ),
  }),
});

/** The QoS class, as the server sets it once and for all when the pod is made. */
const qosClass = ({ spec }: Pod): string => {
  const resources = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((container) => ({
    requests: container.resources?.requests ?? container.resources?.limits ?? {},
    limits: container.resources?.limits ?? {},
  }));
  if (resources.every(({ requests, limits }) => !hasAny(requests) && !hasAny(limits))) return 'BestEffort';
  const guaranteed = resources.every(({ requests, limits }) =>
    ['cpu', 'memory'].every((name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
};

const hasAny = (quantities: Readonly<Record<string, string>>): boolean =>
  quantities['cpu'] !== undefined || quantities['memory'] !== undefined;

/**
 * A status as the server answers it: structs that are not pointers in Go are never left out (`lastState: {}`), times that
 * are not set are null, and times lose what is below a second.
 */
export const servedStatus = (status: PodStatus): PodStatus =>
  wholeSeconds({
    ...status,
    ...(status.conditions && { conditions: status.conditions.map(servedCondition) }),
    ...(status.containerStatuses && {
      containerStatuses: status.containerStatuses.map((container) => ({
        ...container,
        lastState: servedState(container.lastState ?? {}),
        state: servedState(container.state ?? {}),
      })),
    }),
  }) as PodStatus;

const servedCondition = (condition: PodCondition): PodCondition =>
  ({ lastProbeTime: null, lastTransitionTime: null, ...condition }) as unknown as PodCondition;

type State = NonNullable<NonNullable<PodStatus['containerStatuses']>[number]['state']>;

const servedState = (state: State): State =>
  ({
    ...state,
    ...(state.running && { running: { startedAt: null, ...state.running } }),
    ...(state.terminated && { terminated: { startedAt: null, finishedAt: null, ...state.terminated } }),
  }) as State;

const FRACTION = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/;

const wholeSeconds = (value: unknown): unknown => {
  if (typeof value === 'string') return FRACTION.test(value) ? wholeSecondTime(Date.parse(value)) : value;
  if (Array.isArray(value)) return value.map(wholeSeconds);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, wholeSeconds(member)]));
};

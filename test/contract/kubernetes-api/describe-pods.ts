import { describe, expect, it } from 'vitest';
import { type ApiWorld, aPod } from './api-world.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Pods: defaults, validation, binding, columns. */
export const describePodRules = (world: () => ApiWorld): void => {
  describe('pod', () => {
    it('is filled with defaults', async () => {
      const { api, base } = world();
      const spec = {
        containers: [
          {
            name: 'app',
            image: 'busybox',
            ports: [{ containerPort: 80 }],
            resources: { requests: { cpu: '0.5' }, limits: { memory: '1024Mi' } },
            env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            livenessProbe: { httpGet: { port: 80 } },
          },
        ],
        volumes: [{ name: 'config', configMap: { name: 'x' } }, { name: 'scratch' }],
      };
      const { body } = await api.post(`${base}/pods`, { metadata: { name: 'plain' }, spec });
      expect(body).toMatchObject({
        metadata: { generation: 1 },
        spec: {
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          dnsPolicy: 'ClusterFirst',
          serviceAccountName: 'default',
          serviceAccount: 'default',
          securityContext: {},
          schedulerName: 'default-scheduler',
          enableServiceLinks: true,
          priority: 0,
          preemptionPolicy: 'PreemptLowerPriority',
          tolerations: [
            { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
            { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
          ],
          containers: [
            {
              imagePullPolicy: 'Always',
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
              ports: [{ containerPort: 80, protocol: 'TCP' }],
              resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '1Gi' } },
              env: [{ valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
              livenessProbe: {
                httpGet: { path: '/', port: 80, scheme: 'HTTP' },
                timeoutSeconds: 1,
                periodSeconds: 10,
                successThreshold: 1,
                failureThreshold: 3,
              },
              volumeMounts: [
                {
                  name: expect.stringMatching(/^kube-api-access-.{5}$/),
                  readOnly: true,
                  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
                },
              ],
            },
          ],
          volumes: [
            { name: 'config', configMap: { name: 'x', defaultMode: 420 } },
            { name: 'scratch', emptyDir: {} },
            {
              projected: {
                sources: [
                  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
                  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
                  {
                    downwardAPI: {
                      items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                    },
                  },
                ],
                defaultMode: 420,
              },
            },
          ],
        },
        status: { phase: 'Pending', qosClass: 'Burstable' },
      });
    });

    it.each([
      { what: 'no containers', spec: { containers: [] }, why: 'spec.containers: Required value' },
      { what: 'no image', spec: { containers: [{ name: 'a' }] }, why: 'spec.containers[0].image: Required value' },
      {
        what: 'a name twice',
        spec: {
          containers: [
            { name: 'a', image: 'b' },
            { name: 'a', image: 'b' },
          ],
        },
        why: 'spec.containers[1].name: Duplicate value: "a"',
      },
      {
        what: 'a name that is none',
        spec: { containers: [{ name: 'A_', image: 'b' }] },
        why: `spec.containers[0].name: Invalid value: "A_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      },
      {
        what: 'more requested than allowed',
        spec: { containers: [{ name: 'a', image: 'b', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }] },
        why: 'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      },
      {
        what: 'a volume that is not there',
        spec: { containers: [{ name: 'a', image: 'b', volumeMounts: [{ name: 'nope', mountPath: '/x' }] }] },
        why: 'spec.containers[0].volumeMounts[0].name: Not found: "nope"',
      },
      {
        what: 'a policy that is none',
        spec: { restartPolicy: 'Sometimes' },
        why: 'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      },
      {
        what: 'a deadline of nothing',
        spec: { activeDeadlineSeconds: 0 },
        why: 'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      },
    ])('is refused for $what', async ({ spec, why }) => {
      const { api, base } = world();
      const field = why.slice(0, why.indexOf(': '));
      expect((await api.post(`${base}/pods`, aPod('bad', spec))).body).toMatchObject({
        code: 422,
        reason: 'Invalid',
        message: `Pod "bad" is invalid: ${why}`,
        details: { name: 'bad', kind: 'Pod', causes: [{ field, message: why.slice(field.length + 2) }] },
      });
    });

    it('is refused with every fault at once', async () => {
      const { api, base } = world();
      const body = aPod('bad', { containers: [{}], dnsPolicy: 'x' }, { labels: { 'a b': 'c' } });
      expect((await api.post(`${base}/pods`, body)).body).toMatchObject({
        details: {
          causes: [
            { reason: 'FieldValueInvalid', field: 'metadata.labels' },
            { reason: 'FieldValueRequired', field: 'spec.containers[0].name' },
            { reason: 'FieldValueRequired', field: 'spec.containers[0].image' },
            { reason: 'FieldValueNotSupported', field: 'spec.dnsPolicy' },
          ],
        },
      });
    });

    it('is refused without its ServiceAccount', async () => {
      const { api, base, namespace } = world();
      expect((await api.post(`${base}/pods`, aPod('lost', { serviceAccountName: 'nope' }))).body).toMatchObject({
        code: 403,
        message: `pods "lost" is forbidden: error looking up service account ${namespace}/nope: serviceaccount "nope" not found`,
      });
    });

    it('lets images change, and little else', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, aPod('fixed'));
      const path = `${base}/pods/fixed`;
      const image = await api.patch(path, 'strategic', { spec: { containers: [{ name: 'app', image: 'new' }] } });
      expect(image.body).toMatchObject({ metadata: { generation: 2 }, spec: { containers: [{ image: 'new' }] } });
      expect((await api.patch(path, 'strategic', { spec: { restartPolicy: 'Never' } })).body).toMatchObject({
        code: 422,
        details: {
          causes: [
            {
              field: 'spec',
              reason: 'FieldValueForbidden',
              message: expect.stringContaining('Forbidden: pod updates may not change fields other than'),
            },
          ],
        },
      });
    });

    it('is bound once', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, aPod('bound'));
      const bind = (node: string, metadata: object = {}): Promise<{ readonly body: unknown }> =>
        api.post(`${base}/pods/bound/binding`, {
          metadata: { name: 'bound', ...metadata },
          target: { kind: 'Node', name: node },
        });
      expect((await bind('first', { uid: 'other' })).body).toMatchObject({ code: 409, reason: 'Conflict' });
      expect((await bind('first', { annotations: { a: 'b' } })).body).toMatchObject({ status: 'Success', code: 201 });
      expect((await bind('second')).body).toMatchObject({
        code: 409,
        message: 'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "first"',
      });
      expect((await api.get(`${base}/pods/bound`)).body).toMatchObject({
        metadata: { annotations: { a: 'b' }, generation: 1 },
        spec: { nodeName: 'first' },
        status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
      });
    });

    it('shows as kubectl prints it', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, aPod('shown', { nodeName: 'far-away' }));
      const cells = async (status: object): Promise<unknown> => {
        await api.patch(`${base}/pods/shown/status`, 'merge', { status });
        const { rows } = (await api.get(`${base}/pods/shown`, { accept: TABLE })).body as {
          rows: [{ cells: string[] }];
        };
        return rows[0].cells.filter((_, index) => index !== 4);
      };
      const container = (state: object, more: object = {}): object => ({
        containerStatuses: [{ name: 'app', image: 'x', imageID: 'y', ready: false, restartCount: 0, state, ...more }],
      });
      expect(await cells({})).toEqual(['shown', '0/1', 'Pending', '0', '<none>', 'far-away', '<none>', '<none>']);
      const running = container({ running: { startedAt: '2030-01-01T00:00:00Z' } }, { ready: true });
      expect(await cells({ phase: 'Running', podIPs: [{ ip: '10.0.0.1' }], podIP: '10.0.0.1', ...running })).toEqual([
        'shown',
        '1/1',
        'Running',
        '0',
        '10.0.0.1',
        'far-away',
        '<none>',
        '<none>',
      ]);
      const waiting = container({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 3 });
      expect(await cells(waiting)).toEqual(expect.arrayContaining(['shown', '0/1', 'CrashLoopBackOff', '3']));
      const failed = container({ terminated: { exitCode: 3 } });
      expect(await cells(failed)).toEqual(expect.arrayContaining(['shown', '0/1', 'ExitCode:3', '0']));
      const done = container({ terminated: { exitCode: 0, reason: 'Completed' } });
      expect(await cells({ phase: 'Succeeded', ...done })).toEqual(
        expect.arrayContaining(['shown', '0/1', 'Completed', '0']),
      );
    });
  });
};

import { describe, expect, it } from 'vitest';
import { resolveEnvironment } from '../../../../src/controllers/pod/environment/resolve-environment.ts';
import type { Container } from '../../../../src/model/kubernetes.ts';
import { base64, found, podWith, sourcesWith, values } from './environment-harness.ts';

describe('order', () => {
  const services = [
    { metadata: { name: 'db', namespace: 'shop' }, spec: { clusterIP: '10.1.2.3', ports: [{ port: 5432 }] } },
  ];

  it('lets env beat envFrom, later envFrom sources beat earlier ones, and both beat service variables', () => {
    const container: Partial<Container> = {
      envFrom: [{ configMapRef: { name: 'one' } }, { configMapRef: { name: 'two' } }],
      env: [
        { name: 'C', value: 'env' },
        { name: 'DB_SERVICE_HOST', value: 'mine' },
      ],
    };
    const configMaps = {
      one: found({ data: { A: 'one', B: 'one', C: 'one' } }),
      two: found({ data: { B: 'two', C: 'two' } }),
    };
    const all = values(container, { configMaps, services });
    expect([all.A, all.B, all.C, all.DB_SERVICE_HOST, all.DB_SERVICE_PORT]).toEqual([
      'one',
      'two',
      'env',
      'mine',
      '5432',
    ]);
  });

  it('lets the last of equal names win', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    expect(values({ env })).toEqual({ A: '2' });
  });

  it('expands from what stands before, and keeps what comes later as it is', () => {
    const env = [
      { name: 'EARLY', value: 'e$(LATE)' },
      { name: 'LATE', value: 'l$(EARLY)' },
      { name: 'ESCAPED', value: '$$(EARLY)' },
      { name: 'SERVICE', value: '$(DB_PORT)' },
    ];
    expect(values({ env }, { services })).toMatchObject({
      EARLY: 'e$(LATE)',
      LATE: 'le$(LATE)',
      ESCAPED: '$(EARLY)',
      SERVICE: 'tcp://10.1.2.3:5432',
    });
  });
});

describe('command and args', () => {
  it('expands them from everything and says how guarded each word is', () => {
    const container: Partial<Container> = {
      env: [
        { name: 'PLAIN', value: 'p' },
        { name: 'ME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'PW', valueFrom: { secretKeyRef: { name: 'keys', key: 'pw' } } },
        { name: 'URL', value: 'db://$(PW)@$(ME)' },
      ],
      command: ['run', '$(PLAIN)', '$(UNKNOWN)'],
      args: ['--me=$(ME)-$(PLAIN)', '--url=$(URL)', '$$(ME)'],
    };
    const { environment } = resolveEnvironment(
      podWith(container),
      sourcesWith({ secrets: { keys: found({ data: { pw: base64('s3cret') } }) } }),
    );
    expect(environment.main).toEqual({
      env: [
        { name: 'PLAIN', value: 'p', origin: 'template' },
        { name: 'ME', value: 'web-0', origin: 'identity' },
        { name: 'PW', value: 's3cret', origin: 'secret', secret: { name: 'keys', key: 'pw' } },
        { name: 'URL', value: 'db://s3cret@web-0', origin: 'secret', secret: { name: 'keys', key: 'pw' } },
      ],
      command: [
        { value: 'run', origin: 'template' },
        { value: 'p', origin: 'template' },
        { value: '$(UNKNOWN)', origin: 'template' },
      ],
      args: [
        { value: '--me=web-0-p', origin: 'identity' },
        { value: '--url=db://s3cret@web-0', origin: 'secret', variables: ['URL'] },
        { value: '$(ME)', origin: 'template' },
      ],
    });
  });

  it('leaves them out where the pod does', () => {
    const { environment } = resolveEnvironment(podWith({ command: [] }), sourcesWith());
    expect(environment.main).toEqual({ env: [] });
  });
});

it('does not change what it is given', () => {
  const pod = podWith({ env: [{ name: 'A', value: '$(B)' }], args: ['$(A)'] });
  const before = structuredClone(pod);
  resolveEnvironment(pod, sourcesWith());
  expect(pod).toEqual(before);
});

import { describe, expect, it } from 'vitest';
import { podStatus } from '../../../../../src/controllers/pod/status/pod-status.ts';
import { statusPatch } from '../../../../../src/controllers/pod/status/status-patch.ts';
import type { PodStatus } from '../../../../../src/model/kubernetes.ts';
import { strategicMerge } from '../../../../fakes/kubernetes/strategic-merge.ts';
import { readPod } from '../../../../support/a-view.ts';
import { anAttempt, aStopped, aWorkload, NOW } from '../../../../support/a-workload.ts';

const RUNNING = { attempts: [anAttempt(aWorkload())], restarts: {} };
const own = podStatus(readPod(), RUNNING, NOW);
const merged = (held: PodStatus, patch: unknown): PodStatus => strategicMerge(held, patch) as PodStatus;

describe('the status patch', () => {
  it('is nothing where the server holds everything already', () => {
    const held = merged({}, statusPatch({}, own));
    expect(statusPatch(held, own)).toBeUndefined();
  });

  it('S-05 leaves alone what is not ours', () => {
    const foreign = { type: 'example.com/registered', status: 'True' };
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: '2030-01-01T11:00:00Z' };
    const held: PodStatus = { qosClass: 'Guaranteed', nominatedNodeName: 'n', conditions: [foreign, scheduled] };
    const patch = statusPatch(held, podStatus(readPod({ status: held }), RUNNING, NOW));
    expect(patch).not.toHaveProperty('qosClass');
    expect(merged(held, patch)).toMatchObject({ qosClass: 'Guaranteed', nominatedNodeName: 'n' });
    expect(merged(held, patch).conditions).toEqual(expect.arrayContaining([foreign, scheduled]));
  });

  it('replaces addresses, which would be merged by address otherwise', () => {
    const held = merged({}, statusPatch({}, own));
    const moved = { ...own, ips: ['10.0.0.9'] };
    const patch = statusPatch(held, moved);
    expect(patch).toEqual({
      podIP: '10.0.0.9',
      hostIP: '10.0.0.9',
      podIPs: [{ $patch: 'replace' }, { ip: '10.0.0.9' }],
      hostIPs: [{ $patch: 'replace' }, { ip: '10.0.0.9' }],
    });
    expect(merged(held, patch)).toMatchObject({ podIPs: [{ ip: '10.0.0.9' }], hostIPs: [{ ip: '10.0.0.9' }] });
  });

  it('takes back reasons and messages by name', () => {
    const waiting = { ...own, reason: 'OutOfCapacity', message: 'm' };
    const held = merged({}, statusPatch({}, waiting));
    expect(statusPatch(held, own)).toEqual({ reason: null, message: null });
    const unready = podStatus(
      readPod({ restartPolicy: 'Never' }),
      { attempts: [anAttempt(aStopped(1))], restarts: {} },
      NOW,
    );
    const failed = merged({}, statusPatch({}, unready));
    const ready = merged(failed, statusPatch(failed, own)).conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toEqual({ type: 'Ready', status: 'True', lastTransitionTime: '2030-01-01T12:00:00Z' });
  });
});

import type { Check } from '../check.ts';
import { type Finding, fail, pass, skip, warn } from '../finding.ts';

const WARN_MS = 30_000;
/** EKS and SigV4 refuse what is signed five minutes off. */
const FAIL_MS = 300_000;

/** Whether AWS and the control plane agree on the time: leases, tokens and back-offs are read on both sides. */
export const clockCheck: Check = {
  name: 'clock',
  run: async (world, signal) => {
    // Whoever answers tells the time.
    await world.stack();
    await (await world.operator()).get('/version', { signal });
    const [cluster, aws] = [world.clusterAheadMs(), world.account.aheadMs()];
    if (cluster === undefined || aws === undefined) return [skip('one side does not tell its time')];
    return [judgeClocks(cluster - aws)];
  },
};

/** By how far the control plane's clock is ahead of AWS's; HTTP tells whole seconds. */
export const judgeClocks = (aheadMs: number): Finding => {
  const off = Math.abs(aheadMs);
  const seconds = Math.round(off / 1_000);
  const message = `the control plane's clock is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} AWS's`;
  const fix = 'let the machines of the control plane keep their time by NTP';
  if (off >= FAIL_MS) return fail(`${message}: tokens and certificates are refused`, fix);
  return off >= WARN_MS
    ? warn(`${message}: ages and back-offs look wrong`, fix)
    : pass('AWS and the cluster agree on the time');
};

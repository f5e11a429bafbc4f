import type { Provider } from '../ports/provider.ts';
import type { Caller } from './caller.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { failure } from './responses.ts';
import type { PortForwardRoute } from './route.ts';
import { subjectOf } from './session-audit.ts';
import { findSessionTarget, type SessionTargetDependencies } from './session-target.ts';
import { refuseSession } from './stream-refusal.ts';
import { asksToUpgrade, type PortForwardUpgrade } from './upgrade.ts';

export interface PortForwardDependencies extends SessionTargetDependencies {
  readonly provider: Pick<Provider, 'find' | 'connect' | 'name'>;
}

/** `/portForward/{namespace}/{pod}[/{uid}]`. The pod must run; whether somebody listens is found out port by port. */
export const startPortForward = async (
  request: KubeletRequest,
  route: PortForwardRoute,
  caller: Caller,
  dependencies: PortForwardDependencies,
): Promise<KubeletResponse | PortForwardUpgrade> => {
  const { provider, node } = dependencies;
  const { connect } = provider;
  if (connect === undefined) return refuseSession('port-forward', { node, provider: provider.name });
  const target = await findSessionTarget(route, dependencies, request.signal);
  if (!target.ok) return target.refusal;
  if (!asksToUpgrade(request)) {
    return failure(400, 'BadRequest', 'unable to upgrade: missing upgrade headers in request');
  }
  const { podUid, workloadId } = target;
  return {
    kind: 'port-forward',
    subject: subjectOf(route, caller, { podUid }),
    dial: (port, signal) => connect.call(provider, { workloadId, port }, signal),
  };
};

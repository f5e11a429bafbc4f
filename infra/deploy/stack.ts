import { acceptedFindings } from './accepted-findings.ts';
import { alarms } from './alarms.ts';
import { heartbeatReservation } from './concurrency.ts';
import { containerInsights } from './container-insights.ts';
import { customerKey } from './customer-key.ts';
import { dashboard } from './dashboard.ts';
import { deploymentFacts } from './deployment-facts.ts';
import { eksAccess } from './eks-access.ts';
import { execKey } from './exec-key.ts';
import { gatewayFacts } from './gateway-facts.ts';
import { gatewayPolicy } from './gateway-policy.ts';
import { gatewayService } from './gateway-service.ts';
import { kubeletApis } from './kubelet-apis.ts';
import { mtlsApi } from './mtls-api.ts';
import { functionsInVpc } from './network.ts';
import type { StackParameters } from './parameters.ts';
import type { Extension, StackShape, TemplatePart } from './template.ts';

/** Everything of the stack that depends on the nodes and on what the operator has chosen. */
export const stackParts = (shape: StackShape, chosen: StackParameters, settings: string): TemplatePart =>
  merged([
    kubeletApis(shape, chosen.logRetentionDays),
    deploymentFacts(shape),
    gatewayFacts(shape, settings),
    gatewayPolicy(shape.deployment, chosen.execKeyArn),
    acceptedFindings(),
    ...(chosen.domain ? [mtlsApi(shape, chosen.domain)] : []),
    ...(chosen.vpc ? [functionsInVpc(chosen.vpc)] : []),
    ...(chosen.heartbeatConcurrency === undefined ? [] : [heartbeatReservation(chosen.heartbeatConcurrency)]),
    ...(chosen.gateway ? [gatewayService(shape, chosen.gateway, { ...chosen, settings })] : []),
    ...(chosen.eksCluster === undefined
      ? []
      : [eksAccess(shape.deployment, { cluster: chosen.eksCluster, gateway: chosen.gateway !== undefined })]),
    ...(chosen.keyArn === undefined ? [] : [customerKey(chosen.keyArn, { gateway: chosen.gateway !== undefined })]),
    ...(chosen.execKeyArn === undefined ? [] : [execKey(chosen.execKeyArn)]),
    ...(chosen.alarms ? [alarms(chosen.alarmTopicArn)] : []),
    ...(chosen.containerInsights ? [containerInsights()] : []),
    ...(chosen.dashboard ? [dashboard(shape, { hasMetrics: chosen.metrics })] : []),
  ]);

const merged = (parts: readonly TemplatePart[]): TemplatePart => {
  const extensions: Record<string, Extension> = {};
  for (const part of parts)
    for (const [id, { Properties, Metadata }] of Object.entries(part.extensions ?? {})) {
      const before = extensions[id];
      extensions[id] = {
        Properties: { ...before?.Properties, ...Properties },
        ...((Metadata ?? before?.Metadata) && { Metadata: { ...before?.Metadata, ...Metadata } }),
      };
    }
  return {
    Resources: Object.fromEntries(parts.flatMap(({ Resources }) => Object.entries(Resources ?? {}))),
    Outputs: Object.fromEntries(parts.flatMap(({ Outputs }) => Object.entries(Outputs ?? {}))),
    extensions,
  };
};

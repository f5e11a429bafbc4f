import { arnOf, KUBERNETES_ROLES, type TemplatePart } from './template.ts';

/**
 * Lets the functions' roles into an EKS cluster of this account and region as group `svk-<deployment>`, which
 * `svk manifests --identity group` binds to what it may do. Needs the cluster's authentication mode API or
 * API_AND_CONFIG_MAP.
 */
export const eksAccess = (
  deployment: string,
  { cluster, gateway }: { readonly cluster: string; readonly gateway: boolean },
): TemplatePart => ({
  Resources: Object.fromEntries(
    [...KUBERNETES_ROLES, ...(gateway ? ['GatewayRole'] : [])].map((role) => [
      `${role}EksAccess`,
      {
        Type: 'AWS::EKS::AccessEntry',
        Properties: {
          ClusterName: cluster,
          PrincipalArn: arnOf(role),
          KubernetesGroups: [`svk-${deployment}`],
          Type: 'STANDARD',
        },
      },
    ]),
  ),
});

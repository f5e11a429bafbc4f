import { gatewayHost } from './endpoints.ts';
import type { StackShape, TemplatePart } from './template.ts';

/** What `svk manifests` asks for: the nodes, and where the webhook listens. No secret: who may read parameters may know. */
export const deploymentFacts = ({ deployment, nodes }: StackShape): TemplatePart => ({
  Resources: {
    DeploymentFacts: {
      Type: 'AWS::SSM::Parameter',
      Properties: {
        Name: `/svk-system/${deployment}/deployment`,
        Description: `Nodes and webhook of svk ${deployment}, for svk manifests`,
        Type: 'String',
        Value: {
          'Fn::Join': [
            '',
            [`{"nodes":${JSON.stringify(nodes)},"admissionUrl":"https://`, ...gatewayHost('HttpApi'), '/admission/"}'],
          ],
        },
      },
    },
  },
});

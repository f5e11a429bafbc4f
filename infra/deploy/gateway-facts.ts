import { arnOf, ref, type StackShape, type TemplatePart } from './template.ts';

/** What `svk manifests --gateway` asks for: the variables of a stream gateway that runs in the cluster. No secret. */
export const gatewayFacts = ({ deployment }: StackShape, settings: string): TemplatePart => ({
  Resources: {
    GatewayFacts: {
      Type: 'AWS::SSM::Parameter',
      Properties: {
        Name: `/svk-system/${deployment}/gateway`,
        Description: `Variables of a stream gateway of svk ${deployment}, for svk manifests`,
        Type: 'String',
        Value: {
          'Fn::Join': [
            '',
            [
              '{"AWS_REGION":"',
              ref('AWS::Region'),
              '","SVK_TABLE":"',
              ref('Table'),
              '","SVK_ECS_CLUSTER":"',
              arnOf('Cluster'),
              '","SVK_LOG_GROUP":"',
              ref('PodLogGroup'),
              '","SVK_EXECUTION_ROLE_ARN":"',
              arnOf('ExecutionRole'),
              // A JSON text within one: the functions get it as a text, too.
              `","SVK_SETTINGS":${JSON.stringify(settings)}}`,
            ],
          ],
        },
      },
    },
  },
});

import { kubeletApiId } from './kubelet-apis.ts';
import type { MtlsDomain } from './mtls-api.ts';
import { ref } from './template.ts';

/**
 * Where the API server finds each node's kubelet API: its name on the domain, else its own HTTP API, whose id CloudFormation
 * alone knows. A value of the template that becomes JSON: node name -> {host, port}.
 */
export const kubeletEndpoints = (nodes: readonly string[], domain: MtlsDomain | undefined): unknown => ({
  'Fn::Join': [
    '',
    [
      ...nodes.flatMap((node, index) => [
        `${index === 0 ? '{' : ','}${JSON.stringify(node)}:{"host":"`,
        ...(domain ? [`${node}.${domain.name}`] : gatewayHost(kubeletApiId(node))),
        '","port":443}',
      ]),
      '}',
    ],
  ],
});

/** `<id>.execute-api.<region>.amazonaws.com`, in parts. */
export const gatewayHost = (apiId: string): readonly unknown[] => [
  ref(apiId),
  '.execute-api.',
  ref('AWS::Region'),
  '.',
  ref('AWS::URLSuffix'),
];

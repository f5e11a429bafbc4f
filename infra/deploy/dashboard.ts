import { FUNCTION_METRICS, METRICS_NAMESPACE } from './metrics.ts';
import { FUNCTION_IDS, type FunctionName, lambdaId, type StackShape, type TemplatePart } from './template.ts';

/** One dashboard: $3 a month, unless it is among the first three of the account. With `metrics` it shows those as well. */
export const dashboard = (shape: StackShape, { hasMetrics }: { readonly hasMetrics: boolean }): TemplatePart => ({
  Resources: {
    Dashboard: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: {
        DashboardName: `svk-${shape.deployment}`,
        DashboardBody: {
          'Fn::Sub': JSON.stringify({ widgets: [...widgets(), ...(hasMetrics ? ownWidgets(shape) : [])] }),
        },
      },
    },
  },
});

const NAMES = Object.keys(FUNCTION_IDS) as FunctionName[];
// The body is one text, in which CloudFormation puts the names it gives.
const functionName = (name: FunctionName): string => `\${${lambdaId(name)}}`;
const queueName = (id: string): string => `\${${id}.QueueName}`;

const widgets = (): readonly object[] => [
  widget(
    0,
    0,
    'Invocations',
    'Sum',
    NAMES.map((name) => ['AWS/Lambda', 'Invocations', 'FunctionName', functionName(name)]),
  ),
  widget(12, 0, 'Errors and throttles', 'Sum', [
    ...NAMES.map((name) => ['AWS/Lambda', 'Errors', 'FunctionName', functionName(name)]),
    ...NAMES.map((name) => ['AWS/Lambda', 'Throttles', 'FunctionName', functionName(name)]),
  ]),
  widget(
    0,
    6,
    'Duration, p99 (ms)',
    'p99',
    NAMES.map((name) => ['AWS/Lambda', 'Duration', 'FunctionName', functionName(name)]),
  ),
  widget(12, 6, 'Oldest message (s)', 'Maximum', [
    ['AWS/SQS', 'ApproximateAgeOfOldestMessage', 'QueueName', queueName('PodQueue')],
    ['AWS/SQS', 'ApproximateAgeOfOldestMessage', 'QueueName', queueName('BeatsQueue')],
  ]),
  widget(0, 12, 'Dead letters', 'Maximum', [
    ['AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName', queueName('PodDeadLetterQueue')],
    ['AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName', queueName('BeatsDeadLetterQueue')],
  ]),
  widget(12, 12, 'Table: capacity units and throttles', 'Sum', [
    ['AWS/DynamoDB', 'ConsumedWriteCapacityUnits', 'TableName', '${Table}'],
    ['AWS/DynamoDB', 'ConsumedReadCapacityUnits', 'TableName', '${Table}'],
    ['AWS/DynamoDB', 'ThrottledRequests', 'TableName', '${Table}'],
  ]),
];

const ownWidgets = ({ deployment, nodes }: StackShape): readonly object[] => {
  const own = (name: string, label: string, value: string): readonly string[] => [
    METRICS_NAMESPACE,
    name,
    'deployment',
    deployment,
    label,
    value,
  ];
  const { leaseAge, syncs, launches } = FUNCTION_METRICS;
  return [
    widget(
      0,
      18,
      'Lease age when the schedule comes (s)',
      'Maximum',
      nodes.map((node) => own(leaseAge, 'node', node)),
    ),
    widget(12, 18, 'Reconciles and launches', 'Sum', [
      ...syncs.results.map((result) => own(syncs.name, 'result', result)),
      ...launches.results.map((result) => own(launches.name, 'result', result)),
    ]),
  ];
};

const widget = (x: number, y: number, title: string, stat: string, metrics: readonly unknown[]): object => ({
  type: 'metric',
  x,
  y,
  width: 12,
  height: 6,
  properties: { title, stat, period: 60, region: '${AWS::Region}', view: 'timeSeries', metrics },
});

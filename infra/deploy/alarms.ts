import { FUNCTION_IDS, type FunctionName, lambdaId, type Resource, ref, type TemplatePart } from './template.ts';

const MINUTE = 60;

/**
 * What an operator should be woken for. Ten alarms at $0.10 a month each, and $0.30 for the one metric of ours in the
 * months in which it has values: about $1.30 a month.
 */
export const alarms = (topicArn: string | undefined): TemplatePart => {
  const actions = topicArn === undefined ? {} : { AlarmActions: [topicArn], OKActions: [topicArn] };
  const made = { ...ofHeartbeat(), ...ofQueues(), ...ofFunctions() };
  return {
    Resources: {
      // A lease older than 25 s when the schedule comes: neither queue delivers beats.
      BeatsMissingFilter: {
        Type: 'AWS::Logs::MetricFilter',
        Properties: {
          LogGroupName: ref(`${FUNCTION_IDS['node-heartbeat']}LogGroup`),
          FilterPattern: '{ $.message = "beats do not arrive" }',
          MetricTransformations: [
            { MetricNamespace: ref('AWS::StackName'), MetricName: 'BeatsMissing', MetricValue: '1', Unit: 'Count' },
          ],
        },
      },
      ...Object.fromEntries(
        Object.entries(made).map(([id, properties]) => [
          id,
          { Type: 'AWS::CloudWatch::Alarm', Properties: { ...properties, ...actions } } satisfies Resource,
        ]),
      ),
    },
  };
};

type AlarmProperties = Readonly<Record<string, unknown>>;

const alarm = (
  description: string,
  metric: {
    readonly namespace: unknown;
    readonly name: string;
    readonly dimensions?: Readonly<Record<string, unknown>>;
  },
  rule: {
    readonly statistic: string;
    readonly above?: number;
    readonly below?: number;
    readonly minutes: number;
    readonly times: number;
    readonly missing?: 'breaching' | 'notBreaching';
  },
): AlarmProperties => ({
  AlarmDescription: description,
  Namespace: metric.namespace,
  MetricName: metric.name,
  ...(metric.dimensions && {
    Dimensions: Object.entries(metric.dimensions).map(([Name, Value]) => ({ Name, Value })),
  }),
  Statistic: rule.statistic,
  ComparisonOperator: rule.below === undefined ? 'GreaterThanThreshold' : 'LessThanThreshold',
  Threshold: rule.below ?? rule.above,
  Period: rule.minutes * MINUTE,
  EvaluationPeriods: rule.times,
  TreatMissingData: rule.missing ?? 'notBreaching',
});

const ofHeartbeat = (): Readonly<Record<string, AlarmProperties>> => {
  const of = (name: string) => ({
    namespace: 'AWS/Lambda',
    name,
    dimensions: { FunctionName: ref(lambdaId('node-heartbeat')) },
  });
  return {
    HeartbeatSilentAlarm: alarm('The heartbeat is not called: the nodes go NotReady', of('Invocations'), {
      statistic: 'Sum',
      below: 3,
      minutes: 1,
      times: 3,
      missing: 'breaching',
    }),
    HeartbeatFailsAlarm: alarm('The heartbeat fails: see its log', of('Errors'), {
      statistic: 'Sum',
      above: 2,
      minutes: 5,
      times: 1,
    }),
    BeatsMissingAlarm: alarm(
      'A lease was not renewed for more than 25 s: neither queue delivers beats',
      { namespace: ref('AWS::StackName'), name: 'BeatsMissing' },
      { statistic: 'Sum', above: 0, minutes: 1, times: 2 },
    ),
  };
};

const ofQueues = (): Readonly<Record<string, AlarmProperties>> => {
  const of = (queue: string, name: string) => ({
    namespace: 'AWS/SQS',
    name,
    dimensions: { QueueName: { 'Fn::GetAtt': [queue, 'QueueName'] } },
  });
  return {
    PodDeadLettersAlarm: alarm(
      'A message about a pod, or a task event, could not be worked on: see the dead-letter queue',
      of('PodDeadLetterQueue', 'ApproximateNumberOfMessagesVisible'),
      { statistic: 'Maximum', above: 0, minutes: 5, times: 1 },
    ),
    BeatsDeadLettersAlarm: alarm(
      'A beat could not be worked on: see the dead-letter queue',
      of('BeatsDeadLetterQueue', 'ApproximateNumberOfMessagesVisible'),
      { statistic: 'Maximum', above: 0, minutes: 5, times: 1 },
    ),
    PodsWaitAlarm: alarm(
      'Messages about pods wait for more than two minutes: more workers (--param workerConcurrency), or see their log',
      of('PodQueue', 'ApproximateAgeOfOldestMessage'),
      // Beats are sent three minutes ahead, and count from when they are due.
      { statistic: 'Maximum', above: 120, minutes: 1, times: 3 },
    ),
  };
};

const ofFunctions = (): Readonly<Record<string, AlarmProperties>> => {
  const watched: readonly FunctionName[] = ['pod-worker', 'pod-resync', 'task-collector'];
  return {
    ...Object.fromEntries(
      watched.map((name) => [
        `${FUNCTION_IDS[name]}FailsAlarm`,
        alarm(
          `${name} fails: see its log`,
          { namespace: 'AWS/Lambda', name: 'Errors', dimensions: { FunctionName: ref(lambdaId(name)) } },
          { statistic: 'Sum', above: 2, minutes: 5, times: 2 },
        ),
      ]),
    ),
    ThrottledAlarm: alarm(
      'The account has no concurrent execution left for the heartbeat: ask for more, or reserve some',
      {
        namespace: 'AWS/Lambda',
        name: 'Throttles',
        dimensions: { FunctionName: ref(lambdaId('node-heartbeat')) },
      },
      { statistic: 'Sum', above: 0, minutes: 1, times: 3 },
    ),
  };
};

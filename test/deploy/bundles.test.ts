import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { ROOT, readTemplate } from './support/serverless.ts';
import { resource, resourcesOf } from './support/template.ts';
import { namesInZip } from './support/zip.ts';

const folder = inject('packageFolder');
const template = readTemplate(folder);

/** The functions' environment as Lambda gives it: what CloudFormation would put in place of references is made up. */
const environment = (): Readonly<Record<string, string>> => {
  const { Variables } = resource(template, 'PodDashworkerLambdaFunction').Properties['Environment'] as {
    Variables: Readonly<Record<string, unknown>>;
  };
  const given = Object.entries(Variables).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    ...Object.fromEntries(given),
    SVK_TABLE: 'svk-dev-Table-1',
    SVK_POD_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/svk-dev-PodQueue-1',
    SVK_BEATS_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/svk-dev-BeatsQueue-1',
    SVK_ECS_CLUSTER: 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev',
    SVK_LOG_GROUP: '/svk/dev/pods',
    SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/svk-dev-ExecutionRole-1',
    SVK_KUBELET_ENDPOINTS: '{"fargate":{"host":"abc.execute-api.eu-west-1.amazonaws.com","port":443}}',
    AWS_REGION: 'eu-west-1',
  };
};

const FUNCTIONS = [
  'admission',
  'container-logs',
  'kubelet-api',
  'node-heartbeat',
  'pod-resync',
  'pod-worker',
  'task-collector',
];

describe('the bundles', () => {
  it.each(FUNCTIONS)('%s holds its code and the map of it, nothing else', (name) => {
    const zip = readFileSync(join(folder, `${name}.zip`));
    expect(namesInZip(zip)).toEqual([`dist/${name}/index.cjs`, `dist/${name}/index.cjs.map`]);
    expect(zip.length).toBeLessThan(1_000_000);
  });

  it('D-06 are tried on the Node.js that every function names, and on no other', () => {
    const runtimes = Object.values(resourcesOf(template, 'AWS::Lambda::Function')).map(
      ({ Properties }) => Properties['Runtime'],
    );
    expect(new Set(runtimes)).toEqual(new Set([`nodejs${process.versions.node.split('.')[0]}.x`]));
    expect(process.versions.node).toMatch(/^24\./);
  });

  it.each(FUNCTIONS)('D-06 %s starts in the environment that the template gives it', (name) => {
    // Lambda's runtime has this global, for functions that stream.
    const lambda = 'globalThis.awslambda = { streamifyResponse: (handler) => handler };';
    const script = `${lambda} console.log(typeof require('./dist/${name}/index.cjs').handler);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '-e', script], {
      cwd: ROOT,
      encoding: 'utf8',
      env: environment(),
    });
    expect({ stdout, stderr }).toEqual({ stdout: 'function\n', stderr: '' });
  });
});

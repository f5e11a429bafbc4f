import { describe, expect, it } from 'vitest';
import { Findings } from '../../../../src/providers/fargate/prepare/findings.ts';
import { taskRoleOf } from '../../../../src/providers/fargate/prepare/task-role.ts';
import { parseFargateSettings } from '../../../../src/providers/fargate/settings.ts';
import { aDeployment } from '../../../golden/a-deployment.ts';

const DEFAULT_ROLE = 'arn:aws:iam::123456789012:role/svk-dev-task';
const LISTED = 'arn:aws:iam::210987654321:role/reports';

const ask = (role: string | undefined, namespace = 'shop') => {
  const { settings } = aDeployment();
  const deployment = aDeployment({
    taskRoleArn: DEFAULT_ROLE,
    settings: { ...settings, taskRoles: { reporting: [LISTED] } },
  });
  const annotations = role === undefined ? {} : { 'svk.dev/task-role': role };
  const findings = new Findings();
  const answer = taskRoleOf({ metadata: { name: 'web', namespace, annotations } }, deployment, findings);
  return { answer, problems: findings.problems };
};

describe('the role of a pod', () => {
  it.each([
    { want: 'the default where none is named', role: undefined, answer: DEFAULT_ROLE },
    { want: 'the default for an empty wish', role: '', answer: DEFAULT_ROLE },
    {
      want: 'one under the path of its namespace',
      role: 'arn:aws:iam::123456789012:role/svk/dev/shop/orders',
      answer: 'arn:aws:iam::123456789012:role/svk/dev/shop/orders',
    },
    {
      want: 'one further down',
      role: 'arn:aws:iam::123456789012:role/svk/dev/shop/eu/orders',
      answer: 'arn:aws:iam::123456789012:role/svk/dev/shop/eu/orders',
    },
    { want: 'one the operator lists for the namespace', role: LISTED, namespace: 'reporting', answer: LISTED },
  ])('is $want', ({ role, namespace, answer }) => {
    expect(ask(role, namespace)).toEqual({ answer, problems: [] });
  });

  it.each([
    { want: 'of another namespace', role: 'arn:aws:iam::123456789012:role/svk/dev/bank/orders' },
    { want: 'of a namespace whose name begins alike', role: 'arn:aws:iam::123456789012:role/svk/dev/shopping/orders' },
    { want: 'of another deployment', role: 'arn:aws:iam::123456789012:role/svk/prod/shop/orders' },
    { want: 'of another account', role: 'arn:aws:iam::999999999999:role/svk/dev/shop/orders' },
    { want: 'outside the path', role: 'arn:aws:iam::123456789012:role/admin' },
    { want: 'that is the path alone', role: 'arn:aws:iam::123456789012:role/svk/dev/shop/' },
    { want: 'that climbs out of the path', role: 'arn:aws:iam::123456789012:role/svk/dev/shop/../bank/orders/' },
    { want: 'listed for another namespace', role: LISTED },
    { want: 'that is no ARN', role: 'orders' },
  ])('is refused: $want', ({ role }) => {
    expect(ask(role)).toEqual({
      answer: undefined,
      problems: [
        {
          field: "metadata.annotations['svk.dev/task-role']",
          message: `role "${role}" is not open to namespace "shop": name the ARN of a role of this account under the IAM path /svk/dev/shop/, or have it listed in taskRoles of the settings`,
        },
      ],
    });
  });

  it('is listed in the settings by ARN', () => {
    const settings = { profiles: {}, nodes: [], taskRoles: { reporting: [LISTED] } };
    expect(parseFargateSettings(settings)).toMatchObject({
      ok: true,
      settings: { taskRoles: { reporting: [LISTED] } },
    });
    expect(parseFargateSettings({ ...settings, taskRoles: { reporting: ['admin'] } })).toMatchObject({
      ok: false,
      faults: [{ field: 'taskRoles.reporting[0]', message: 'must be the ARN of a role' }],
    });
  });
});

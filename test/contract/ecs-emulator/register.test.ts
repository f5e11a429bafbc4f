import {
  type ContainerDefinition,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
} from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { awslogs, container, definition, executionRoleArn, refusal, startWorld } from './harness.ts';

const refused = async (input: RegisterTaskDefinitionCommandInput): Promise<string> => {
  const { ecs } = await startWorld();
  return refusal(ecs.send(new RegisterTaskDefinitionCommand(input)));
};

describe('RegisterTaskDefinition', () => {
  it('answers with the revision and the defaults the service fills in', async () => {
    const { ecs } = await startWorld();
    const { taskDefinition, tags } = await ecs.send(
      new RegisterTaskDefinitionCommand(
        definition({
          containerDefinitions: [container({ portMappings: [{ containerPort: 80 }] })],
          tags: [{ key: 'team', value: 'blue' }],
        }),
      ),
    );
    expect(taskDefinition).toMatchObject({
      taskDefinitionArn: 'arn:aws:ecs:eu-central-1:123456789012:task-definition/web:1',
      family: 'web',
      revision: 1,
      status: 'ACTIVE',
      compatibilities: ['EC2', 'FARGATE'],
      containerDefinitions: [
        {
          name: 'app',
          cpu: 0,
          essential: true,
          environment: [],
          mountPoints: [],
          volumesFrom: [],
          portMappings: [{ containerPort: 80, hostPort: 80, protocol: 'tcp' }],
        },
      ],
      registeredAt: new Date('2030-01-01T00:00:00Z'),
    });
    expect(tags).toEqual([{ key: 'team', value: 'blue' }]);
  });

  it('counts revisions for each family', async () => {
    const { register } = await startWorld();
    const arns = [await register(), await register(), await register({ family: 'db' })];
    expect(arns.map((arn) => arn.split('/').at(-1))).toEqual(['web:1', 'web:2', 'db:1']);
  });

  it('understands vCPU and GB as units', async () => {
    const { ecs } = await startWorld();
    const answer = await ecs.send(new RegisterTaskDefinitionCommand(definition({ cpu: '.5 vCPU', memory: '2 GB' })));
    expect([answer.taskDefinition?.cpu, answer.taskDefinition?.memory]).toEqual(['512', '2048']);
  });

  it.each<{ want: string; changes: Partial<RegisterTaskDefinitionCommandInput>; error: string }>([
    {
      want: 'a pair that is not in the size table',
      changes: { cpu: '1024', memory: '1024' },
      error:
        'No Fargate configuration exists for given values: 1024 CPU, 1024 memory. See the Amazon ECS documentation for the valid values.',
    },
    {
      want: 'an unreadable cpu',
      changes: { cpu: 'much' },
      error:
        "Invalid 'cpu' setting for task. For more information, see the Troubleshooting section of the Amazon ECS Developer Guide.",
    },
    { want: 'no cpu', changes: { cpu: undefined }, error: "Fargate requires that 'cpu' be defined at the task level." },
    {
      want: 'no memory',
      changes: { memory: undefined },
      error: "Fargate requires that 'memory' be defined at the task level.",
    },
    { want: 'bridge', changes: { networkMode: 'bridge' }, error: 'Fargate only supports network mode ‘awsvpc’.' },
    { want: 'no containers', changes: { containerDefinitions: [] }, error: 'Container list cannot be empty.' },
    {
      want: 'eleven containers',
      changes: { containerDefinitions: Array.from({ length: 11 }, (_, n) => container({ name: `c${n}` })) },
      error: 'Too many containers: a task definition can have at most 10.',
    },
    {
      want: 'a family with a dot',
      changes: { family: 'web.app' },
      error: 'Family contains invalid characters: up to 255 letters, numbers, underscores and hyphens are allowed.',
    },
    {
      want: 'two containers of one name',
      changes: { containerDefinitions: [container(), container()] },
      error: "Container name must be unique within a task definition: 'app' appears twice.",
    },
    {
      want: 'no essential container',
      changes: { containerDefinitions: [container({ essential: false })] },
      error: 'At least one container in the task definition must be marked essential.',
    },
    {
      want: 'ipcMode',
      changes: { ipcMode: 'host' },
      error: 'Fargate compatible task definitions do not support ipcMode',
    },
    {
      want: 'placement constraints',
      changes: { placementConstraints: [{ type: 'memberOf', expression: 'x' }] },
      error: 'Fargate compatible task definitions do not support constraints',
    },
    {
      want: 'a host path',
      changes: { volumes: [{ name: 'v', host: { sourcePath: '/var/run' } }] },
      error: 'Fargate compatible task definitions do not support sourcePath',
    },
    {
      want: '20 GiB of storage, the unwritten default',
      changes: { ephemeralStorage: { sizeInGiB: 20 } },
      error: 'Invalid ephemeral storage size: sizeInGiB must be between 21 and 200.',
    },
    {
      want: 'hard limits that exceed the task together',
      changes: {
        containerDefinitions: [container({ memory: 300 }), container({ name: 'two', memory: 300, essential: false })],
      },
      error: "The total 'memory' of the containers is greater than for the task.",
    },
    {
      want: 'more than 64 KiB',
      changes: { containerDefinitions: [container({ environment: [{ name: 'BIG', value: 'x'.repeat(65_400) }] })] },
      error: 'Actual length 65607. Max allowed length is 65536 bytes.',
    },
  ])('refuses $want', async ({ changes, error }) => {
    expect(await refused(definition(changes))).toBe(`ClientException: ${error}`);
  });

  it.each<{ want: string; changes: Partial<ContainerDefinition>; error: string; role?: boolean }>([
    {
      want: 'privileged',
      changes: { privileged: true },
      error: 'Fargate compatible task definitions do not support privileged',
    },
    {
      want: 'an added capability but SYS_PTRACE',
      changes: { linuxParameters: { capabilities: { add: ['NET_ADMIN'] } } },
      error: 'Fargate compatible task definitions do not support adding Linux capability NET_ADMIN',
    },
    {
      want: 'a container name with a dot',
      changes: { name: 'a.b' },
      error: 'Container.name contains invalid characters.',
    },
    { want: 'no image', changes: { image: '' }, error: 'Container.image should not be null or empty.' },
    {
      want: 'hostname',
      changes: { hostname: 'me' },
      error: 'Hostname is not supported on container when networkMode=awsvpc.',
    },
    {
      want: 'links',
      changes: { links: ['db'] },
      error: 'Links are not supported when networkMode=awsvpc.',
    },
    {
      want: 'a host port of its own',
      changes: { portMappings: [{ containerPort: 80, hostPort: 8080 }] },
      error: 'When networkMode=awsvpc, the host ports and container ports in port mappings must match.',
    },
    {
      want: 'a container larger than its task',
      changes: { memory: 1024 },
      error: "The 'memory' setting for container 'app' is greater than for the task.",
    },
    {
      want: 'a reservation that reaches the limit',
      changes: { memory: 256, memoryReservation: 256 },
      error:
        "Invalid setting for container 'app'. The value for 'memory' must be greater than the value for 'memoryReservation'.",
    },
    {
      want: 'stopTimeout above 120 s',
      changes: { stopTimeout: 121 },
      error: "Invalid 'stopTimeout' for container 'app': the value must be between 2 and 120.",
    },
    {
      want: 'a health check every second',
      changes: { healthCheck: { command: ['CMD', 'true'], interval: 1 } },
      error: "Invalid 'healthCheck.interval' for container 'app': the value must be between 5 and 300.",
    },
    {
      want: 'a health check without its form',
      changes: { healthCheck: { command: ['true'] } },
      error: "healthCheck.command of container 'app' must start with CMD or CMD-SHELL.",
    },
    {
      want: 'a volume nobody declared',
      changes: { mountPoints: [{ sourceVolume: 'x', containerPath: '/x' }] },
      error: "Unknown volume 'x'.",
    },
    {
      want: 'awslogs without an execution role',
      changes: { logConfiguration: awslogs },
      error: 'Fargate requires task definition to have execution role ARN to support log driver awslogs.',
    },
    {
      want: 'awslogs without a stream prefix',
      changes: {
        logConfiguration: {
          logDriver: 'awslogs',
          options: { 'awslogs-group': 'pods', 'awslogs-region': 'eu-central-1' },
        },
      },
      role: true,
      error: 'Log driver awslogs requires options: awslogs-stream-prefix',
    },
    {
      want: 'an unknown awslogs option',
      changes: { logConfiguration: { ...awslogs, options: { ...awslogs.options, 'awslogs-colour': 'red' } } },
      role: true,
      error: 'Log driver awslogs disallows options: awslogs-colour',
    },
    {
      want: 'secrets without an execution role',
      changes: { secrets: [{ name: 'A', valueFrom: '/a' }] },
      error: "When you are specifying container secrets, you must also specify a value for 'executionRoleArn'.",
    },
    {
      want: 'a name that is both variable and secret',
      changes: { secrets: [{ name: 'A', valueFrom: '/a' }], environment: [{ name: 'A', value: '1' }] },
      role: true,
      error:
        "The secret name must be unique and not shared with any new or existing environment variables set on the container, such as 'A'.",
    },
    {
      want: 'a dependency on nobody',
      changes: { dependsOn: [{ containerName: 'db', condition: 'START' }] },
      error: "Cannot depend on container + 'db' because it does not exist",
    },
  ])('refuses a container with $want', async ({ changes, error, role }) => {
    const input = definition({ containerDefinitions: [container(changes)], ...(role && { executionRoleArn }) });
    expect(await refused(input)).toBe(`ClientException: ${error}`);
  });

  it.each<{ want: string; init: Partial<ContainerDefinition>; condition: 'SUCCESS' | 'HEALTHY'; error: string }>([
    {
      want: 'waiting for the end of an essential container',
      init: { essential: true },
      condition: 'SUCCESS',
      error: 'A dependency container with SUCCESS or COMPLETE condition cannot be an essential container',
    },
    {
      want: 'waiting for the health of a container without a check',
      init: { essential: false },
      condition: 'HEALTHY',
      error: "A dependency container with HEALTHY condition must have a health check: 'init' has none",
    },
    {
      want: 'a circle',
      init: { essential: false, dependsOn: [{ containerName: 'app', condition: 'START' }] },
      condition: 'SUCCESS',
      error: 'Container dependencies contain a cycle.',
    },
  ])('refuses $want', async ({ init, condition, error }) => {
    const input = definition({
      containerDefinitions: [
        container({ dependsOn: [{ containerName: 'init', condition }] }),
        container({ name: 'init', ...init }),
      ],
    });
    expect(await refused(input)).toBe(`ClientException: ${error}`);
  });

  it('refuses a second registration of a family while the first is under way', async () => {
    const { ecs, clock } = await startWorld({ delays: { registration: 50 } });
    const first = ecs.send(new RegisterTaskDefinitionCommand(definition()));
    const second = refusal(ecs.send(new RegisterTaskDefinitionCommand(definition())));
    expect(await Promise.race([second, first.then(() => 'the first answered')])).toBe(
      'ClientException: Too many concurrent attempts to create a new revision of the specified family.',
    );
    await clock.advance(50);
    expect((await first).taskDefinition?.revision).toBe(1);
  });
});

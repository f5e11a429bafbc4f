import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { inProject } from './temporary-project.ts';

/** What each folder may import, once: none of it is a breach. */
const CLEAN: Readonly<Record<string, string>> = {
  'src/core/clock.ts': "import { createHash } from 'node:crypto';\nexport const clock = createHash;\n",
  'src/model/pod.ts': "import { clock } from '../core/clock.ts';\nexport const pod = clock;\n",
  'src/ports/store.ts': "import type { pod } from '../model/pod.ts';\nexport type Store = typeof pod;\n",
  'src/controllers/pod/plan.ts':
    "import type { V1Pod } from '@kubernetes/client-node';\nimport type { Store } from '../../ports/store.ts';\nexport const plan = (pod: V1Pod, store: Store): unknown => [pod, store];\n",
  'src/kubelet/router.ts': "import type { Store } from '../ports/store.ts';\nexport type Router = Store;\n",
  'src/streaming/frames.ts': "import { clock } from '../core/clock.ts';\nexport const frames = clock;\n",
  'src/server/server.ts':
    "import { frames } from '../streaming/frames.ts';\nimport type { Router } from '../kubelet/router.ts';\nexport const server = (router: Router): unknown => [router, frames];\n",
  'src/providers/fargate/ecs.ts': "import { ECSClient } from '@aws-sdk/client-ecs';\nexport const ecs = ECSClient;\n",
  'src/adapters/dynamodb/table.ts':
    "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';\nimport { pod } from '../../model/pod.ts';\nexport const table = [DynamoDBClient, pod];\n",
  'src/lambda/handler.ts': "import { plan } from '../controllers/pod/plan.ts';\nexport const handler = plan;\n",
  'src/app/app.ts':
    "import { plan } from '../controllers/pod/plan.ts';\nimport { table } from '../adapters/dynamodb/table.ts';\nimport { ecs } from '../providers/fargate/ecs.ts';\nexport const app = [plan, table, ecs];\n",
  'functions/pod-worker.ts':
    "import { app } from '../src/app/app.ts';\nimport { handler as wrap } from '../src/lambda/handler.ts';\nexport const handler = [app, wrap];\n",
  'test/fakes/store.ts': "import { table } from '../../src/adapters/dynamodb/table.ts';\nexport const fake = table;\n",
  'infra/local/start.ts': "import { app } from '../../src/app/app.ts';\nexport const start = app;\n",
};

/** One breach of each rule: the file that commits it, and what it imports. */
const BREACHES: readonly { readonly rule: string; readonly file: string; readonly text: string }[] = [
  { rule: 'no-circular', file: 'src/model/breach-a.ts', text: "export { b as a } from './breach-b.ts';" },
  { rule: 'not-to-unresolvable', file: 'src/app/breach-gone.ts', text: "export { a } from './not-there.ts';" },
  { rule: 'core-imports-nothing', file: 'src/core/breach.ts', text: "export { pod } from '../model/pod.ts';" },
  {
    rule: 'model-knows-core-only',
    file: 'src/model/breach.ts',
    text: "export type { Store } from '../ports/store.ts';",
  },
  {
    rule: 'ports-know-model-only',
    file: 'src/ports/breach.ts',
    text: "export { plan } from '../controllers/pod/plan.ts';",
  },
  {
    rule: 'controllers-know-ports-only',
    file: 'src/controllers/node/breach.ts',
    text: "import type { table } from '../../adapters/dynamodb/table.ts';\nexport type T = typeof table;",
  },
  {
    rule: 'kubelet-knows-ports-only',
    file: 'src/kubelet/breach.ts',
    text: "export { ecs } from '../providers/fargate/ecs.ts';",
  },
  {
    rule: 'streaming-knows-bytes-only',
    file: 'src/streaming/breach.ts',
    text: "export { pod } from '../model/pod.ts';",
  },
  {
    rule: 'server-mounts-kubelet-and-streaming',
    file: 'src/server/breach.ts',
    text: "export { plan } from '../controllers/pod/plan.ts';",
  },
  {
    rule: 'providers-know-no-controller',
    file: 'src/providers/mock/breach.ts',
    text: "export { plan } from '../../controllers/pod/plan.ts';",
  },
  {
    rule: 'adapters-know-no-controller',
    file: 'src/adapters/sqs/breach.ts',
    text: "export { app } from '../../app/app.ts';",
  },
  {
    rule: 'sdk-values-in-adapters-only',
    file: 'src/controllers/pod/breach-sdk.ts',
    text: "import { CoreV1Api } from '@kubernetes/client-node';\nexport const api = CoreV1Api;",
  },
  {
    rule: 'sdk-values-in-adapters-only',
    file: 'src/app/breach-sdk.ts',
    text: "import { ECSClient, type Task } from '@aws-sdk/client-ecs';\nexport const client = (task: Task): unknown => [ECSClient, task];",
  },
  {
    rule: 'functions-are-thin',
    file: 'functions/breach.ts',
    text: "export { plan } from '../src/controllers/pod/plan.ts';",
  },
  {
    rule: 'no-test-code-in-production',
    file: 'src/app/breach-test.ts',
    text: "export { fake } from '../../test/fakes/store.ts';",
  },
  {
    rule: 'no-test-code-in-production',
    file: 'src/app/breach-infra.ts',
    text: "export { start } from '../../infra/local/start.ts';",
  },
];

const verdict = z.object({
  summary: z.object({
    totalCruised: z.number(),
    violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});
/** Checks a tree as `npm run check:imports` does, and reads what was found from the same check's JSON. */
const cruise = (
  files: Readonly<Record<string, string>>,
): { readonly code: number; readonly cruised: number; readonly breaches: readonly string[] } =>
  inProject(files, ['.dependency-cruiser.cjs'], (project) => {
    const check = ['--config', '.dependency-cruiser.cjs', 'src', 'functions', 'infra', 'test'];
    const { code } = project.run('depcruise', check);
    const { stdout } = project.run('depcruise', ['--output-type', 'json', ...check]);
    const { summary } = z.parse(verdict, JSON.parse(stdout));
    return {
      code,
      cruised: summary.totalCruised,
      breaches: summary.violations.map(({ from, rule }) => `${rule.name} in ${from}`),
    };
  });

describe('import rules', () => {
  it('let pass what the design allows', () => {
    const result = cruise(CLEAN);
    expect(result).toMatchObject({ code: 0, breaches: [] });
    // No module found would pass as well: dependency-cruiser must understand our TypeScript.
    expect(result.cruised).toBeGreaterThanOrEqual(Object.keys(CLEAN).length);
  });

  it('name every planted breach, and nothing else', () => {
    const planted = Object.fromEntries(BREACHES.map(({ file, text }) => [file, `${text}\n`]));
    const back = {
      'src/model/breach-b.ts':
        "import type { a } from './breach-a.ts';\nexport const b = (value: typeof a): unknown => value;\n",
    };
    const { code, breaches } = cruise({ ...CLEAN, ...planted, ...back });
    const expected = BREACHES.map(({ rule, file }) => `${rule} in ${file}`);
    expect([...new Set(breaches)].toSorted()).toEqual(expected.toSorted());
    expect(code).toBeGreaterThan(0);
  });
});

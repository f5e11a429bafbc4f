import { describe, expect, it } from 'vitest';
import { InvalidError, NotFoundError, PermanentError } from '../../../../src/core/errors.ts';
import type { LogQuery } from '../../../../src/model/log-query.ts';
import { readLogs } from '../../../../src/providers/fargate/logs/read-logs.ts';
import { TaskReader } from '../../../../src/providers/fargate/tasks/task-reader.ts';
import { FakeLogs } from '../../../fakes/aws/fake-logs.ts';
import { scriptedEcs } from '../../../fakes/aws/scripted-ecs.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const GROUP = '/svk/dev/pods';
const ARN = 'arn:aws:ecs:eu-west-1:123456789012:task/svk-dev/abc';
const STREAM = 'svk/web/abc';
const START = Date.parse('2030-01-01T00:00:00Z');

class World {
  readonly clock = new FakeClock(START);
  readonly logs = new FakeLogs(GROUP);
  readonly abort = new AbortController();
  /** What DescribeTasks answers; undefined: MISSING. */
  task: object | undefined = {
    lastStatus: 'RUNNING',
    startedAt: new Date(START),
    containers: [{ name: 'web', lastStatus: 'RUNNING' }],
  };
  describes = 0;
  group = GROUP;

  write(...lines: readonly string[]): void {
    this.logs.write(STREAM, ...lines.map((message) => ({ timestamp: this.clock.now(), message })));
  }

  stop(): void {
    const at = new Date(this.clock.now());
    this.task = {
      lastStatus: 'STOPPED',
      startedAt: new Date(START),
      executionStoppedAt: at,
      containers: [{ name: 'web', lastStatus: 'STOPPED', exitCode: 0 }],
    };
  }

  read(query: Partial<LogQuery> = {}): AsyncGenerator<Uint8Array, void> {
    const ecs = scriptedEcs({
      describeTasks: async ({ tasks }) => {
        this.describes += 1;
        return this.task
          ? { tasks: [{ taskArn: ARN, ...this.task }] }
          : { tasks: [], failures: [{ arn: tasks?.[0], reason: 'MISSING' }] };
      },
    });
    const deps = { logs: this.logs, tasks: new TaskReader(ecs, 'cluster'), clock: this.clock, logGroup: this.group };
    const whole = { workloadId: ARN, container: 'web', follow: false, timestamps: false, ...query };
    return readLogs(deps, whole, this.abort.signal);
  }

  async text(query: Partial<LogQuery> = {}): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.read(query)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }
}

const tenLines = (): World => {
  const world = new World();
  world.logs.write(
    STREAM,
    ...Array.from({ length: 10 }, (_, index) => ({ timestamp: START + index * 1000, message: `line ${index}` })),
  );
  return world;
};

describe('what is there', () => {
  it('is read page by page to the end', async () => {
    expect(await tenLines().text()).toBe(
      'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\n',
    );
  });

  it('G-05 does not end at an empty page', async () => {
    const world = tenLines();
    world.logs.emptyPages = 2;
    expect((await world.text()).split('\n')).toHaveLength(11);
    expect(await world.text({ tailLines: 2 })).toBe('line 8\nline 9\n');
  });

  it.each([
    [0, ''],
    [1, 'line 9\n'],
    [5, 'line 5\nline 6\nline 7\nline 8\nline 9\n'],
    [100, 'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\n'],
  ])('counts %i lines from the end', async (tailLines, text) => {
    expect(await tenLines().text({ tailLines })).toBe(text);
  });

  it.each([
    ['2030-01-01T00:00:08Z', 'line 8\nline 9\n'],
    ['2030-01-01T00:00:08.000000001Z', 'line 9\n'],
    ['2030-01-01T01:00:08+01:00', 'line 8\nline 9\n'],
    ['2030-01-01T00:00:08.9Z', 'line 9\n'],
    ['2031-01-01T00:00:00Z', ''],
  ])('begins at %s', async (sinceTime, text) => {
    expect(await tenLines().text({ sinceTime })).toBe(text);
  });

  it('takes the shorter of tailLines and sinceTime', async () => {
    const sinceTime = '2030-01-01T00:00:07Z';
    expect(await tenLines().text({ sinceTime, tailLines: 2 })).toBe('line 8\nline 9\n');
    expect(await tenLines().text({ sinceTime, tailLines: 9 })).toBe('line 7\nline 8\nline 9\n');
  });

  it.each([
    [0, ''],
    [10, 'line 0\nlin'],
    [7, 'line 0\n'],
    [10_000, 'line 8\nline 9\n'],
  ])('is cut after %i bytes, also within a line', async (limitBytes, text) => {
    expect(await tenLines().text({ limitBytes, ...(limitBytes > 100 && { tailLines: 2 }) })).toBe(text);
  });

  it('is cut after the timestamps were added', async () => {
    expect(await tenLines().text({ timestamps: true, tailLines: 1, limitBytes: 33 })).toBe(
      '2030-01-01T00:00:09.000000000Z li',
    );
  });

  it('has timestamps of nine digits', async () => {
    const world = new World();
    world.logs.write(STREAM, { timestamp: START + 1234, message: 'x' });
    expect(await world.text({ timestamps: true })).toBe('2030-01-01T00:00:01.234000000Z x\n');
  });

  it('joins a line that awslogs had to cut', async () => {
    const world = new World();
    const cut = 'ü'.repeat(131_059);
    world.write(cut, 'end', 'next');
    expect(await world.text({ timestamps: true })).toBe(
      `2030-01-01T00:00:00.000000000Z ${cut}end\n2030-01-01T00:00:00.000000000Z next\n`,
    );
  });

  it('refuses a sinceTime that is none', async () => {
    await expect(tenLines().text({ sinceTime: 'yesterday' })).rejects.toThrow(InvalidError);
  });

  it('reads exactly one stream', async () => {
    const world = tenLines();
    world.logs.write('svk/web/abcd', { timestamp: START, message: 'of another task' });
    expect(await world.text()).not.toContain('another');
  });

  it('asks nobody about the task where there is output', async () => {
    const world = tenLines();
    await world.text();
    expect(world.describes).toBe(0);
  });
});

describe('no stream', () => {
  const waiting = { lastStatus: 'PENDING', containers: [{ name: 'web', lastStatus: 'PENDING' }] };
  const failed = {
    lastStatus: 'STOPPED',
    stopCode: 'TaskFailedToStart',
    containers: [{ name: 'web', lastStatus: 'STOPPED' }],
  };

  it('is no output where the container has started', async () => {
    expect(await new World().text()).toBe('');
    expect(await new World().text({ tailLines: 0 })).toBe('');
  });

  it.each([
    ['has not started', waiting],
    ['never started', failed],
    ['is forgotten', undefined],
  ])('is an error where the container %s', async (_what, task) => {
    const world = new World();
    world.task = task;
    await expect(world.text()).rejects.toThrow(NotFoundError);
    await expect(world.text({ follow: true })).rejects.toThrow(NotFoundError);
  });

  it('is told from a missing group, which only the operator can mend', async () => {
    const world = new World();
    world.group = '/gone';
    await expect(world.text()).rejects.toThrow(PermanentError);
    await expect(world.text()).rejects.toThrow('/gone');
  });
});

describe('follow', () => {
  const follow = async (
    world: World,
    query: Partial<LogQuery> = {},
  ): Promise<{ readonly text: () => string; readonly ended: () => boolean }> => {
    let text = '';
    let ended = false;
    void (async () => {
      for await (const chunk of world.read({ follow: true, ...query })) text += Buffer.from(chunk).toString();
      ended = true;
    })();
    await world.clock.advance(0);
    return { text: () => text, ended: () => ended };
  };

  it('shows what comes, until the container has ended and its last lines have arrived', async () => {
    const world = tenLines();
    const seen = await follow(world, { tailLines: 1 });
    expect(seen.text()).toBe('line 9\n');

    world.write('soon');
    await world.clock.advance(1000);
    expect(seen.text()).toBe('line 9\nsoon\n');

    world.stop();
    await world.clock.advance(8000);
    expect(seen.ended()).toBe(false);
    world.write('late');
    await world.clock.advance(20_000);
    expect(seen.text()).toBe('line 9\nsoon\nlate\n');
    expect(seen.ended()).toBe(true);
  });

  it('begins with nothing where tailLines is 0', async () => {
    const world = tenLines();
    const seen = await follow(world, { tailLines: 0 });
    world.write('new');
    await world.clock.advance(5000);
    expect(seen.text()).toBe('new\n');
  });

  it('waits for the first line of a container that has written none', async () => {
    const world = new World();
    const seen = await follow(world);
    await world.clock.advance(60_000);
    world.write('first');
    await world.clock.advance(5000);
    expect(seen.text()).toBe('first\n');
    expect(seen.ended()).toBe(false);
  });

  it('asks every five seconds while it is quiet, and every second while there is news', async () => {
    const world = tenLines();
    const seen = await follow(world);
    await world.clock.advance(60_000);
    const quiet = world.logs.calls.length;
    await world.clock.advance(600_000);
    expect(world.logs.calls.length - quiet).toBe(120);
    expect(world.describes).toBeLessThanOrEqual(140);

    world.write('news');
    while (!seen.text().endsWith('news\n')) await world.clock.advance(100);
    for (const line of ['a', 'b', 'c', 'd']) {
      world.write(line);
      await world.clock.advance(1000);
      expect(seen.text().endsWith(`${line}\n`)).toBe(true);
    }
  });

  it('ends at once for a task that ended long ago', async () => {
    const world = tenLines();
    world.stop();
    await world.clock.advance(60_000);
    const seen = await follow(world);
    await world.clock.advance(0);
    expect(seen.ended()).toBe(true);
  });

  it('ends for a task that ECS has forgotten', async () => {
    const world = tenLines();
    world.task = undefined;
    expect((await follow(world)).ended()).toBe(true);
  });

  it('ends cleanly when it is told to', async () => {
    const world = tenLines();
    const seen = await follow(world);
    world.abort.abort();
    await world.clock.advance(0);
    expect(seen.ended()).toBe(true);
  });

  it('ends at limitBytes', async () => {
    const world = tenLines();
    const seen = await follow(world, { limitBytes: 9 });
    expect(seen.text()).toBe('line 0\nli');
    expect(seen.ended()).toBe(true);
  });
});

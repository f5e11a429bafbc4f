import { afterAll, beforeAll, describe } from 'vitest';
import { HistoryWorld } from '../support/history-world.ts';
import { controllerHistories } from './histories/controllers.ts';
import { jobHistories } from './histories/jobs.ts';
import { podHistories } from './histories/pods.ts';
import { nodeHistories } from './histories/whole-node.ts';

let started: HistoryWorld | undefined;
const world = (): HistoryWorld => {
  if (!started) throw new Error('the world has not started');
  return started;
};

beforeAll(async () => {
  started = await HistoryWorld.start('histories');
});
afterAll(async () => {
  await started?.close();
});

// Side by side, each in a namespace of its own: some wait for minutes.
describe.concurrent('on a real control plane', () => {
  controllerHistories(world);
  jobHistories(world);
  podHistories(world);
});

describe('the whole node', () => {
  nodeHistories(world);
});

import { MemoryWorkQueue } from '../../../src/adapters/memory/work-queue.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { describeWorkQueue } from './work-queue-contract.ts';

describeWorkQueue('memory', () => {
  const clock = new FakeClock();
  const queue = new MemoryWorkQueue({ clock });
  return {
    queue,
    receiveAll: async () => {
      const received = [];
      for (let taken = queue.tryTake(); taken; taken = queue.tryTake()) {
        if (taken.item.message) received.push(taken.item.message);
        queue.done(taken.key);
      }
      return received;
    },
    second: () => clock.advance(1_000),
  };
});

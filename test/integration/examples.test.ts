import { describe } from 'vitest';
import { describeExamples } from '../support/describe-examples.ts';
import { hasKubectl } from '../support/kubectl.ts';

describe.skipIf(!hasKubectl())('a newcomer', () => {
  describeExamples({ runtime: 'process', images: false, commands: true });
  describeExamples({ runtime: 'simulated', images: false, commands: false });
});

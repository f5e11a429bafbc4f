import { beforeAll, describe } from 'vitest';
import { describeExamples } from '../support/describe-examples.ts';
import { hasKubectl } from '../support/kubectl.ts';
import { hasEngine } from './support/engine.ts';
import { makeImages } from './support/images.ts';

describe.skipIf(!hasEngine || !hasKubectl())('a newcomer with a container engine', () => {
  beforeAll(() => makeImages());

  describeExamples({ runtime: 'docker', images: true, commands: true });
});

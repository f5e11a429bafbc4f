import * as z from 'zod/mini';
import { PermanentError } from '../../core/errors.ts';

/** What the stack tells about itself in the parameter `/svk-system/<deployment>/deployment`. */
export interface DeploymentFacts {
  readonly nodes: readonly string[];
  /** Up to the secret: `https://….execute-api.eu-west-1.amazonaws.com/admission/`. */
  readonly admissionUrl: string;
}

const facts = z.looseObject({
  nodes: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
  admissionUrl: z.string().check(z.regex(/^https:\/\/.+\/$/)),
});

/** @throws {PermanentError} where the text is not what our stack writes. */
export const parseDeploymentFacts = (text: string, source: string): DeploymentFacts => {
  try {
    return facts.parse(JSON.parse(text));
  } catch (cause) {
    throw new PermanentError(`${source} is not what this version of the stack writes: deploy again`, { cause });
  }
};

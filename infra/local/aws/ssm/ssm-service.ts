import { answerFor } from '../answer-for.ts';
import { resumeSession, terminateSession } from '../sessions/session-actions.ts';
import type { BucketName, Throttles } from '../throttles.ts';
import type { SsmContext } from './context.ts';
import { putParameter } from './put-parameter.ts';
import {
  deleteParameter,
  deleteParameters,
  describeParameters,
  getParameter,
  getParameters,
  getParametersByPath,
} from './read-parameters.ts';

interface Action {
  readonly bucket: BucketName;
  readonly run: (context: SsmContext, input: unknown) => unknown;
}

const actions: Readonly<Record<string, Action>> = {
  PutParameter: { bucket: 'parameters-write', run: putParameter },
  DeleteParameter: { bucket: 'parameters-write', run: deleteParameter },
  DeleteParameters: { bucket: 'parameters-write', run: deleteParameters },
  GetParameter: { bucket: 'parameters-read', run: getParameter },
  GetParameters: { bucket: 'parameters-read', run: getParameters },
  GetParametersByPath: { bucket: 'parameters-read', run: getParametersByPath },
  DescribeParameters: { bucket: 'parameters-read', run: describeParameters },
  ResumeSession: { bucket: 'sessions', run: resumeSession },
  TerminateSession: { bucket: 'sessions', run: terminateSession },
};

/** Of Systems Manager Parameter Store, in memory, and what ends or resumes a session of ExecuteCommand. */
export class SsmService {
  readonly #context: SsmContext;
  readonly #throttles: Throttles;

  constructor(context: SsmContext, throttles: Throttles) {
    this.#context = context;
    this.#throttles = throttles;
  }

  /** @throws {AwsError | NoAnswer} as the ECS service does. */
  handle(action: string, input: unknown): Promise<unknown> {
    const { faults } = this.#context;
    return answerFor('ssm', action, { faults, throttles: this.#throttles, actions, context: this.#context, input });
  }
}

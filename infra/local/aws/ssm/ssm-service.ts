import { ActionService } from '../action-service.ts';
import type { Actions } from '../answer-for.ts';
import { resumeSession, terminateSession } from '../sessions/session-actions.ts';
import type { Throttles } from '../throttles.ts';
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

const actions: Actions<SsmContext> = {
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
export class SsmService extends ActionService<SsmContext> {
  constructor(context: SsmContext, throttles: Throttles) {
    super('ssm', actions, context, throttles);
  }
}

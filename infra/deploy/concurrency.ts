import { lambdaId, type TemplatePart } from './template.ts';

/**
 * Executions that nobody else can take from the heartbeat. An account needs 110 for it: AWS keeps 100 unreserved, and a new
 * account has 10. Free of charge.
 */
export const heartbeatReservation = (executions: number): TemplatePart => ({
  extensions: { [lambdaId('node-heartbeat')]: { Properties: { ReservedConcurrentExecutions: executions } } },
});

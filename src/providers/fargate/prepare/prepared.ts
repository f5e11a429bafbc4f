import type { RegisterTaskDefinitionCommandInput, RunTaskCommandInput } from '@aws-sdk/client-ecs';
import type { SharedSecret } from './shared-secret.ts';

/** A pod made ready for Fargate. Holds secret values in `parameters` and `logins`: in memory only. */
export interface FargatePrepared {
  readonly podUid: string;
  /** Names the definition: equal for all pods whose definitions are equal. */
  readonly definitionHash: string;
  readonly definition: RegisterTaskDefinitionCommandInput;
  readonly parameters: readonly SharedSecret[];
  readonly logins: readonly SharedSecret[];
  /** RunTask's input but for what is known only at launch. */
  readonly run: RunInput;
}

export type RunInput = Omit<
  RunTaskCommandInput,
  'taskDefinition' | 'clientToken' | 'startedBy' | 'group' | 'cluster' | 'count'
>;

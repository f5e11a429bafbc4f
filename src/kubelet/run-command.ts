import type { Clock } from '../core/clock.ts';
import { unlessAborted } from '../core/unless-aborted.ts';
import type { Logger } from '../ports/logger.ts';
import type { Provider } from '../ports/provider.ts';
import { BoundedOutput } from './bounded-output.ts';
import type { Caller } from './caller.ts';
import { faultOfCommand } from './command-fault.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { errorResponse, failure, text } from './responses.ts';
import type { RunRoute } from './route.ts';
import { auditSession, failureResult, subjectOf } from './session-audit.ts';
import { findSessionTarget, type SessionTargetDependencies } from './session-target.ts';
import { refuseStream } from './stream-refusal.ts';

export interface RunCommandDependencies extends SessionTargetDependencies {
  readonly provider: Pick<Provider, 'find' | 'exec'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Below the 30 s of an HTTP API, with time to answer. */
const LONGEST_MS = 25_000;
/** Below the 6 MB of a Lambda function's answer, base64 included. */
const MAX_OUTPUT_BYTES = 4_194_304;

/**
 * `POST /run/{namespace}/{pod}[/{uid}]/{container}`: runs one command and answers what it printed, stdout and stderr in
 * one, as kubelet does. The command is `cmd`, split at blanks as kubelet splits it, or `command` once for each argument.
 * Header `svk-exit-code` tells the exit code; any other than 0 is a 500, as kubelet's. It works wherever HTTP does: the
 * output is bounded (4 MiB), and so is the time (25 s); a command that needs more is ended and the answer says so.
 */
export const runCommand = async (
  request: KubeletRequest,
  route: RunRoute,
  caller: Caller,
  dependencies: RunCommandDependencies,
): Promise<KubeletResponse> => {
  const { provider, node, clock, logger } = dependencies;
  const { exec } = provider;
  if (exec === undefined) return refuseStream('run', node);
  const command = commandOf(request.query);
  const [program] = command;
  if (program === undefined || program === '') return failure(400, 'BadRequest', 'you must specify cmd or command');
  const fault = faultOfCommand(command, request);
  if (fault !== undefined) return failure(400, 'BadRequest', fault);
  const target = await findSessionTarget(route, dependencies, request.signal);
  if (!target.ok) return target.refusal;

  const { podUid, workloadId } = target;
  const subject = subjectOf(route, caller, { podUid, program });
  const ended = new AbortController();
  const late = new AbortController();
  const full = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal, full.signal]);
  const output = new BoundedOutput(MAX_OUTPUT_BYTES, () => full.abort());
  const began = clock.now();
  const audit = (result: string): void =>
    auditSession(logger, subject, {
      transport: 'http',
      durationMs: clock.now() - began,
      bytesIn: 0,
      bytesOut: output.bytes.length,
      result,
    });
  clock.sleep(LONGEST_MS, ended.signal).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    const query = { workloadId, container: route.container ?? '', command, tty: false };
    const streams = { stdout: output.stream(), stderr: output.stream(), sizes: noSizes() };
    const exitCode = await unlessAborted(exec.call(provider, query, streams, signal), signal);
    audit(`exit ${exitCode}`);
    return answer(exitCode, program, output.bytes);
  } catch (error) {
    const cut = full.signal.aborted ? TOO_LONG : late.signal.aborted ? TOO_LATE : undefined;
    audit(cut === undefined ? failureResult(error) : `cut: ${cut.why}`);
    return cut === undefined ? errorResponse(error) : text(cut.status, cut.message);
  } finally {
    ended.abort();
  }
};

const TOO_LONG = {
  status: 500,
  why: 'too much output',
  message: 'the command printed more than 4 MiB and was ended: use kubectl exec, or print less',
};
const TOO_LATE = {
  status: 504,
  why: 'too late',
  message: 'the command did not end within 25 s and was ended: use kubectl exec, or run it in the background',
};

const commandOf = (query: URLSearchParams): readonly string[] => {
  const command = query.getAll('command');
  return command.length > 0 ? command : (query.get('cmd') ?? '').split(' ');
};

const answer = (exitCode: number, program: string, output: Uint8Array): KubeletResponse => {
  const headers = {
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'svk-exit-code': String(exitCode),
  };
  if (exitCode === 0) return { status: 200, headers, body: output };
  const said = Buffer.from(`command '${program}' exited with ${exitCode}: `);
  return { status: 500, headers, body: Buffer.concat([said, output]) };
};

async function* noSizes(): AsyncGenerator<never, void, undefined> {}

import { createHash, timingSafeEqual } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { withDeadline } from '../core/deadline.ts';
import type { WorkQueue } from '../ports/work-queue.ts';
import { allowed, parseAdmissionReview, wakeOf } from './admission-review.ts';
import { type GatewayRequest, parseGatewayEvent } from './gateway-event.ts';
import { type LambdaHandler, type LambdaOptions, lambdaHandler } from './lambda-handler.ts';

export interface AdmissionOptions extends LambdaOptions {
  /** Names of the deployment's nodes: other nodes' pods are none of our business. */
  readonly nodes: readonly string[];
  readonly queue: WorkQueue;
  /** What the path may end with: the current secret and, while it is rotated, the one before. */
  readonly secrets: (signal: AbortSignal) => Promise<readonly string[]>;
}

/** The webhook's `timeoutSeconds` is 2: an answer after that helps nobody. */
const DEADLINE_MS = 1_500;

/**
 * Answers the validating webhook `POST /admission/<secret>`. It always allows, within its deadline, also when the wake
 * could not be sent: resync finds the pod within a minute. A path without the secret is not there (404).
 */
export const admissionHandler = (options: AdmissionOptions): LambdaHandler<APIGatewayProxyResult> => {
  const { clock, logger, nodes, queue, secrets } = options;
  const limit = { ms: DEADLINE_MS, signal: new AbortController().signal };
  return lambdaHandler(async (event) => {
    const request = parseGatewayEvent(event);
    const secret = secretOf(request);
    if (secret === undefined) return answer(404, '{}');
    try {
      const known = await withDeadline(clock, { ...limit, what: 'the secret of the webhook' }, secrets);
      if (!isOneOf(secret, known)) return answer(404, '{}');
    } catch (error) {
      logger.error('admission secret not known', { error });
      return answer(503, '{}');
    }
    return admit(request);
  }, options);

  async function admit({ body }: GatewayRequest): Promise<APIGatewayProxyResult> {
    let review: ReturnType<typeof parseAdmissionReview>;
    try {
      review = parseAdmissionReview(Buffer.from(body ?? []).toString('utf8'));
    } catch (error) {
      logger.warn('admission review not understood', { error });
      return answer(400, '{}');
    }
    const wake = wakeOf(review, nodes);
    try {
      if (wake) await withDeadline(clock, { ...limit, what: 'the queue' }, (signal) => queue.send([wake], signal));
    } catch (error) {
      logger.warn('pod not woken, resync will find it', { error });
    }
    return answer(200, allowed(review));
  }
};

const secretOf = ({ method, path }: GatewayRequest): string | undefined =>
  method === 'POST' ? /^\/admission\/([^/]+)$/.exec(path)?.[1] : undefined;

/** Takes equally long whatever is wrong with it. */
const isOneOf = (secret: string, known: readonly string[]): boolean =>
  known.map((one) => timingSafeEqual(sha256(one), sha256(secret))).includes(true);

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

const answer = (statusCode: number, body: string): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body,
});

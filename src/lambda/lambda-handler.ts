import middify, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../ports/logger.ts';

/** What every wrapper needs. */
export interface LambdaOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Around the handler, outermost first: Powertools' for the logger, and whatever an operator adds. */
  readonly middlewares?: readonly MiddlewareObj[];
}

/** A function's entry point. Events are foreign data: each wrapper parses its own. */
export type LambdaHandler<Result> = (event: unknown, context: Context) => Promise<Result>;

/** Wraps `handle` for Lambda. */
export const lambdaHandler = <Result>(
  handle: LambdaHandler<Result>,
  { middlewares = [] }: LambdaOptions,
): LambdaHandler<Result> => {
  const handler = middify((event: unknown, context: Context) => handle(event, context));
  for (const middleware of middlewares) handler.use(middleware);
  return (event, context) => handler(event, context);
};

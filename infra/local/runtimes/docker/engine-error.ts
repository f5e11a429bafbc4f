/** The engine said no. `status` is HTTP's, the message the engine's own. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The engine gave no answer, or broke off in the middle of one. */
export class EngineGone extends Error {
  override readonly name = 'EngineGone';
}

/** The result of `call`; undefined where the engine says that the thing is gone already, or that nothing has to be done. */
export const unlessGone = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EngineError && [304, 404, 409].includes(error.status)) return undefined;
    throw error;
  }
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

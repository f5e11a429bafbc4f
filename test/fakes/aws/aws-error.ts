/** An error as the SDK throws it for an answer of the service. */
export const awsError = (name: string, message: string, extra: object = {}): Error =>
  Object.assign(new Error(message), { name, $fault: 'client', $metadata: { httpStatusCode: 400 }, ...extra });

/** An error as the SDK throws it where there was no answer. */
export const noAnswer = (name = 'TimeoutError'): Error =>
  Object.assign(new Error('socket hang up'), { name, $metadata: {} });

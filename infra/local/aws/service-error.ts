/** An answer in which the service says no. `fields` are members of the error shape besides `message`. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: { readonly status?: number; readonly fields?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = options.status ?? 400;
    this.fields = options.fields ?? {};
  }
}

/** The service never answers: the connection hangs until the client gives up, or breaks at once. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly manner: 'hang' | 'reset';

  constructor(manner: 'hang' | 'reset') {
    super(manner === 'hang' ? 'the service does not answer' : 'the connection was reset');
    this.manner = manner;
  }
}

export const clientError = (message: string): AwsError => new AwsError('ClientException', message);

export const invalidParameter = (message: string): AwsError => new AwsError('InvalidParameterException', message);

export const throttled = (): AwsError => new AwsError('ThrottlingException', 'Rate exceeded');

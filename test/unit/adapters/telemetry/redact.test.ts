import { describe, expect, it } from 'vitest';
import { redact, redactText } from '../../../../src/adapters/telemetry/redact.ts';
import { ConflictError, TransientError } from '../../../../src/core/errors.ts';

describe('redactText', () => {
  it.each([
    ['a bearer token', 'got Authorization: Bearer abc.def-123 back', 'got Authorization: Bearer [redacted] back'],
    ['a ServiceAccount token', 'token eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.c2lnbmF0dXJl.', 'token [redacted].'],
    ['an EKS token', 'k8s-aws-v1.aHR0cHM6Ly9zdHM is bad', '[redacted] is bad'],
    ['an access key', 'key AKIAIOSFODNN7EXAMPLE is bad', 'key [redacted] is bad'],
    [
      'a presigned URL',
      'GET https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=0a1b&X-Amz-Expires=9',
      'GET https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=[redacted]&X-Amz-Expires=9',
    ],
    ['the secret path', 'POST /admission/s3cr3t?timeout=2s', 'POST /admission/[redacted]?timeout=2s'],
    ['a key', 'a -----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY----- b', 'a [redacted] b'],
    ['a key cut short', 'a -----BEGIN PRIVATE KEY-----\nMHcC', 'a [redacted]'],
    [
      'nothing else',
      'task arn:aws:ecs:eu-west-1:1:task/svk/0a1b stopped',
      'task arn:aws:ecs:eu-west-1:1:task/svk/0a1b stopped',
    ],
  ])('takes out %s', (_what, text, clean) => {
    expect(redactText(text)).toBe(clean);
  });

  it('bounds the length', () => {
    expect(redactText('x'.repeat(5000))).toBe(`${'x'.repeat(4096)}… (5000 characters)`);
  });
});

describe('redact', () => {
  it('replaces values under names of secrets, at any depth', () => {
    const fields = {
      pod: 'default/web',
      env: [{ DB_PASSWORD: 'pw' }],
      clientKey: 'k',
      Authorization: 'x',
      apiKey: 1,
      nested: { refreshToken: { value: 't' } },
    };
    expect(redact(fields)).toEqual({
      pod: 'default/web',
      env: [{ DB_PASSWORD: '[redacted]' }],
      clientKey: '[redacted]',
      Authorization: '[redacted]',
      apiKey: '[redacted]',
      nested: { refreshToken: '[redacted]' },
    });
  });

  it('leaves what gives nothing away', () => {
    expect(redact({ token: undefined, hasSecret: true, uid: 'u', count: 3, at: new Date(0) })).toEqual({
      token: undefined,
      hasSecret: true,
      uid: 'u',
      count: 3,
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('says of an error what helps: the stack only where it is a bug', () => {
    const cause = new Error('Bearer abc failed');
    expect(redact({ error: new TransientError('no answer', { cause }) })).toEqual({
      error: {
        name: 'TransientError',
        message: 'no answer',
        disposition: 'transient',
        cause: {
          name: 'Error',
          message: 'Bearer [redacted] failed',
          stack: expect.stringContaining('redact.test.ts') as unknown,
        },
      },
    });
    expect(redact(new ConflictError('c'))).toEqual({ name: 'ConflictError', message: 'c', disposition: 'conflict' });
  });

  it('says what each of several errors was', () => {
    expect(redact(new AggregateError([new ConflictError('c')], 'all failed'))).toMatchObject({
      message: 'all failed',
      errors: [{ name: 'ConflictError', message: 'c', disposition: 'conflict' }],
    });
  });

  it('bounds depth, size and circles', () => {
    const circle: Record<string, unknown> = { name: 'c' };
    circle['self'] = circle;
    expect(redact(circle)).toEqual({ name: 'c', self: '[…]' });
    expect(redact({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } })).toEqual({
      a: { b: { c: { d: { e: { f: '[…]' } } } } },
    });
    expect(redact(Array.from({ length: 60 }, () => 1))).toHaveLength(51);
    expect(redact({ bytes: new Uint8Array(9) })).toEqual({ bytes: '[9 bytes]' });
  });

  it('does not touch what it was given', () => {
    const fields = Object.freeze({ token: 'abc' });
    redact(fields);
    expect(fields).toEqual({ token: 'abc' });
  });
});

import { describe, expect, it } from 'vitest';
import { measuredProvider } from '../../../../src/app/process/measured-provider.ts';
import { TransientError } from '../../../../src/core/errors.ts';
import type { LaunchResult } from '../../../../src/model/launch.ts';
import type { SpanStart, Tracer } from '../../../../src/ports/tracer.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeProvider } from '../../../fakes/provider/fake-provider.ts';

const { signal } = new AbortController();

const world = () => {
  const clock = new FakeClock();
  const fake = new FakeProvider(clock);
  const calls: string[] = [];
  const spans: SpanStart[] = [];
  const tracer: Tracer = {
    span: (start, work) => {
      spans.push(start);
      return work();
    },
  };
  const instruments = {
    providerCall: (method: string, result: string) => void calls.push(`${method} ${result}`),
  };
  return { fake, calls, spans, clock, tracer, provider: measuredProvider(fake, { instruments, clock, tracer }) };
};

describe('a provider that is measured', () => {
  it.each<{ answer: LaunchResult; result: string }>([
    { answer: { kind: 'refused', cause: 'capacity', final: true, message: 'full' }, result: 'launch error' },
    { answer: { kind: 'unknown', message: 'no answer' }, result: 'launch error' },
  ])('counts a launch that is $answer.kind as an error, and passes it on', async ({ answer, result }) => {
    const { fake, calls, provider } = world();
    fake.launch = () => Promise.resolve(answer);
    expect(await provider.launch({ body: '{}' }, signal)).toEqual(answer);
    expect(calls).toEqual([result]);
  });

  it('has a span for each call to the provider, failed ones too, and none for what is pure', async () => {
    const { fake, spans, calls, provider } = world();
    await provider.ping(signal);
    fake.faults.failNext('describe', new TransientError('no answer'));
    await expect(provider.describe(['x'], signal)).rejects.toThrow('no answer');
    provider.observationOf('nothing');
    expect(spans).toEqual([
      { name: 'provider.ping', kind: 'client', attributes: { 'svk.provider': 'fake' } },
      { name: 'provider.describe', kind: 'client', attributes: { 'svk.provider': 'fake' } },
    ]);
    expect(calls).toEqual(['ping success', 'describe error']);
  });
});

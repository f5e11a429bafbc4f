import { describe, expect, it } from 'vitest';
import { parseScript } from '../../../../infra/local/runtimes/simulated/script.ts';

describe('parseScript', () => {
  it('reads statements in order', () => {
    expect(parseScript('pull 250ms; run 2s; log hello world\nexit 3')).toEqual({
      pullMs: 250,
      steps: [
        { kind: 'wait', ms: 2000 },
        { kind: 'print', text: 'hello world\n' },
        { kind: 'exit', exitCode: 3 },
      ],
      onTerminate: { afterMs: 0, exitCode: 143 },
      health: [{ fromMs: 0, exitCode: 0 }],
    });
  });

  it('reads a JSON array, whose texts may hold semicolons', () => {
    expect(parseScript('["log a; b", "exit 0"]').steps).toEqual([
      { kind: 'print', text: 'a; b\n' },
      { kind: 'exit', exitCode: 0 },
    ]);
  });

  it.each([
    { text: 'exit', step: { kind: 'exit', exitCode: 0 } },
    { text: 'exit lost', step: { kind: 'exit' } },
    {
      text: 'oom',
      step: { kind: 'exit', exitCode: 137, reason: 'OutOfMemoryError: Container killed due to memory usage' },
    },
    { text: 'wait 1.5m', step: { kind: 'wait', ms: 90_000 } },
  ])('reads the step $text', ({ text, step }) => {
    expect(parseScript(text).steps).toEqual([step]);
  });

  it('reads what happens on SIGTERM', () => {
    expect(parseScript('on-term 3s exit 5').onTerminate).toEqual({ afterMs: 3000, exitCode: 5 });
    expect(parseScript('on-term exit 0').onTerminate).toEqual({ afterMs: 0, exitCode: 0 });
    expect(parseScript('ignore-term').onTerminate).toBeUndefined();
  });

  it('reads health and start failures', () => {
    expect(parseScript('health unhealthy after 5s').health).toEqual([
      { fromMs: 0, exitCode: 0 },
      { fromMs: 5000, exitCode: 1 },
    ]);
    expect(parseScript('pull-error not-found').pullError).toBe('not-found');
    expect(parseScript('start-error no such file').startError).toBe('no such file');
  });

  it.each(['dance', 'run', 'run fast', 'exit 256', 'exit -1', 'on-term 3s', 'health fine', 'loop', '[1]', '[oops'])(
    'names the statement it cannot read: %s',
    (text) => {
      expect(() => parseScript(text)).toThrow(`CannotStartContainerError: SVK_SIMULATE cannot be read at "${text}"`);
    },
  );
});

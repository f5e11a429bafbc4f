import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPowertoolsLogger, PowertoolsLogger } from '../../../../src/adapters/telemetry/powertools-logger.ts';

describe('PowertoolsLogger', () => {
  it('passes message and redacted fields on, at each level', () => {
    const lines: unknown[] = [];
    const at = (level: string) => (message: string, fields: Record<string, unknown>) =>
      void lines.push([level, message, fields]);
    const logger = new PowertoolsLogger({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') });
    logger.debug('d');
    logger.info('i', { pod: 'default/web', token: 'abc' });
    logger.warn('w', { message: 'm', level: 3 });
    logger.error('e', { error: new Error('Bearer abc') });
    expect(lines).toEqual([
      ['debug', 'd', {}],
      ['info', 'i', { pod: 'default/web', token: '[redacted]' }],
      ['warn', 'w', { message_: 'm', level_: 3 }],
      ['error', 'e', { error: { name: 'Error', message: 'Bearer [redacted]', stack: expect.any(String) as unknown } }],
    ]);
  });
});

describe('createPowertoolsLogger', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('writes one JSON object a line, from its level on', () => {
    // In this mode Powertools writes to the global console.
    vi.stubEnv('POWERTOOLS_DEV', 'true');
    const lines: string[] = [];
    vi.spyOn(console, 'info').mockImplementation((line: string) => void lines.push(line));
    vi.spyOn(console, 'debug').mockImplementation((line: string) => void lines.push(line));
    const { logger } = createPowertoolsLogger({ service: 'pod-worker' });
    logger.debug('hidden');
    logger.info('task placed', { pod: 'default/web', error: new Error('boom') });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'INFO',
      service: 'pod-worker',
      message: 'task placed',
      pod: 'default/web',
      error: { name: 'Error', message: 'boom' },
    });
  });
});

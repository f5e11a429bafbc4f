import { describe, expect, it } from 'vitest';
import { parseAddress, parseIp, parsePort } from '../../../src/cli/values/address.ts';
import { parseDuration } from '../../../src/cli/values/duration.ts';
import { parseKey, parseKeyValue, parseNodeName } from '../../../src/cli/values/kubernetes-names.ts';
import { parseLogLevel } from '../../../src/cli/values/log-level.ts';
import { parseBoolean, parseCount, parseRate } from '../../../src/cli/values/plain.ts';
import { parseExporters, parseSampleRate, parseTags } from '../../../src/cli/values/trace.ts';
import type { Parsed } from '../../../src/cli/values/value.ts';

/** What the text means; a fault as its words. */
const read = <T>(parsed: Parsed<T>): T | string => (parsed.ok ? parsed.value : parsed.message);

describe('durations', () => {
  it.each([
    ['0', 0],
    ['30s', 30_000],
    ['1m', 60_000],
    ['1h30m', 5_400_000],
    ['1m30.5s', 90_500],
    ['500ms', 500],
    ['.5s', 500],
    ['1500us', 1.5],
    ['+10s', 10_000],
  ])('%s', (text, ms) => {
    expect(read(parseDuration(text))).toBe(ms);
  });

  it.each(['', '10', '1d', '-5s', '1m 30s', 's', '1.2.3s', 'Infinity'])('not %j', (text) => {
    expect(read(parseDuration(text))).toBe(`must be a duration such as 1m30s, 500ms or 0, not "${text}"`);
  });
});

describe('names of Kubernetes', () => {
  it.each(['vk-1', 'virtual-kubelet', '1', 'ip-10-0-0-1.eu-west-1.compute.internal', 'a'.repeat(253)])(
    'the node %s',
    (text) => {
      expect(read(parseNodeName(text))).toBe(text);
    },
  );

  it.each(['UPPER', 'a_b', '-x', 'x-', 'a..b', '.a', 'a b', 'a/b', 'é', 'a'.repeat(254)])('not the node %s', (text) => {
    expect(read(parseNodeName(text))).toBe(
      `must be a DNS name of lower case letters, digits, - and ., such as vk-1, not "${text}"`,
    );
  });

  it.each(['a', 'a/b', 'virtual-kubelet.io/provider', 'A_b.c-d', `a.b/${'x'.repeat(63)}`])('the key %s', (text) => {
    expect(read(parseKey(text))).toBe(text);
  });

  it.each(['a b', '/a', 'a/', 'a/b/c', 'A/b', '-a', 'a.', 'x'.repeat(64)])('not the key %s', (text) => {
    expect(read(parseKey(text))).toBe(`must be a key such as virtual-kubelet.io/provider, not "${text}"`);
  });

  it.each([
    ['', ''],
    ['Mock_1.2-x', 'Mock_1.2-x'],
    ['a b', 'must be at most 63 letters, digits, -, _ and ., none but the first two at the ends, not "a b"'],
    ['a/b', 'must be at most 63 letters, digits, -, _ and ., none but the first two at the ends, not "a/b"'],
  ])('the value %j', (text, expected) => {
    expect(read(parseKeyValue(text))).toBe(expected);
  });
});

describe('addresses', () => {
  it.each([
    [':10250', { host: '', port: 10_250 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:10250', { host: '::1', port: 10_250 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('%s', (text, address) => {
    expect(read(parseAddress(text))).toEqual(address);
  });

  it.each(['', '10250', '127.0.0.1', ':65536', '::1:80', '[127.0.0.1]:80', ':x', ':-1'])('not %j', (text) => {
    expect(read(parseAddress(text))).toMatch(/^must be an address with a port, such as :10250/);
  });

  it.each([
    ['0', 0],
    ['10250', 10_250],
    ['65536', 'must be a port from 0 to 65535, not "65536"'],
    ['http', 'must be a port from 0 to 65535, not "http"'],
    ['', 'must be a port from 0 to 65535, not ""'],
  ])('the port %j', (text, expected) => {
    expect(read(parsePort(text))).toBe(expected);
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['node.example', 'must be an IP address, not "node.example"'],
  ])('the IP address %j', (text, expected) => {
    expect(read(parseIp(text))).toBe(expected);
  });
});

describe('plain values', () => {
  it.each([
    ['true', true],
    ['T', true],
    ['1', true],
    ['False', false],
    ['0', false],
    ['yes', 'must be true or false, not "yes"'],
    ['toString', 'must be true or false, not "toString"'],
  ])('%j is %s', (text, expected) => {
    expect(read(parseBoolean(text))).toBe(expected);
  });

  it.each([
    ['10', 10],
    ['0', 'must be a whole number above zero, not "0"'],
    ['-3', 'must be a whole number above zero, not "-3"'],
    ['1.5', 'must be a whole number above zero, not "1.5"'],
  ])('the count %j', (text, expected) => {
    expect(read(parseCount(text))).toBe(expected);
  });

  it.each([
    ['50', 50],
    ['0.5', 0.5],
    ['0', 'must be a number above zero, not "0"'],
    ['1e3', 'must be a number above zero, not "1e3"'],
    ['1.2.3', 'must be a number above zero, not "1.2.3"'],
  ])('the rate %j', (text, expected) => {
    expect(read(parseRate(text))).toBe(expected);
  });

  it.each([
    ['', 'info'],
    ['panic', 'error'],
    ['warning', 'warn'],
    ['DEBUG', 'debug'],
    ['trace', 'debug'],
    ['loud', 'must be one of panic, fatal, error, warn, warning, info, debug, trace, not "loud"'],
  ])('the level %j', (text, expected) => {
    expect(read(parseLogLevel(text))).toBe(expected);
  });
});

describe('traces', () => {
  it('take exporters in one list or several', () => {
    expect(read(parseExporters(['otlp,console', 'otlp']))).toEqual(['otlp', 'console']);
    expect(read(parseExporters([]))).toEqual([]);
  });

  it.each([
    ['jaeger', /^jaeger is not offered any more: use otlp, with OTEL_EXPORTER_OTLP_ENDPOINT/],
    ['ocagent', /^ocagent is not offered any more: use otlp/],
    ['zpages', /^zpages is not offered any more: use console/],
    ['zipkin', /^must be otlp or console, not "zipkin"$/],
  ])('say what stands in for %s', (name, words) => {
    expect(read(parseExporters([name]))).toMatch(words);
  });

  it('take tags', () => {
    expect(read(parseTags(['team=a=b,stage=', 'zone=1']))).toEqual({ team: 'a=b', stage: '', zone: '1' });
  });

  it.each([
    [['team'], 'must be key=value, not "team"'],
    [['=x'], 'must be key=value, not "=x"'],
    [['a=1', 'a=2'], 'gives a twice'],
    [['nodeName=x'], 'must not set nodeName: it is set for every trace'],
  ])('refuse the tags %j', (texts, words) => {
    expect(read(parseTags(texts))).toBe(words);
  });

  it.each([
    ['', undefined],
    ['always', 1],
    ['never', 0],
    ['25', 0.25],
    ['101', 'must be always, never or a whole percentage from 0 to 100, not "101"'],
    ['-1', 'must be always, never or a whole percentage from 0 to 100, not "-1"'],
    ['some', 'must be always, never or a whole percentage from 0 to 100, not "some"'],
  ])('sample at %j', (text, expected) => {
    expect(read(parseSampleRate(text))).toBe(expected);
  });
});

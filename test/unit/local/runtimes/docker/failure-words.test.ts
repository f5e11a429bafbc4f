import { describe, expect, it } from 'vitest';
import { EngineError, EngineGone } from '../../../../../infra/local/runtimes/docker/engine-error.ts';
import { pullFailure, startFailure } from '../../../../../infra/local/runtimes/docker/failure-words.ts';

const manifest = 'CannotPullContainerError: pull image manifest has been retried 5 time(s): failed to resolve ref';

describe('why an image cannot be had', () => {
  it.each([
    {
      text: 'manifest for nginx:none not found: manifest unknown: manifest unknown',
      words: `${manifest} docker.io/library/nginx:1: docker.io/library/nginx:1: not found`,
    },
    {
      text: "pull access denied for nginx, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
      words: `${manifest} docker.io/library/nginx:1: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
    },
    {
      text: 'Head "https://1.dkr.ecr.eu-west-1.amazonaws.com/v2/x/manifests/1": no basic auth credentials',
      words: `${manifest} docker.io/library/nginx:1: pulling from host failed with status code: no basic auth credentials`,
    },
    {
      text: 'toomanyrequests: You have reached your pull rate limit.',
      words: 'CannotPullContainerError: toomanyrequests: You have reached your pull rate limit.',
    },
    {
      text: 'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host',
      words: `${manifest} docker.io/library/nginx:1: failed to do request: Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host`,
    },
    {
      text: 'failed to register layer: write /x: no space left on device',
      words:
        'CannotPullContainerError: ref pull has been retried 1 time(s): failed to extract layer: failed to register layer: write /x: no space left on device',
    },
    { text: 'a reason nobody has seen', words: 'CannotPullContainerError: a reason nobody has seen' },
  ])('is told in AWS’s words: $text', ({ text, words }) => {
    expect(pullFailure('nginx:1', new Error(text)).message).toBe(words);
  });

  it.each([
    ['nginx', 'docker.io/library/nginx:latest'],
    ['me/web', 'docker.io/me/web:latest'],
    ['localhost/web:1', 'localhost/web:1'],
    ['127.0.0.1:5000/web', '127.0.0.1:5000/web:latest'],
    ['ghcr.io/me/web@sha256:00', 'ghcr.io/me/web@sha256:00'],
  ])('names %s as containerd does', (image, name) => {
    expect(pullFailure(image, new Error('invalid reference format')).message).toBe(
      `CannotPullContainerError: invalid reference format: ${name}`,
    );
  });

  it('is the engine itself where that is gone', () => {
    expect(pullFailure('nginx', new EngineGone('the engine at x does not answer: timeout')).message).toBe(
      'CannotPullContainerError: the engine at x does not answer: timeout',
    );
  });
});

describe('why a container cannot start', () => {
  const inner =
    'failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "x": executable file not found in $PATH: unknown';

  it.each([
    { want: 'as the engine of today says it', text: inner },
    { want: 'as a newer one wraps it', text: `failed to create task for container: ${inner}` },
  ])('is told in Fargate’s words $want', ({ text }) => {
    expect(startFailure('start', new EngineError(400, text)).message).toBe(
      `CannotStartContainerError: ResourceInitializationError: failed to create new container runtime task: ${inner}`,
    );
  });

  it('keeps other reasons', () => {
    expect(startFailure('start', new EngineError(500, 'unable to find user x')).message).toBe(
      'CannotStartContainerError: unable to find user x',
    );
    expect(startFailure('create', new EngineError(500, 'no space left on device')).message).toBe(
      'CannotCreateContainerError: no space left on device',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { PermanentError } from '../../../../src/core/errors.ts';
import { parseWebConfig } from '../../../../src/providers/web/web-config.ts';
import { webFactory } from '../../../../src/providers/web/web-factory.ts';
import { aProviderDeps } from '../../../support/a-provider-deps.ts';

describe('the configuration of the web provider', () => {
  it('has a URL and defaults', () => {
    expect(parseWebConfig({ url: 'https://pods.example.com/v1/' })).toEqual({
      ok: true,
      config: { url: 'https://pods.example.com/v1', timeoutMs: 10_000, node: {} },
    });
  });

  it('has all it may have', async () => {
    const { node } = await webFactory.create(
      {
        url: 'http://127.0.0.1:8080/v1',
        authorizationFile: '/run/secrets/authorization',
        timeoutSeconds: 30,
        node: {
          capacity: { cpu: 8, memory: '32Gi' },
          architecture: 'arm64',
          providerID: 'web://1',
          labels: { a: 'b' },
        },
      },
      aProviderDeps(),
    );
    expect(node).toEqual({
      capacity: { cpu: '8', memory: '32Gi' },
      architecture: 'arm64',
      providerID: 'web://1',
      labels: { a: 'b' },
    });
  });

  it.each([
    'http://localhost:80',
    'http://127.0.0.1',
    'http://127.8.9.10/x',
    'http://[::1]:8080/v1',
    'https://10.0.0.1',
  ])('takes %s', (url) => {
    expect(parseWebConfig({ url }).ok).toBe(true);
  });

  const PRIVATE = 'must begin with https:// unless its host is this machine: it carries values of Secrets';
  const BARE = 'must have no user, password, query or fragment: give credentials by authorizationFile';
  it.each([
    ['http://pods.example.com', [PRIVATE]],
    ['http://127.0.0.1.example.com', [PRIVATE]],
    ['https://me:secret@pods.example.com', [BARE]],
    ['https://pods.example.com?token=1', [BARE]],
    ['ftp://pods.example.com', ['must be a URL as https://pods.example.com/v1']],
    ['pods.example.com', ['must be a URL as https://pods.example.com/v1']],
    ['https://169.254.169.254', ['must not be a link-local or metadata address']],
    ['https://0xa9fea9fe', ['must not be a link-local or metadata address']],
    ['https://2852039166', ['must not be a link-local or metadata address']],
    ['https://[fd00:ec2::254]', ['must not be a link-local or metadata address']],
    ['https://[::ffff:169.254.169.254]', ['must not be a link-local or metadata address']],
  ])('refuses %s', (url, messages) => {
    expect(parseWebConfig({ url })).toEqual({
      ok: false,
      faults: messages.map((message) => ({ field: 'url', message })),
    });
  });

  it('tells every fault at once', async () => {
    const config = {
      timeoutSeconds: 0,
      token: 'x',
      authorizationFile: '',
      node: { capacity: { cpu: 'much' }, architecture: 'vax' },
    };
    const creation = webFactory.create(config, aProviderDeps());
    await expect(creation).rejects.toThrow(PermanentError);
    await expect(creation).rejects.toThrow(
      [
        'the configuration of provider web has 6 faults:',
        '  url: must be a string',
        '  authorizationFile: must name a file',
        '  timeoutSeconds: must be 1 to 60',
        '  node.capacity.cpu: must be a quantity of zero or more, as 2, 500m or 32Gi',
        '  node.architecture: must be amd64 or arm64',
        '  token: is not known: remove it',
      ].join('\n'),
    );
  });

  it('needs a document', async () => {
    await expect(webFactory.create(undefined, aProviderDeps())).rejects.toThrow('url: must be a string');
  });

  it('names a certificate file that cannot be read', async () => {
    const config = { url: 'https://pods.example.com', certificateAuthorityFile: '/nowhere/ca.pem' };
    await expect(webFactory.create(config, aProviderDeps())).rejects.toThrow(
      'certificateAuthorityFile /nowhere/ca.pem cannot be read',
    );
  });
});

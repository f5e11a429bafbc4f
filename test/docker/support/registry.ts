import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TarMember, tarOf } from '../../../infra/local/runtimes/docker/tar.ts';

const kinds = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  layer: 'application/vnd.docker.image.rootfs.diff.tar',
};

const digestOf = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** A registry on 127.0.0.1, where engines need no TLS. */
export interface TestRegistry {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  close(): Promise<void>;
}

/**
 * Serves one image under the name `there`, of a private registry to `ada` with `pw` alone; `secret` is for nobody, `busy` is limited, every other name is not known.
 * (OCI distribution specification, the part that a pull needs.)
 */
export const startRegistry = async (
  files: readonly TarMember[],
  command: readonly string[],
  access: 'public' | 'private' = 'public',
): Promise<TestRegistry> => {
  const layer = tarOf(files);
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Cmd: command, Env: ['PATH=/bin'] },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: kinds.manifest,
      config: { mediaType: kinds.config, size: config.length, digest: digestOf(config) },
      layers: [{ mediaType: kinds.layer, size: layer.length, digest: digestOf(layer) }],
    }),
  );
  const blobs = new Map([config, layer].map((content) => [digestOf(content), content]));

  const answerTo = (path: string, authorization: string): { status: number; type?: string; body: Uint8Array } => {
    const refuse = (status: number, code: string, message: string) => ({
      status,
      type: 'application/json',
      body: Buffer.from(JSON.stringify({ errors: [{ code, message }] })),
    });
    const isAda = authorization === `Basic ${Buffer.from('ada:pw').toString('base64')}`;
    // An engine asks here first how one logs in.
    if (access === 'private' && !isAda) return refuse(401, 'UNAUTHORIZED', 'authentication required');
    if (path === '/v2/') return { status: 200, body: Buffer.from('{}') };
    const [, name, what, reference = ''] = /^\/v2\/(\w+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? [];
    if (name === 'secret') return refuse(401, 'UNAUTHORIZED', 'authentication required');
    if (name === 'busy') return refuse(429, 'TOOMANYREQUESTS', 'You have reached your pull rate limit.');
    if (name !== 'there') return refuse(404, 'MANIFEST_UNKNOWN', 'manifest unknown');
    if (what === 'manifests') return { status: 200, type: kinds.manifest, body: manifest };
    const blob = blobs.get(reference);
    return blob
      ? { status: 200, type: 'application/octet-stream', body: blob }
      : refuse(404, 'BLOB_UNKNOWN', 'blob unknown');
  };

  const server = createServer((request, response) => {
    const {
      status,
      type = 'application/json',
      body,
    } = answerTo(request.url ?? '', request.headers.authorization ?? '');
    response.writeHead(status, {
      'content-type': type,
      'content-length': body.length,
      'docker-content-digest': digestOf(body),
      ...(status === 401 && { 'www-authenticate': 'Basic realm="test"' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type TarMember, tarOf } from '../../../infra/local/runtimes/docker/tar.ts';
import { engine } from './engine.ts';

/** A statically linked busybox, such as Debian's package `busybox-static` installs. */
const busybox = process.env['SVK_BUSYBOX'] ?? '/bin/busybox';

const file = (path: string, content: string | Uint8Array, mode = 0o644): TarMember => ({
  kind: 'file',
  path,
  mode,
  content: Buffer.from(content),
});

/** Busybox under these names, each a link to it. */
const programs = (names: readonly string[]): readonly TarMember[] => [
  { kind: 'folder', path: 'bin/', mode: 0o755 },
  file('bin/busybox', readFileSync(busybox), 0o755),
  ...names.map((name): TarMember => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' })),
];

/** The files of a small Linux: busybox with all of its names, root and nobody. */
export const rootFiles = (): readonly TarMember[] => {
  const names = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  return [
    ...programs(names.filter((name) => name !== 'busybox')),
    { kind: 'folder', path: 'etc/', mode: 0o755 },
    file('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\n'),
    file('etc/group', 'root:x:0:\napp:x:1000:\n'),
    { kind: 'folder', path: 'root/', mode: 0o700 },
    { kind: 'folder', path: 'tmp/', mode: 0o1777 },
    { kind: 'folder', path: 'srv/', mode: 0o755 },
    file('srv/index.html', 'hello from the image\n'),
  ];
};

/** Where busybox looks for itself. */
const imagePath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The image of these tests, as it is named in examples, too: no registry is asked. */
export const testImage = 'svk-test/busybox:1';

/** Makes the image `testImage`, and the same under the names of the examples' manifests. */
export const makeImages = async (
  names: readonly string[] = [testImage, 'public.ecr.aws/docker/library/busybox:1.37'],
): Promise<void> => {
  const archive = tarOf(rootFiles());
  for (const name of names) await makeImage(name, archive, ['CMD ["sh", "-c", "echo own command of the image"]']);
};

/** The image `name` whose user is nobody special. */
export const makeUserImage = (name: string): Promise<void> => makeImage(name, tarOf(rootFiles()), ['USER app']);

/** The image `name` with these programs of busybox, and no shell. */
export const makeBareImage = (name: string, names: readonly string[]): Promise<void> =>
  makeImage(name, tarOf(programs(names)), []);

const makeImage = async (name: string, archive: Uint8Array, changes: readonly string[]): Promise<void> => {
  const [repo = '', tag = ''] = name.split(/:(?=[^:/]*$)/);
  const query = new URLSearchParams({ fromSrc: '-', repo, tag });
  for (const change of [`ENV ${imagePath}`, ...changes]) query.append('changes', change);
  await engine().call('POST', '/images/create', { query, body: archive });
};

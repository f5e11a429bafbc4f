import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificateFolder } from '../../../../src/adapters/tls/certificate-folder.ts';
import { makeCertificateRequest } from '../../../../src/adapters/tls/certificate-request.ts';
import { selfSigned } from '../../../../src/adapters/tls/self-signed.ts';
import { PermanentError } from '../../../../src/core/errors.ts';

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'svk-certs-'));
  folder = path.join(parent, 'certs');
});
afterEach(() => rm(parent, { recursive: true }));

const pair = selfSigned({ commonName: 'n', names: ['n'], now: 0 });
const requested = {
  ...makeCertificateRequest({ organization: 'system:nodes', commonName: 'system:node:n', names: ['n'] }),
  names: ['n'],
  signerName: 'kubernetes.io/kubelet-serving',
};

describe('a folder of certificates', () => {
  it('is empty at first and gives back what it was given, to the next process too', async () => {
    expect(await certificateFolder(folder, 'n').current()).toBeUndefined();
    expect(await certificateFolder(folder, 'n').requested()).toBeUndefined();
    await certificateFolder(folder, 'n').keepRequested(requested);
    expect(await certificateFolder(folder, 'n').requested()).toEqual(requested);
    await certificateFolder(folder, 'n').keepCurrent(pair);
    expect(await certificateFolder(folder, 'n').current()).toEqual(pair);
    expect(await certificateFolder(folder, 'n').requested()).toBeUndefined();
  });

  it('keeps nodes apart, and keys from other users', async () => {
    await certificateFolder(folder, 'n').keepCurrent(pair);
    await certificateFolder(folder, 'm').keepRequested(requested);
    expect(await certificateFolder(folder, 'm').current()).toBeUndefined();
    expect((await readdir(folder)).sort()).toEqual(['m-requested.json', 'n-current.pem']);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(folder)) expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600);
    expect(await readFile(path.join(folder, 'n-current.pem'), 'utf8')).toBe(pair.privateKey + pair.certificate);
  });

  it.each([
    ['n-current.pem', 'torn'],
    ['n-current.pem', pair.certificate],
    ['n-current.pem', pair.privateKey],
    ['n-requested.json', '{"privateKey":"x"}'],
    ['n-requested.json', '{'],
  ])('takes %s with %.20s for nothing', async (file, text) => {
    await mkdir(folder);
    await writeFile(path.join(folder, file), text);
    expect(await certificateFolder(folder, 'n').current()).toBeUndefined();
    expect(await certificateFolder(folder, 'n').requested()).toBeUndefined();
  });

  it('that cannot be written is the operator’s to mend', async () => {
    await writeFile(folder, 'a file');
    const keeping = certificateFolder(folder, 'n').keepCurrent(pair);
    await expect(keeping).rejects.toBeInstanceOf(PermanentError);
    await expect(keeping).rejects.toThrow(/--cert-dir/);
  });
});

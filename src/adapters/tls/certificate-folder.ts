import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { PermanentError } from '../../core/errors.ts';
import type { CertificateKeeper, CertificatePair, RequestedKey } from '../../ports/certificates.ts';

const requestedKey = z.object({
  privateKey: z.string(),
  request: z.string(),
  names: z.array(z.string()),
  signerName: z.string(),
});

const PRIVATE_KEY = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n?/;

/**
 * Keeps a node's keys in two files of a folder, for the owner's eyes only: `<node>-current.pem` and, while a certificate is
 * waited for, `<node>-requested.json`. A file is replaced whole or not at all. What cannot be read as
 * that is as if it were not there.
 * @throws {PermanentError} by every method, where the folder cannot be read or written.
 */
export const certificateFolder = (folder: string, node: string): CertificateKeeper => {
  const current = path.join(folder, `${node}-current.pem`);
  const requested = path.join(folder, `${node}-requested.json`);
  return {
    current: () => within(folder, async () => toPair(await readText(current))),
    requested: () => within(folder, async () => toRequested(await readText(requested))),
    keepRequested: (key) => within(folder, () => replace(requested, JSON.stringify(key))),
    keepCurrent: ({ privateKey, certificate }) =>
      within(folder, async () => {
        await replace(current, `${privateKey}${certificate}`);
        await rm(requested, { force: true });
      }),
  };
};

const within = async <T>(folder: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (cause) {
    throw new PermanentError(
      `the folder ${folder} (--cert-dir) cannot be used: it must be readable and writable for this process`,
      { cause },
    );
  }
};

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
};

const replace = async (file: string, text: string): Promise<void> => {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.draft`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
};

const toPair = (text: string): CertificatePair | undefined => {
  const [privateKey] = PRIVATE_KEY.exec(text) ?? [];
  const certificate = text.replace(PRIVATE_KEY, '');
  return privateKey !== undefined && certificate.includes('-----BEGIN CERTIFICATE-----')
    ? { privateKey, certificate }
    : undefined;
};

const toRequested = (text: string): RequestedKey | undefined => {
  try {
    return requestedKey.parse(JSON.parse(text));
  } catch {
    // Nothing, or torn: another key is as good.
    return undefined;
  }
};

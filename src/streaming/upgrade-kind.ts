import type { IncomingMessage } from 'node:http';

export type UpgradeKind = 'spdy' | 'websocket';

/** What a request asks to be upgraded to, by its `Connection` and `Upgrade` headers; undefined for nothing we speak. */
export const upgradeKindOf = ({ headers }: Pick<IncomingMessage, 'headers'>): UpgradeKind | undefined => {
  if (!wordsOf(headers.connection).includes('upgrade')) return undefined;
  const wanted = wordsOf(headers.upgrade);
  if (wanted.includes('websocket')) return 'websocket';
  return wanted.includes('spdy/3.1') ? 'spdy' : undefined;
};

const wordsOf = (header = ''): readonly string[] => header.split(',').map((word) => word.trim().toLowerCase());

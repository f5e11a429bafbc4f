import { isIP } from 'node:net';
import type { ListenAddress } from '../../ports/metrics.ts';
import { given, type Parsed, refused } from './value.ts';

const MOST = 65_535;

/** `:10250` (every address), `127.0.0.1:10250`, `[::1]:10250`, `localhost:0`. Port 0 takes a free one. */
export const parseAddress = (text: string): Parsed<ListenAddress> => {
  const [, bracketed, plain = '', digits = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d+)$/.exec(text) ?? [];
  const port = Number(digits);
  const isWrong = digits === '' || port > MOST || (bracketed !== undefined && isIP(bracketed) !== 6);
  return isWrong
    ? refused(`must be an address with a port, such as :10250, 127.0.0.1:10250 or [::1]:10250, not "${text}"`)
    : given({ host: bracketed ?? plain, port });
};

/** A port as `KUBELET_PORT` has it. */
export const parsePort = (text: string): Parsed<number> =>
  /^\d+$/.test(text) && Number(text) <= MOST
    ? given(Number(text))
    : refused(`must be a port from 0 to ${MOST}, not "${text}"`);

/** An IP address. */
export const parseIp = (text: string): Parsed<string> =>
  isIP(text) ? given(text) : refused(`must be an IP address, not "${text}"`);

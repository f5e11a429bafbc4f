import type { IncomingHttpHeaders } from 'node:http';

/** False for what a web page could send: foreign Host names, requests with an Origin. */
export const isLocalClient = ({ host = '', origin }: IncomingHttpHeaders): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host) && origin === undefined;

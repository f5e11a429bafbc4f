import type { FuzzTarget } from './fuzz.ts';
import { httpTarget } from './http/http-target.ts';
import { SPDY_TARGETS } from './streaming/spdy-targets.ts';
import { WEBSOCKET_TARGETS } from './streaming/websocket-targets.ts';

/** All that reads frames or requests of strangers. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [...SPDY_TARGETS, ...WEBSOCKET_TARGETS, httpTarget()];

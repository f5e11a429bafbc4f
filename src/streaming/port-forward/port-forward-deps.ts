import type { StreamDeps } from '../session.ts';

export interface PortForwardDeps extends StreamDeps {
  /** Nobody listens on the port: that one connection was reset, the forward goes on. */
  readonly onRefused?: (port: number, error: Error) => void;
}

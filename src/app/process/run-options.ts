import type { Taint } from '../../model/kubernetes.ts';
import type { ListenAddress } from '../../ports/metrics.ts';

/** What `svk run` is told by its command line, read and checked. Durations in milliseconds. */
export interface RunOptions {
  /** A path; where no such file is there, the service account of the pod is used. */
  readonly kubeconfig: string;
  /** Instead of it: the SSM parameter with the credentials that the functions of a deployment use. */
  readonly credentialsParameter: string | undefined;
  /** Empty, with `only`: every node that the provider's configuration describes. */
  readonly nodeName: string;
  /** A part of the work, where others do the rest; undefined: all of it. */
  readonly only: 'kubelet-api' | undefined;
  readonly operatingSystem: 'linux' | 'windows';
  /** Marks the node as ours, where the provider's configuration names no deployment. */
  readonly deployment: string;
  readonly clusterDomain: string;
  /** Undefined: no taint. */
  readonly taint: Taint | undefined;
  readonly podSyncWorkers: number;
  /** 0: never after the start. */
  readonly fullResyncMs: number;
  /** 0: as long as it takes. */
  readonly startupTimeoutMs: number;
  readonly shutdownMs: number;
  readonly deleteNode: boolean;
  /** Of the kubelet API. */
  readonly listen: ListenAddress;
  /** Address of this process inside the cluster; undefined: found out. */
  readonly nodeIp: string | undefined;
  readonly certificates: CertificateFiles;
  /** Where the certificate comes from that no file gives. */
  readonly serving: ServingOptions;
  readonly insecureAllowAnonymous: boolean;
  /** Undefined: requests are not limited. */
  readonly apiLimit: { readonly qps: number; readonly burst: number } | undefined;
  readonly state: StateOptions;
  /** Undefined: figures are not served. Where they are not required, a port that is taken is no reason not to run. */
  readonly metrics: (ListenAddress & { readonly isRequired: boolean }) | undefined;
  /** The node declares ExtendWebSocketsToKubelet, where the API server is 1.36 or newer. */
  readonly extendWebSockets: boolean;
  readonly streams: { readonly idleTimeoutMs: number; readonly creationTimeoutMs: number };
}

/** Names of PEM files. */
export interface CertificateFiles {
  /** Both or none. */
  readonly certificate: string | undefined;
  readonly privateKey: string | undefined;
  /** Signs those who may call the kubelet API; undefined: the one that the cluster publishes. */
  readonly clientAuthority: string | undefined;
}

export type ServingOptions =
  | { readonly kind: 'self-signed' }
  | {
      readonly kind: 'request';
      readonly signerName: string;
      /** Where keys outlive the process; undefined: they do not. */
      readonly folder: string | undefined;
    };

export type StateOptions =
  | { readonly kind: 'memory' }
  | { readonly kind: 'dynamodb'; readonly table: string; readonly region: string };

import type { Flag } from './flag.ts';

const NOTHING = 'it has no effect: the log goes to standard error';

const klog = (name: string, value: string | undefined, deprecated = NOTHING): Flag => ({
  name: `klog.${name}`,
  ...(value !== undefined && { value }),
  group: 'Logs, metrics, traces',
  help: 'a flag of klog',
  deprecated,
});

/** klog's, as virtual-kubelet takes them: manifests name them. */
export const KLOG_FLAGS: readonly Flag[] = [
  klog('v', 'level', 'use --log-level; 4 and above stand for debug'),
  klog('vmodule', 'settings'),
  klog('stderrthreshold', 'severity'),
  klog('log_backtrace_at', 'place'),
  klog('log_dir', 'folder'),
  klog('log_file', 'file'),
  klog('log_file_max_size', 'megabytes'),
  klog('logtostderr', undefined),
  klog('alsologtostderr', undefined),
  klog('add_dir_header', undefined),
  klog('one_output', undefined),
  klog('skip_headers', undefined),
  klog('skip_log_headers', undefined),
];

/** One flag of a command, as data: the parser, the help, the completion and the tests read it from here. */
export interface Flag {
  /** Without dashes. */
  readonly name: string;
  /** Name of its value in the help; a flag without is a switch, which still takes `=true` and `=false`. */
  readonly value?: string;
  readonly help: string;
  readonly group: FlagGroup;
  /** The environment variable that stands in for it. The command line wins. */
  readonly variable?: string;
  /** What holds where neither is given. */
  readonly initial?: string;
  readonly repeatable?: true;
  /** Still taken, not shown; says what to do instead. */
  readonly deprecated?: string;
  /** What its value may be, for the completion. */
  readonly choices?: readonly string[];
  /** Its value is the name of a file. */
  readonly file?: true;
}

export type FlagGroup = 'Cluster' | 'Node' | 'Pods' | 'Kubelet API' | 'State' | 'Logs, metrics, traces' | 'Process';

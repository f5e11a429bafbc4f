/** An event to be recorded on a pod. */
export interface PodEvent {
  /** Names the fact: recorded once. Begins with the attempt it belongs to, or with 0: `2/started/main`. */
  readonly key: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The container it is about. */
  readonly container?: string;
  /** When it happened, in milliseconds since the epoch, where that is known. */
  readonly at?: number;
}

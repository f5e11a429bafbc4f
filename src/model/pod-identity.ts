/** Names one pod for ever: two pods of one name are two identities, told apart by `uid`. */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

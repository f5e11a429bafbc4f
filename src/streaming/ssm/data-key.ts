/** What an agent that demands encryption asks for. */
export interface DataKeyRequest {
  /** Id, ARN or alias of a KMS key, as the agent names it. */
  readonly keyId: string;
  /**
   * The agent's random text for this handshake, to be bound to the data key by the encryption context
   * `aws:ssm:RandomChallenge`. Undefined for agents that send none.
   */
  readonly challenge: string | undefined;
}

/** A data key of 64 bytes that KMS has made: 32 for the agent's messages, 32 for ours. */
export interface DataKey {
  /** Secret. */
  readonly plaintext: Uint8Array;
  /** The same encrypted by KMS; the agent has it decrypted. */
  readonly ciphertext: Uint8Array;
}

/**
 * Has KMS make a data key for one session (kms:GenerateDataKey).
 * @throws an error of core/errors that names the key and what to allow.
 */
export type DataKeySource = (request: DataKeyRequest, signal: AbortSignal) => Promise<DataKey>;

export const DATA_KEY_BYTES = 64;

import { wholeSecondTime } from '../../core/micro-time.ts';
import type { CertificateRequest } from '../../ports/certificates.ts';

/** How far a node's serving certificate has come, as its condition tells it. */
export interface ServingState {
  /** Whether there is one to serve with. */
  readonly isServing: boolean;
  /** CamelCase, for machines. */
  readonly reason: string;
  /** For people: what is waited for, and the command that ends it. */
  readonly message: string;
}

/** What is told of a request that has no certificate yet. `serving`: the one before still serves. Pure. */
export const waitingState = (
  request: CertificateRequest,
  serving: { readonly until: number } | undefined,
): ServingState => {
  const meanwhile = serving === undefined ? '' : `; the one before serves until ${wholeSecondTime(serving.until)}`;
  const tell = (reason: string, message: string): ServingState => ({
    isServing: serving !== undefined,
    reason,
    message: `${message}${meanwhile}`,
  });
  const { name, signerName, state } = request;
  switch (state.kind) {
    case 'pending':
      return tell(
        'WaitingForApproval',
        `serving certificate waiting for approval of ${name}: kubectl certificate approve ${name}`,
      );
    case 'approved':
    case 'issued':
      return tell('WaitingForSigner', `serving certificate waiting for signer ${signerName} to sign ${name}`);
    case 'denied':
    case 'failed':
      return tell(
        state.kind === 'denied' ? 'RequestDenied' : 'RequestFailed',
        `serving certificate: ${name} was ${state.kind === 'denied' ? 'denied' : `refused by signer ${signerName}`}` +
          `${state.message === '' ? '' : ` (${state.message})`}; to ask again: kubectl delete csr ${name}`,
      );
    default:
      return state satisfies never;
  }
};

/** What is told of one that serves. Pure. */
export const issuedState = (notAfter: number): ServingState => ({
  isServing: true,
  reason: 'Issued',
  message: `serving certificate valid until ${wholeSecondTime(notAfter)}`,
});

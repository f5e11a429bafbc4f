import type { Clock } from '../core/clock.ts';
import type { AccessApi } from '../ports/kubernetes.ts';
import type { Logger } from '../ports/logger.ts';
import { accessAttributesOf } from './access-attributes.ts';
import { Authenticator, hasCredentials } from './authenticator.ts';
import { Authorizer } from './authorizer.ts';
import type { Caller } from './caller.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { text } from './responses.ts';
import type { Route } from './route.ts';

export interface GateOptions {
  readonly access: AccessApi;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Lets requests without any credentials pass, every path of them, as kubelet's AlwaysAllow does. For tests of clients
   * that present none; whoever reaches the endpoint may then run commands in pods.
   */
  readonly insecureAllowAnonymous?: boolean;
}

/**
 * Admits nobody who has not proved who it is and that it may. Answers the caller, or kubelet's refusal: 401, 403, and
 * 500 where the right could not be asked for.
 */
export class Gate {
  readonly #authenticator: Authenticator;
  readonly #authorizer: Authorizer;
  readonly #logger: Logger;
  readonly #anonymous: boolean;

  constructor({ access, clock, logger, insecureAllowAnonymous = false }: GateOptions) {
    this.#authenticator = new Authenticator(access, clock);
    this.#authorizer = new Authorizer(access, clock);
    this.#logger = logger;
    this.#anonymous = insecureAllowAnonymous;
  }

  async admit(
    request: KubeletRequest,
    route: Route | undefined,
    node: string,
  ): Promise<{ readonly caller: Caller } | { readonly refusal: KubeletResponse }> {
    if (this.#anonymous && !hasCredentials(request)) return { caller: ANONYMOUS };
    const caller = await this.#authenticate(request);
    if (caller === undefined) return { refusal: text(401, 'Unauthorized') };
    return this.#authorize(caller, request, route, node);
  }

  async #authenticate(request: KubeletRequest): Promise<Caller | undefined> {
    try {
      return await this.#authenticator.authenticate(request);
    } catch (error) {
      // As kubelet: who cannot be identified is not authorized, whatever kept us from it.
      this.#logger.error('unable to review a bearer token', { error });
      return undefined;
    }
  }

  async #authorize(
    caller: Caller,
    request: KubeletRequest,
    route: Route | undefined,
    node: string,
  ): Promise<{ readonly caller: Caller } | { readonly refusal: KubeletResponse }> {
    const wanted = accessAttributesOf(request, route, caller.kind, node);
    const { verb, resource } = wanted[0];
    const user = caller.user.username;
    for (const attributes of wanted) {
      try {
        if (await this.#authorizer.allows(caller.user, attributes, request.signal)) return { caller };
      } catch (error) {
        const { subresource } = attributes;
        this.#logger.error('unable to review access', { error, user, verb, resource, subresource });
        const fields = `user=${user}, verb=${verb}, resource=${resource}, subresource=${subresource}`;
        return { refusal: text(500, `Authorization error (${fields})`) };
      }
    }
    const subresources = wanted.map(({ subresource }) => subresource);
    this.#logger.info('forbidden', { user, verb, resource, subresources });
    const fields = `user=${user}, verb=${verb}, resource=${resource}, subresource(s)=[${subresources.join(' ')}]`;
    return { refusal: text(403, `Forbidden (${fields})`) };
  }
}

const ANONYMOUS: Caller = {
  kind: 'anonymous',
  user: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
};

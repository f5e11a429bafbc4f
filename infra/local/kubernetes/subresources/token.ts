import { type BoundObjects, ISSUER } from '../access/service-account-tokens.ts';
import { type FieldError, invalid, unsupported } from '../model/field-error.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../model/object.ts';
import { conflict, invalidObject, notFound } from '../model/status.ts';
import { readObject } from '../requests/body.ts';
import { type Exchange, respond } from '../requests/exchange.ts';
import { writeOptions } from '../requests/options.ts';
import { getStored } from '../requests/read.ts';
import { serviceAccounts } from '../resources/config-kinds.ts';
import { asPod } from '../resources/typed.ts';
import { formatTime } from '../values/time.ts';

const GROUP = 'authentication.k8s.io';
const TOKEN_REQUEST = {
  group: GROUP,
  version: 'v1',
  kind: 'TokenRequest',
  type: 'io.k8s.api.authentication.v1.TokenRequest',
};
const DEFAULT_SECONDS = 3_600;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;

/** POST serviceaccounts/NAME/token. */
export const postToken = async (exchange: Exchange, namespace: string, name: string): Promise<void> => {
  const { api } = exchange;
  const { fieldValidation } = writeOptions(exchange.query, 'CreateOptions');
  const { object, warnings } = await readObject(exchange.request, TOKEN_REQUEST, fieldValidation);
  const account = getStored(api.store, serviceAccounts, namespace, name);
  const spec = objectOf(object['spec']);
  const seconds = numberOf(spec['expirationSeconds']) ?? DEFAULT_SECONDS;
  checkExpiry(seconds);
  const asked = listOf(spec['audiences']).map(String);
  const audiences = asked.length > 0 ? asked : [ISSUER];
  const bound = boundObjects(exchange, namespace, name, spec['boundObjectRef']);
  const token = api.tokens.mint(account, audiences, seconds, bound);
  const now = api.clock.now();
  const answer = {
    kind: 'TokenRequest',
    apiVersion: `${GROUP}/v1`,
    metadata: { name, namespace, uid: account.metadata.uid, creationTimestamp: formatTime(now) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec['boundObjectRef'] ?? null },
    status: { token, expirationTimestamp: formatTime(now + seconds * 1_000) },
  };
  respond(exchange, 201, answer, warnings);
};

const checkExpiry = (seconds: number): void => {
  const path = 'spec.expirationSeconds';
  const errors: FieldError[] = [];
  if (seconds < LEAST_SECONDS) errors.push(invalid(path, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MOST_SECONDS)
    errors.push(invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds'));
  if (errors.length > 0) throw invalidObject(GROUP, 'TokenRequest', '', errors);
};

/** The pod or secret the token dies with; for a pod also its node. */
const boundObjects = ({ api }: Exchange, namespace: string, account: string, reference: unknown): BoundObjects => {
  if (!isObject(reference)) return {};
  const kind = textOf(reference['kind']) ?? '';
  const name = textOf(reference['name']) ?? '';
  const resource = kind === 'Pod' ? 'pods' : kind === 'Secret' ? 'secrets' : undefined;
  if (resource === undefined) {
    throw invalidObject(GROUP, 'TokenRequest', '', [unsupported('spec.boundObjectRef.kind', kind, ['Pod', 'Secret'])]);
  }
  const object = api.store.get(resource, namespace, name);
  if (!object) throw notFound({ group: '', resource }, name);
  checkUid(resource, name, reference, object.metadata.uid);
  const bound = { name, uid: object.metadata.uid ?? '' };
  if (resource === 'secrets') return { secret: bound };
  const { spec } = asPod(object);
  if ((spec?.serviceAccountName ?? '') !== account) {
    throw invalidObject(GROUP, 'TokenRequest', '', [
      invalid(
        'spec.boundObjectRef.name',
        name,
        `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
      ),
    ]);
  }
  const node = spec?.nodeName ? api.store.get('nodes', undefined, spec.nodeName) : undefined;
  return { pod: bound, ...(node ? { node: { name: node.metadata.name ?? '', uid: node.metadata.uid ?? '' } } : {}) };
};

const checkUid = (resource: string, name: string, reference: JsonObject, uid: string | undefined): void => {
  const asked = textOf(reference['uid']) ?? '';
  if (asked !== '' && asked !== uid) {
    throw conflict(
      { group: '', resource },
      name,
      `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
};

/**
 * Begins the name of a protocol of WebSocket's that is none but a bearer token in base64url, a secret of the client's:
 * Kubernetes' way for browsers.
 */
export const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** The names of a `Sec-WebSocket-Protocol` header, best first, as they stand there. */
export const protocolsOf = (header = ''): readonly string[] => header.split(',').map((name) => name.trim());

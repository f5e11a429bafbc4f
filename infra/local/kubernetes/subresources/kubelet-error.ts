import { ApiError, badRequest } from '../model/status.ts';

const UNAUTHORIZED = 'the server has asked for the client to provide credentials';
const UNAVAILABLE = 'the server is currently unable to handle the request';

/**
 * A kubelet's refusal as the real API server passes it on (`GenericHttpResponseChecker` and `NewGenericServerResponse`
 * of apimachinery): for some codes with the kubelet's own text, for others with a stock sentence.
 */
export const kubeletError = (
  code: number,
  { resource, name }: { readonly resource: string; readonly name: string },
  text: string,
): ApiError => {
  const about = ` ( ${resource} ${name})`;
  const details = { name, kind: resource };
  switch (code) {
    case 400:
      return badRequest(text);
    case 500:
      return new ApiError(500, 'InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
    case 401:
      return new ApiError(401, 'Unauthorized', `${UNAUTHORIZED}${about}`, details);
    case 403:
      return new ApiError(403, 'Forbidden', `${text}${about}`, details);
    case 404:
      return new ApiError(404, 'NotFound', `the server could not find the requested resource${about}`, details);
    case 405:
      return new ApiError(
        405,
        'MethodNotAllowed',
        `the server does not allow this method on the requested resource${about}`,
        details,
      );
    case 409:
      return new ApiError(409, 'Conflict', `the server reported a conflict${about}`, details);
    case 429:
      return new ApiError(
        429,
        'TooManyRequests',
        `the server has received too many requests and has asked us to try again later${about}`,
        details,
      );
    case 503:
      return new ApiError(503, 'ServiceUnavailable', `${UNAVAILABLE}${about}`, details);
    case 504:
      return new ApiError(
        504,
        'Timeout',
        `the server was unable to return a response in the time allotted, but may still be processing the request${about}`,
        details,
      );
    default:
      return code >= 500
        ? new ApiError(
            code,
            'InternalError',
            `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding${about}`,
            details,
          )
        : new ApiError(
            code,
            'Unknown',
            `the server responded with the status code ${code} but did not return more information${about}`,
            details,
          );
  }
};

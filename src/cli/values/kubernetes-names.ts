import { given, type Parsed, refused } from './value.ts';

const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const WORD = /^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;

/** The name of an object that is a DNS subdomain, as a node's: the API server would refuse another one for ever. */
export const parseNodeName = (text: string): Parsed<string> => {
  if (text === '') return refused('must not be empty');
  return SUBDOMAIN.test(text)
    ? given(text)
    : refused(`must be a DNS name of lower case letters, digits, - and ., such as vk-1, not "${text}"`);
};

/** A label's or taint's key: `name`, or `prefix/name` with a DNS subdomain before the slash. */
export const parseKey = (text: string): Parsed<string> => {
  const [name = '', ...prefixes] = text.split('/').reverse();
  const isKey = WORD.test(name) && prefixes.length < 2 && prefixes.every((prefix) => SUBDOMAIN.test(prefix));
  return isKey ? given(text) : refused(`must be a key such as virtual-kubelet.io/provider, not "${text}"`);
};

/** A label's or taint's value, which may be empty. */
export const parseKeyValue = (text: string): Parsed<string> =>
  text === '' || WORD.test(text)
    ? given(text)
    : refused(`must be at most 63 letters, digits, -, _ and ., none but the first two at the ends, not "${text}"`);

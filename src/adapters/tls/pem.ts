/** PEM (RFC 7468) of DER bytes: lines of 64 characters between `-----BEGIN <label>-----` and its end. */
export const pem = (label: string, der: Uint8Array): string => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
};

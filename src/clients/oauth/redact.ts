const MASK = '[hidden]';
const JWT = /\bey[\w-]+\.[\w-]+\.[\w-]*/g;
const AUTHORIZATION = /\b(Bearer|Basic|AccessToken)\s+[^\s'"]+/gi;

/** A text without the given secrets and without anything that looks like a token: a server may quote a header. */
export function redacted(text: string, secrets: readonly string[]): string {
  const bare = secrets.filter((secret) => secret !== '').reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  return bare.replace(JWT, MASK).replace(AUTHORIZATION, `$1 ${MASK}`);
}

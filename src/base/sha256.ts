/** The SHA-256 of a text in hexadecimal digits. Loads `node:crypto` when it is first asked: every command loads this room. */
export function sha256Of(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}

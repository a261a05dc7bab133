import { didYouMean, EchelonError } from '../../base/index.ts';
import {
  describeRef,
  type OnSecret,
  type SecretFields,
  type SecretReader,
  type SecretRef,
  secretNotFound,
} from './secret-reader.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The value that a reference stands for, decoded. */
export async function secretField(reader: SecretReader, ref: SecretRef): Promise<string> {
  const fields = await reader.read(ref);
  const value = fields.get(ref.field);
  if (value === undefined) {
    const hint = didYouMean(ref.field, fields.keys(), 'correct the field of the reference, or add it to the secret');
    throw secretNotFound(ref, reader.name, hint);
  }
  if (ref.format !== 'base64') return value;
  const decoded = decodeBase64(value);
  if (decoded !== undefined) return decoded;
  throw new EchelonError({
    code: 'SECRET_NOT_BASE64',
    message: `${describeRef(ref)}, in ${reader.name} is not valid base64 text`,
    hint: 'store it in base64, or remove format: base64 from the reference',
  });
}

/** Tells all values, and what the reference makes of its own. An empty one is no secret. */
export function tellSecrets(fields: SecretFields, ref: SecretRef, onSecret: OnSecret | undefined): SecretFields {
  if (onSecret === undefined) return fields;
  const own = ref.format === 'base64' ? decodeBase64(fields.get(ref.field) ?? '') : undefined;
  for (const value of [...fields.values(), own]) {
    if (value) onSecret(value);
  }
  return fields;
}

/** Line breaks and blanks are not part of it; undefined when it is not base64 of UTF-8. */
function decodeBase64(value: string): string | undefined {
  const packed = value.replace(/\s+/g, '');
  if (!BASE64.test(packed)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(packed, 'base64'));
  } catch {
    return undefined;
  }
}

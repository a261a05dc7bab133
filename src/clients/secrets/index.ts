export { openSecrets } from './open-secrets.ts';
export { secretField } from './secret-field.ts';

export { endOf, killGroup } from './child.ts';
export { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

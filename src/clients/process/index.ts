export { endOf, killGroup } from './child.ts';
export { freePort } from './free-port.ts';
export { collectEarly } from './heap.ts';
export { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

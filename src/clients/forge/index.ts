export { isForgeConfigured, openForge } from './open-forge.ts';
export { resolveRefByForge } from './resolve-ref.ts';

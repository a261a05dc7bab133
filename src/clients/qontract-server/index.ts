export { type QontractClient, type QontractClientOptions, qontractClient } from './client.ts';

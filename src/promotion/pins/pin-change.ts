/** The change of one shard's pin. */
export interface PinChange {
  readonly integration: string;
  readonly environment: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly shard: string;
  readonly action: 'pin' | 'repin' | 'unpin' | 'keep';
  /** The image that the shard was pinned to. */
  readonly from?: string;
  /** The image that it will be pinned to. */
  readonly to?: string;
}

/** Names to which a listing is narrowed; all by default. */
export interface ListingFilters {
  readonly environment?: readonly string[];
  readonly integration?: readonly string[];
}

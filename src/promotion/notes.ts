/** A warning to review before a promotion is merged. */
export interface Note {
  /** Stable kebab-case name. */
  readonly rule:
    | 'rollback'
    | 'history-unknown'
    | 'promote-schemas-first'
    | 'not-covered'
    | 'stale-digest'
    | 'empty-digest'
    | 'digest-needed'
    | 'image-missing'
    | 'follows-branch'
    | 'optional-missing'
    | 'old-pin'
    | 'cron-pin'
    | 'pin-not-merged'
    | 'no-final-newline';
  readonly message: string;
  readonly hint: string;
  /** `data/x.yml:12` */
  readonly at?: string;
}

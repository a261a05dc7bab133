/** Names that users may write instead of a schedule. */
const SCHEDULE_PRESETS: Readonly<Record<string, string>> = {
  /** Monday to Thursday, so that nothing is left over for the weekend. */
  weekdays: '* * * * 1-4',
  anytime: '* * * * *',
};

/** The schedule that a preset stands for; anything else is a schedule already. */
export function expandSchedule(schedule: string): string {
  const name = schedule.trim();
  return Object.hasOwn(SCHEDULE_PRESETS, name) ? (SCHEDULE_PRESETS[name] ?? schedule) : schedule;
}

import type { WorkspaceSettings } from '@ratchet/contracts/dashboard/settings'

type Logging = WorkspaceSettings['logging']
export type LoggingChange = Partial<Logging>

interface Question {
  readonly title: string
  readonly text: string
  readonly verb: string
  /** Present when exchanges older than so many days are deleted. */
  readonly deletesAfterDays?: number
}

/** What to ask before a change of logging; null for a change that destroys and stops nothing. */
export function questionBefore({ enabled, retention_days: days }: Logging, change: LoggingChange): Question | null {
  if (enabled && change.enabled === false) {
    return {
      title: 'Turn logging off?',
      text: 'Evals, reviews and judges receive no new exchanges. What is stored stays until its time is over.',
      verb: 'Turn off',
    }
  }
  if (change.retention_days !== undefined && change.retention_days < days) {
    return {
      title: `Store for ${change.retention_days} days only?`,
      text: `Exchanges older than ${change.retention_days} days are deleted within the hour, and this cannot be undone. Datasets and grades stay.`,
      verb: 'Delete older exchanges',
      deletesAfterDays: change.retention_days,
    }
  }
  return null
}

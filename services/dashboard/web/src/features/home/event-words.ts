import type { WorkspaceEvent } from '@ratchet/contracts/dashboard/events'
import { publicId } from '@ratchet/contracts/public-id'
import { countOf } from '../../kit/numbers.ts'
import type { State } from '../../kit/state-mark.tsx'

export interface EventWords {
  readonly state: State
  readonly text: string
  /** Path below the workspace. */
  readonly path: string
  /** What is open on that page. */
  readonly search?: Readonly<Record<string, string>>
}

/** What happened, in a sentence. */
export function eventWords({ id, kind, name, judge_id: judge, requests }: WorkspaceEvent): EventWords {
  const alias = `aliases/${name}`
  const scans =
    judge === null ? { path: 'judges' } : { path: `judges/${judge}/scans`, search: { scan: publicId('scan', id) } }
  switch (kind) {
    case 'alias.promote':
      return { state: 'proven', text: `Alias ${name}: the canary was proven and promoted.`, path: alias }
    case 'alias.rollback':
      return { state: 'wrong', text: `Alias ${name}: the gate rolled the canary back.`, path: alias }
    case 'alias.family_rollback':
      return { state: 'wrong', text: `Alias ${name}: the gate rolled the canary back for one family.`, path: alias }
    case 'scan.done':
      return { state: 'proven', text: `Judge ${name}: a scan is finished.`, ...scans }
    case 'scan.failed':
      return { state: 'wrong', text: `Judge ${name}: a scan failed.`, ...scans }
    case 'log.lost': {
      const what = countOf(requests ?? 0, 'request is', 'requests are')
      return { state: 'wrong', text: `${what} charged and missing in the log, found on ${name}.`, path: 'logs' }
    }
    case 'catalog.stale':
      return {
        state: 'wrong',
        text: `Prices of models that you use were read on ${name}; providers may have changed them.`,
        path: 'billing/usage',
      }
  }
}

import type { WorkspaceEvent } from '@ratchet/contracts/dashboard/events'
import { publicId } from '@ratchet/contracts/public-id'
import { type Mail, plainName } from './mail.ts'
import type { OwnerNotice } from './owner-mails.ts'

/** Something that happened by itself: a gate decided, a scan ended, or requests did not arrive in the log. */
export interface EventNotice extends OwnerNotice {
  readonly kind: WorkspaceEvent['kind']
  readonly name: string
  readonly judgeId: string | null
  readonly requests: number | null
}

interface Words {
  readonly subject: string
  readonly text: string
  /** Path below the workspace. */
  readonly page: string
}

/** @param origin of the dashboard */
export function mailOfEvent(origin: string, notice: EventNotice): Mail {
  const { subject, text, page } = wordsOf[notice.kind](notice)
  const body = `${text.replace('WORKSPACE', plainName(notice.workspace))}

${origin}/w/${notice.slug}/${page}
`
  return { to: notice.email, subject, text: body }
}

const wordsOf: Readonly<Record<WorkspaceEvent['kind'], (notice: EventNotice) => Words>> = {
  'alias.promote': ({ name }) => ({
    subject: `The alias ${plainName(name)} is promoted`,
    text: `The canary of the alias ${plainName(name)} of the workspace WORKSPACE was proven, and its gate made it the target.`,
    page: `aliases/${name}/audit`,
  }),
  'alias.rollback': ({ name }) => ({
    subject: `The alias ${plainName(name)} is rolled back`,
    text: `The gate of the alias ${plainName(name)} of the workspace WORKSPACE rolled its canary back. All requests go to the target again.`,
    page: `aliases/${name}/audit`,
  }),
  'alias.family_rollback': ({ name }) => ({
    subject: `A family of the alias ${plainName(name)} is rolled back`,
    text: `The gate of the alias ${plainName(name)} of the workspace WORKSPACE rolled its canary back for one family of prompts.`,
    page: `aliases/${name}/audit`,
  }),
  'scan.done': (notice) => ({
    subject: `The scan by ${plainName(notice.name)} is finished`,
    text: `The scan that you started with the judge ${plainName(notice.name)} of the workspace WORKSPACE is finished.`,
    page: scanPage(notice),
  }),
  'scan.failed': (notice) => ({
    subject: `The scan by ${plainName(notice.name)} failed`,
    text: `The scan that you started with the judge ${plainName(notice.name)} of the workspace WORKSPACE failed. The page says why.`,
    page: scanPage(notice),
  }),
  'log.lost': ({ requests }) => ({
    subject: 'Requests are missing in the log',
    text: `Requests of the workspace WORKSPACE were answered and charged, and did not arrive in the log: ${requests ?? 0} when this was found. Charges are right. Judges and evals do not see these requests.`,
    page: 'logs',
  }),
}

function scanPage({ judgeId }: EventNotice): string {
  return judgeId === null ? 'judges' : `judges/${publicId('criterion', judgeId)}/scans`
}

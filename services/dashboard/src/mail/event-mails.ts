import type { WorkspaceEvent } from '@ratchet/contracts/dashboard/events'
import { publicId } from '@ratchet/contracts/public-id'
import { type Mail, plainName } from './mail.ts'
import type { OwnerNotice } from './owner-mails.ts'

/** Something that happened by itself: a gate decided, a scan ended, requests did not arrive in the log, or prices
 * are old. */
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
  const names = { name: plainName(notice.name), workspace: plainName(notice.workspace) }
  const { subject, text, page } = wordsOf[notice.kind](names, notice)
  return { to: notice.email, subject, text: `${text}\n\n${origin}/w/${notice.slug}/${page}\n` }
}

interface Names {
  readonly name: string
  readonly workspace: string
}

const wordsOf: Readonly<Record<WorkspaceEvent['kind'], (names: Names, notice: EventNotice) => Words>> = {
  'alias.promote': ({ name, workspace }, notice) => ({
    subject: `The alias ${name} is promoted`,
    text: `The canary of the alias ${name} of the workspace ${workspace} was proven, and its gate made it the target.`,
    page: aliasPage(notice),
  }),
  'alias.rollback': ({ name, workspace }, notice) => ({
    subject: `The alias ${name} is rolled back`,
    text: `The gate of the alias ${name} of the workspace ${workspace} rolled its canary back. All requests go to the target again.`,
    page: aliasPage(notice),
  }),
  'alias.family_rollback': ({ name, workspace }, notice) => ({
    subject: `A family of the alias ${name} is rolled back`,
    text: `The gate of the alias ${name} of the workspace ${workspace} rolled its canary back for one family of prompts.`,
    page: aliasPage(notice),
  }),
  'scan.done': ({ name, workspace }, notice) => ({
    subject: `The scan by ${name} is finished`,
    text: `The scan that you started with the judge ${name} of the workspace ${workspace} is finished.`,
    page: scanPage(notice),
  }),
  'scan.failed': ({ name, workspace }, notice) => ({
    subject: `The scan by ${name} failed`,
    text: `The scan that you started with the judge ${name} of the workspace ${workspace} failed. The page says why.`,
    page: scanPage(notice),
  }),
  'log.lost': ({ workspace }, { requests }) => ({
    subject: `Requests of ${workspace} are missing in the log`,
    text: `Requests of the workspace ${workspace} were answered and charged, and did not arrive in the log: ${requests ?? 0} when this was found. Charges are right. Judges and evals do not see these requests.`,
    page: 'logs',
  }),
  'catalog.stale': ({ name, workspace }) => ({
    subject: `Prices that ${workspace} pays are old`,
    text: `Prices of models that the workspace ${workspace} used in the last month were read on ${name}. Providers may have changed them. Whoever runs the installation compares them with \`ratchet catalog diff\`.`,
    page: 'billing/usage',
  }),
}

function aliasPage({ name }: EventNotice): string {
  return `aliases/${encodeURIComponent(name)}/audit`
}

function scanPage({ judgeId, subjectId }: EventNotice): string {
  if (judgeId === null) return 'judges'
  return `judges/${publicId('criterion', judgeId)}/scans?scan=${publicId('scan', subjectId)}`
}

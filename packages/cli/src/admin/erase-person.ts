import { randomUUID } from 'node:crypto'
import { erasureCounts } from '@ratchet/contracts/dashboard/erasures'
import { erasingServices, passes } from '@ratchet/contracts/erasure-passes'
import { recordOperatorChange } from '@ratchet/db/operator-audit'
import {
  beginErasure,
  confirmErasure,
  findErasure,
  findOpenErasure,
  type StoredErasure,
} from '@ratchet/db/person-erasures'
import { endUserId } from '@ratchet/service-kit/values/end-user-id'
import { InvalidArgumentError } from 'commander'
import { type Answer, formatTable } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseSlug, parseText } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow, workspaceOf } from './admin-commands.ts'

interface Options {
  readonly workspace: string
  readonly user: string
  readonly preview?: true
  readonly confirm?: true
  readonly wait: number
}

export function erasePerson({ admin, run }: AdminCommands): void {
  admin
    .command('erase-person')
    .description(
      'Count what belongs to an end user of an application (--preview), or erase it (--confirm). The running services do the work; the command shows it, and can be repeated.',
    )
    .requiredOption('--workspace <slug>', 'the workspace of the application', parseSlug)
    .requiredOption('--user <name>', 'as requests name the end user', parseText)
    .option('--preview', 'only count')
    .option('--confirm', 'erase. It cannot be undone')
    .option('--wait <seconds>', 'for so long; the work goes on afterwards. 0: only begin', parseSeconds, 3_600)
    .action((options: Options) => run((deps) => work(deps, options)))
}

function parseSeconds(value: string): number {
  if (/^\d{1,5}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Expected 0 to 99999 seconds.')
}

const pollMs = 1_000

async function work(deps: AdminDeps, { workspace: slug, user, preview, confirm, wait }: Options): Promise<Answer> {
  if ((preview === true) === (confirm === true)) {
    throw new CliError('expected either --preview or --confirm', { exitCode: 2 })
  }
  const workspace = await workspaceOf(deps, slug)
  const until = deps.now().getTime() + wait * 1_000
  const watch = (id: string, isOver: (state: string) => boolean) =>
    watchUntil(deps, workspace.id, { id, isOver, until })
  const { id } =
    (await findOpenErasure(deps.db, { workspaceId: workspace.id, person: user })) ??
    (await begin(deps, workspace.id, user))
  const found = await watch(id, (state) => state !== 'finding')
  if (preview === true || found.state === 'finding') return answerOf(slug, found, wait)
  if (found.state === 'found') await confirmIt(deps, { workspaceId: workspace.id, id, person: user })
  return answerOf(slug, await watch(id, (state) => state === 'done' || state === 'cancelled'), wait)
}

async function begin(deps: AdminDeps, workspaceId: string, person: string): Promise<{ readonly id: string }> {
  const { id, at } = newRow(deps)
  const erasure = { id, workspaceId, kind: 'end_user' as const, person, personId: endUserId(workspaceId, person) }
  const begun = await deps.db.$transaction(async (tx) => {
    const isNew = await beginErasure(
      tx,
      { ...erasure, pseudonym: randomUUID(), requestedBy: null, at },
      erasingServices,
    )
    if (isNew) await record(deps, tx, { workspaceId, id, action: 'person.erasure_requested' })
    return isNew
  })
  if (!begun) throw new CliError('somebody else has just begun to erase this end user; repeat the command')
  return { id }
}

async function confirmIt(
  deps: AdminDeps,
  { workspaceId, id, person }: { readonly workspaceId: string; readonly id: string; readonly person: string },
): Promise<void> {
  const confirmation = { id, workspaceId, person, confirmedBy: null, at: deps.now(), pass: passes.lastFinding + 1 }
  await deps.db.$transaction(async (tx) => {
    if (await confirmErasure(tx, confirmation)) {
      await record(deps, tx, { workspaceId, id, action: 'person.erasure_confirmed' })
    }
  })
}

async function record(
  deps: AdminDeps,
  tx: Parameters<typeof recordOperatorChange>[0],
  { id: subject, ...change }: Pick<Parameters<typeof recordOperatorChange>[1], 'workspaceId' | 'action' | 'id'>,
): Promise<void> {
  await recordOperatorChange(tx, { ...newRow(deps), ...change, subject, before: null, after: null })
}

interface Watch {
  readonly id: string
  readonly isOver: (state: string) => boolean
  readonly until: number
}

async function watchUntil(deps: AdminDeps, workspaceId: string, { id, isOver, until }: Watch): Promise<StoredErasure> {
  for (let shown = ''; ; ) {
    const erasure = await findErasure(deps.db, { workspaceId, id })
    if (erasure === null) throw new CliError('the workspace was deleted meanwhile')
    const line = progressLine(erasure)
    if (line !== shown) deps.stderr(`${line}\n`)
    shown = line
    if (isOver(erasure.state) || deps.now().getTime() >= until) return erasure
    await deps.sleep(pollMs, AbortSignal.timeout(pollMs * 10))
  }
}

function progressLine({ state, pass, parts }: StoredErasure): string {
  const done = parts.filter((part) => part.pass >= pass).length
  const waits = parts.flatMap(({ service, waitsFor }) => (waitsFor === null ? [] : [`${service} waits: ${waitsFor}`]))
  return [`${state}: round ${pass} of ${passes.last}, ${done} of ${parts.length} services`, ...waits].join('; ')
}

function answerOf(slug: string, erasure: StoredErasure, wait: number): Answer {
  const { id, state, receipt, receiptSha256, parts } = erasure
  const which = state === 'erasing' || state === 'done' ? 'erased' : 'found'
  const counts = erasureCounts(parts, which)
  const rows = counts.map(({ service, kind, count }) => [service, kind, String(count)])
  const isOver = state === 'found' || state === 'done' || wait === 0
  return {
    json: {
      workspace: slug,
      id,
      state,
      [which]: counts,
      receipt: receipt === null ? null : JSON.parse(receipt),
      receipt_sha256: receiptSha256,
    },
    text: [
      rows.length === 0 ? 'nothing was found' : formatTable([['SERVICE', 'KIND', which.toUpperCase()], ...rows]),
      ...(receiptSha256 === null ? [] : ['', `receipt ${id}`, `SHA-256 ${receiptSha256}`]),
    ].join('\n'),
    ...(isOver
      ? {}
      : { note: 'The services have not ended this. Repeat the command to see how it goes on.', exitCode: 1 as const }),
  }
}

import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import { type GradeKey, gradeKeyText, type NewLabel } from './label.ts'
import type { AddedLabel } from './label-queries.ts'
import { rowOf } from './pg-label-row.ts'
import { storeSnapshots } from './pg-store-snapshots.ts'

export interface AddOptions {
  readonly skipsKnown: boolean
  /** Grades in force of one judge, and of whole exchanges, at most. */
  readonly maxInForce?: number
}

/** All grades of a judge are in memory while its figures are computed. */
const defaultMaxInForce = 100_000

/**
 * Adds grades in one transaction, under a lock of the workspace. Without it two writers could supersede the same grade,
 * which the unique index on grades in force refuses.
 *
 * @throws ServiceError `quota_exceeded` when they do not fit into the storage quota of the workspace, or a judge would have
 *   too many
 */
export function addLabels(
  pool: Pool,
  labels: readonly NewLabel[],
  options: AddOptions,
): Promise<readonly AddedLabel[]> {
  return labels.length === 0
    ? Promise.resolve([])
    : inTransaction(pool, (client) => addLabelsIn(client, labels, options))
}

/** Distinguishes this advisory lock from others. */
const lockSeed = 7_267_101

/** Lets no other process add grades of the workspace until the transaction ends. */
export async function lockLabels(client: PoolClient, workspaceId: string): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [workspaceId, lockSeed])
}

/** The same in a transaction of the caller. */
export async function addLabelsIn(
  client: PoolClient,
  labels: readonly NewLabel[],
  { skipsKnown, maxInForce = defaultMaxInForce }: AddOptions,
): Promise<readonly AddedLabel[]> {
  const workspaceId = labels[0]?.workspaceId ?? ''
  await lockLabels(client, workspaceId)
  const snapshotIds = await storeSnapshots(client, workspaceId, labels)
  const inForce = await findInForce(client, workspaceId, labels)
  const isKnown = (label: NewLabel) => skipsKnown && isEqual(label, inForce.get(gradeKeyText(label)))
  const successions = successionsOf(
    labels.filter((label) => !isKnown(label)),
    inForce,
  )
  await requireRoom(client, successions, maxInForce)
  await supersede(client, successions)
  const rows = successions.map(({ label, supersededBy }) =>
    rowOf(label, { snapshotId: snapshotIds.get(label.snapshot.sha256) ?? missingSnapshot(), supersededBy }),
  )
  const text = 'INSERT INTO label SELECT * FROM json_populate_recordset(NULL::label, $1)'
  await withinQuota(() => client.query(text, [JSON.stringify(rows)]))
  const added = new Map(successions.map((each) => [each.label, each]))
  return labels.map((label): AddedLabel => {
    const succession = added.get(label)
    return succession === undefined ? { kind: 'known' } : { kind: 'created', supersedes: succession.supersedes }
  })
}

/** A new grade with its predecessor and its successor. */
interface Succession {
  readonly label: NewLabel
  readonly supersedes: boolean
  /** Id of the stored grade that this one supersedes; null for none. */
  readonly former: string | null
  readonly supersededBy: string | null
}

/** Several grades with one key supersede each other in order. */
function successionsOf(labels: readonly NewLabel[], inForce: ReadonlyMap<string, InForce>): readonly Succession[] {
  return [...Map.groupBy(labels, gradeKeyText)].flatMap(([key, chain]) =>
    chain.map((label, index) => {
      const former = index === 0 ? (inForce.get(key)?.id ?? null) : null
      const supersededBy = chain[index + 1]?.id ?? null
      return { label, former, supersededBy, supersedes: index > 0 || former !== null }
    }),
  )
}

/** In `grades_in_force`, grades without a judge have this id. */
const noJudge = '00000000-0000-0000-0000-000000000000'

/** @throws ServiceError `quota_exceeded` when a judge would have more grades in force than it may */
async function requireRoom(client: PoolClient, successions: readonly Succession[], max: number): Promise<void> {
  const additional = successions.filter(({ supersedes }) => !supersedes).map(({ label }) => label)
  if (additional.length === 0) return
  const byJudge = Map.groupBy(additional, ({ criterionId }) => criterionId ?? noJudge)
  const text = `SELECT criterion_id, grades FROM grades_in_force
    WHERE workspace_id = $1 AND criterion_id = ANY($2::uuid[])`
  const values = [additional[0]?.workspaceId ?? null, [...byJudge.keys()]]
  const { rows } = await client.query<Pick<Row<'gradesInForce'>, 'criterion_id' | 'grades'>>(text, values)
  const inForce = new Map(rows.map(({ criterion_id: criterionId, grades }) => [criterionId, grades]))
  if ([...byJudge].every(([judge, labels]) => (inForce.get(judge) ?? 0) + labels.length <= max)) return
  const message = `A judge has at most ${max} grades of its own, and there are at most ${max} without a judge.`
  throw new ServiceError('quota_exceeded', message)
}

function missingSnapshot(): never {
  throw new Error('a snapshot is missing, although snapshots are never deleted')
}

interface InForce {
  readonly id: string
  readonly item_key: string
  readonly grader_id: string
  readonly label: NewLabel['label']
  readonly rationale: string | null
  readonly sampling_probability: number | null
  readonly sha256: string
}

function isEqual(label: NewLabel, former: InForce | undefined): boolean {
  return (
    former !== undefined &&
    former.label === label.label &&
    former.rationale === label.rationale &&
    former.sampling_probability === (label.sampling?.probability ?? null) &&
    former.sha256 === label.snapshot.sha256
  )
}

async function findInForce(client: PoolClient, workspaceId: string, labels: readonly NewLabel[]) {
  const found = new Map<string, InForce>()
  const byCriterion = Map.groupBy(labels, ({ criterionId }) => criterionId ?? '')
  for (const [criterion, requested] of byCriterion) {
    const criterionId = criterion === '' ? null : criterion
    const text = inForceStatement(criterionId === null ? 'IS NULL' : '= $4')
    const keys = [requested.map(({ itemKey }) => itemKey), requested.map(({ graderId }) => graderId)]
    const values = [workspaceId, ...keys, ...(criterionId === null ? [] : [criterionId])]
    const { rows } = await client.query<InForce>(text, values)
    for (const row of rows) found.set(keyOf(row, criterionId), row)
  }
  return found
}

function keyOf({ item_key: itemKey, grader_id: graderId }: InForce, criterionId: GradeKey['criterionId']): string {
  return gradeKeyText({ criterionId, itemKey, graderId })
}

/** One look-up for each key: as a join, the database may read all grades of the judge while the workspace is locked. */
function inForceStatement(isCriterion: string): string {
  return `
    SELECT l.id, l.item_key, l.grader_id, l.label, l.rationale, l.sampling_probability, s.sha256
    FROM unnest($2::text[], $3::text[]) AS key(item_key, grader_id)
      CROSS JOIN LATERAL (
        SELECT o.* FROM label o
        WHERE o.workspace_id = $1 AND o.criterion_id ${isCriterion} AND o.superseded_by IS NULL
          AND o.item_key = key.item_key AND o.grader_id = key.grader_id LIMIT 1
      ) l
      JOIN label_snapshot s ON s.id = l.snapshot_id`
}

async function supersede(client: PoolClient, successions: readonly Succession[]): Promise<void> {
  const superseding = successions.filter(({ former }) => former !== null)
  if (superseding.length === 0) return
  const text = `UPDATE label l SET superseded_by = o.by
    FROM unnest($1::uuid[], $2::uuid[]) AS o(id, by) WHERE l.id = o.id`
  await client.query(text, [superseding.map(({ former }) => former), superseding.map(({ label }) => label.id)])
}

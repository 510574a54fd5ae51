import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { createRecentMap } from '@ratchet/service-kit/values/recent-map'
import { createFamilyMiner, type FamilyMiner, type FoundFamily } from './family-miner.ts'
import type { FamilyState } from './family-state.ts'
import { NO_SEGMENT } from './segment-exact.ts'

/** A system prompt of a workspace; empty when the request has none. */
export interface Prompt {
  readonly workspaceId: string
  readonly systemPrompt: string
}

export interface AssignedSegment {
  readonly segment: string
  readonly segmentExact: string
}

interface Known {
  readonly miner: FamilyMiner
  /** Revision of the last change that the miner has read. */
  revision: string
}

type FamilyRow = Pick<Row<'segmentFamily'>, 'workspace_id' | 'id' | 'label' | 'state' | 'revision'>

type StoredState = Omit<FamilyState, 'id' | 'label'>

const none: AssignedSegment = { segment: NO_SEGMENT, segmentExact: NO_SEGMENT }
/** Workspaces whose families are cached. */
const maxKnown = 500

export type SegmentFamilies = ReturnType<typeof createSegmentFamilies>

/** Assigns prompts to the families of their workspaces. Because of a lock per workspace, one process does so at a time. */
export function createSegmentFamilies() {
  let known = createRecentMap<Known>(maxKnown)
  return {
    /** Locks the workspaces until the transaction ends, and stores changed families within it. */
    async assign(client: PoolClient, prompts: readonly Prompt[]): Promise<readonly AssignedSegment[]> {
      const workspaceIds = [...new Set(prompts.filter(hasPrompt).map(({ workspaceId }) => workspaceId))]
      if (workspaceIds.length === 0) return prompts.map(() => none)
      await client.query(lockWorkspaces(workspaceIds))
      const families = new Map(workspaceIds.map((id) => [id, known.get(id) ?? nothingKnown()]))
      for (const [id, each] of families) known.set(id, each)
      await readChanges(client, families)
      const changes = new Map<string, Change>()
      const assigned = prompts.map(({ workspaceId, systemPrompt }) => {
        const miner = families.get(workspaceId)?.miner
        if (miner === undefined) return none
        const { familyId, exact, changed } = miner.assign(systemPrompt)
        if (changed !== null) changes.set(`${workspaceId} ${changed.id}`, { workspaceId, family: changed })
        return { segment: familyId, segmentExact: exact }
      })
      await save(client, families, [...changes.values()])
      return assigned
    },
    /** Discards the families in memory after a failed transaction, because they may not have been stored. */
    reset() {
      known = createRecentMap(maxKnown)
    },
  }
}

export type FindFamily = (prompt: Prompt) => Promise<FoundFamily>

/** Finds the family that the next exchange with a prompt will have, by the families that are stored now. Stores nothing. */
export function createFindFamily(pool: Pick<Pool, 'query'>): FindFamily {
  // Its own miners: those of `createSegmentFamilies` may know families whose transaction has not ended.
  const known = createRecentMap<Known>(maxKnown)
  const reading = new Map<string, Promise<void>>()
  const refresh = (workspaceId: string, own: Known) => {
    const read = readChanges(pool, new Map([[workspaceId, own]])).finally(() => reading.delete(workspaceId))
    reading.set(workspaceId, read)
    return read
  }
  return async ({ workspaceId, systemPrompt }) => {
    const own = known.get(workspaceId) ?? nothingKnown()
    known.set(workspaceId, own)
    // Requests come many at a time, and all of them read the same changes.
    await (reading.get(workspaceId) ?? refresh(workspaceId, own))
    return own.miner.find(systemPrompt)
  }
}

function hasPrompt({ systemPrompt }: Prompt): boolean {
  return systemPrompt !== ''
}

function nothingKnown(): Known {
  return { miner: createFamilyMiner([]), revision: '0' }
}

/** Locks in ascending order, so that two processes never wait for each other. */
function lockWorkspaces(workspaceIds: readonly string[]) {
  return {
    name: 'logging-lock-families',
    text: `
      SELECT pg_advisory_xact_lock(740231503, key)
      FROM (SELECT DISTINCT hashtext(id) AS key FROM unnest($1::text[]) AS id ORDER BY 1) keys`,
    values: [workspaceIds],
  }
}

async function readChanges(client: Pick<Pool, 'query'>, families: ReadonlyMap<string, Known>): Promise<void> {
  const { rows } = await client.query<FamilyRow>({
    name: 'logging-read-families',
    text: `
      SELECT f.workspace_id, f.id, f.label, f.state, f.revision
      FROM unnest($1::uuid[], $2::bigint[]) AS known(workspace_id, revision)
      JOIN segment_family f ON f.workspace_id = known.workspace_id AND f.revision > known.revision
      ORDER BY f.founding`,
    values: [[...families.keys()], [...families.values()].map(({ revision }) => revision)],
  })
  for (const { workspace_id, id, label, state, revision } of rows) {
    const each = families.get(workspace_id)
    each?.miner.absorb({ id, label, ...(JSON.parse(state) as StoredState) })
    moveOn(each, revision)
  }
}

interface Change {
  readonly workspaceId: string
  readonly family: FamilyState
}

async function save(client: PoolClient, families: ReadonlyMap<string, Known>, changes: readonly Change[]) {
  if (changes.length === 0) return
  const { rows } = await client.query<Pick<FamilyRow, 'workspace_id' | 'revision'>>({
    name: 'logging-save-families',
    text: `
      INSERT INTO segment_family (workspace_id, id, label, state)
      SELECT workspace_id, id, label, state
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
        AS f(workspace_id, id, label, state, place)
      ORDER BY place
      ON CONFLICT (workspace_id, id) DO UPDATE SET state = EXCLUDED.state, revision = EXCLUDED.revision
      RETURNING workspace_id, revision`,
    values: [
      changes.map(({ workspaceId }) => workspaceId),
      changes.map(({ family }) => family.id),
      changes.map(({ family }) => family.label.replaceAll('\0', '')),
      changes.map(({ family: { units, seen, patterns, tasks } }) => JSON.stringify({ units, seen, patterns, tasks })),
    ],
  })
  for (const { workspace_id, revision } of rows) moveOn(families.get(workspace_id), revision)
}

function moveOn(known: Known | undefined, revision: string): void {
  if (known !== undefined && BigInt(revision) > BigInt(known.revision)) known.revision = revision
}

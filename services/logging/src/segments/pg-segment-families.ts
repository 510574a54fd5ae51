import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import {
  createFamilyMiner,
  type FamilyMiner,
  type FoundFamily,
  normalizedPrompt,
  type ReadPrompt,
} from './family-miner.ts'
import type { FamilyState } from './family-state.ts'
import { NO_SEGMENT } from './segment-exact.ts'
import type { SkeletonReader } from './skeleton-reader.ts'

/** A system prompt of a workspace; empty when the request has none. */
export interface Prompt {
  readonly workspaceId: string
  readonly systemPrompt: string
}

export interface AssignedSegment {
  readonly segment: string
  readonly segmentExact: string
}

/** A prompt with what `assign` needs of it. */
export interface PreparedPrompt extends ReadPrompt {
  readonly workspaceId: string
}

interface Known {
  readonly miner: FamilyMiner
  /** Revision of the last change that the miner has read. */
  revision: string
}

type FamilyRow = Pick<Row<'segmentFamily'>, 'workspace_id' | 'id' | 'label' | 'state' | 'revision'>

type StoredState = Omit<FamilyState, 'id' | 'label'>

const none: AssignedSegment = { segment: NO_SEGMENT, segmentExact: NO_SEGMENT }
/** New prompts that are placed until other work gets a turn: 10 ms at most. */
const placedInTurn = 10

/** Stored families that are read until other work gets a turn. */
const readInTurn = 100

export type SegmentFamilies = ReturnType<typeof createSegmentFamilies>

/** Assigns prompts to the families of their workspaces. Because of a lock per workspace, one process does so at a time. */
export function createSegmentFamilies(reader: SkeletonReader) {
  let known = createKnownFamilies()
  const prepareOne = async ({ workspaceId, systemPrompt }: Prompt): Promise<PreparedPrompt> => {
    const prompt = normalizedPrompt(systemPrompt)
    const isKnown = prompt.text === '' || known.get(workspaceId)?.miner.remembers(prompt) === true
    return {
      workspaceId,
      ...prompt,
      skeleton: isKnown ? undefined : await reader.read({ workspaceId, text: prompt.lined }),
    }
  }
  return {
    /**
     * Reads the skeletons of prompts, which may take long, before `assign` locks the workspaces.
     *
     * @throws ServiceError `service_unavailable` when prompts of the workspace wait too long
     */
    async prepare(prompts: readonly Prompt[]): Promise<readonly PreparedPrompt[]> {
      const prepared = new Map<Prompt, PreparedPrompt>()
      // Workspaces at the same time, so that each has its turns, and the prompts of one after another.
      const ofWorkspaces = Map.groupBy(prompts, ({ workspaceId }) => workspaceId).values()
      const prepareAll = async (some: readonly Prompt[]) => {
        const read = new Map<string, PreparedPrompt>()
        for (const prompt of some) {
          const same = read.get(prompt.systemPrompt) ?? (await prepareOne(prompt))
          prepared.set(prompt, same)
          read.set(prompt.systemPrompt, same)
          if (read.size % placedInTurn === 0) await nextTurn()
        }
      }
      await Promise.all([...ofWorkspaces].map(prepareAll))
      return prompts.flatMap((prompt) => prepared.get(prompt) ?? [])
    },
    /** Locks the workspaces until the transaction ends, and stores changed families within it. */
    async assign(client: PoolClient, prompts: readonly PreparedPrompt[]): Promise<readonly AssignedSegment[]> {
      const workspaceIds = [...new Set(prompts.filter(hasPrompt).map(({ workspaceId }) => workspaceId))]
      if (workspaceIds.length === 0) return prompts.map(() => none)
      await client.query(lockWorkspaces(workspaceIds))
      const families = new Map(workspaceIds.map((id) => [id, known.get(id) ?? nothingKnown()]))
      await readChanges(client, families)
      const { assigned, changes } = await assignAll(families, prompts)
      await save(client, families, changes)
      for (const [id, each] of families) known.set(id, each)
      return assigned
    },
    /** Discards the families in memory after a failed transaction, because they may not have been stored. */
    reset() {
      known = createKnownFamilies()
    },
  }
}

async function assignAll(families: ReadonlyMap<string, Known>, prompts: readonly PreparedPrompt[]) {
  const changes = new Map<string, Change>()
  const assigned: AssignedSegment[] = []
  let placed = 0
  for (const { workspaceId, ...prompt } of prompts) {
    const miner = families.get(workspaceId)?.miner
    const isNew = miner?.remembers(prompt) === false
    // Without its skeleton the prompt is read here, because its family was forgotten meanwhile.
    if (isNew) placed += prompt.skeleton === undefined ? placedInTurn : 1
    if (placed >= placedInTurn) {
      placed = 0
      await nextTurn()
    }
    const { familyId, changed } = miner?.assign(prompt) ?? { familyId: NO_SEGMENT, changed: null }
    if (changed !== null) changes.set(`${workspaceId} ${changed.id}`, { workspaceId, family: changed })
    assigned.push(prompt.text === '' ? none : { segment: familyId, segmentExact: prompt.exact })
  }
  return { assigned, changes: [...changes.values()] }
}

export type FindFamily = (prompt: Prompt) => Promise<FoundFamily>

/**
 * Finds the family that the next exchange with a prompt will have, by the families that are stored now. Stores nothing.
 * Throws ServiceError `service_unavailable` when prompts of the workspace wait too long.
 */
export function createFindFamily(pool: Pick<Pool, 'query'>, reader: SkeletonReader): FindFamily {
  // Its own miners: those of `createSegmentFamilies` may know families whose transaction has not ended.
  const known = createKnownFamilies()
  const reading = new Map<string, Promise<Known>>()
  const read = async (workspaceId: string) => {
    const own = known.get(workspaceId) ?? nothingKnown()
    await readChanges(pool, new Map([[workspaceId, own]]))
    known.set(workspaceId, own)
    return own
  }
  const refresh = (workspaceId: string) => {
    const changed = read(workspaceId).finally(() => reading.delete(workspaceId))
    reading.set(workspaceId, changed)
    return changed
  }
  return async ({ workspaceId, systemPrompt }) => {
    const prompt = normalizedPrompt(systemPrompt)
    const skeleton = prompt.text === '' ? undefined : await reader.read({ workspaceId, text: prompt.lined })
    // Requests come many at a time, and all of them read the same changes.
    const own = await (reading.get(workspaceId) ?? refresh(workspaceId))
    return own.miner.find({ ...prompt, skeleton })
  }
}

/** The families of workspaces that are kept in memory: of so many workspaces, and so much in all (about 100 MB). */
const maxWorkspaces = 500
const maxSize = 1_000_000

/**
 * Families by workspace. When they take too much memory, those of the largest workspace are forgotten, so that one with very
 * many families reads them again, not the others; when they are of too many, those of the workspace that was used least
 * recently.
 */
function createKnownFamilies() {
  const known = new Map<string, Known>()
  const forgetSome = () => {
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size > maxWorkspaces) known.delete(oldest)
    let size = [...known.values()].reduce((sum, { miner }) => sum + miner.size, 0)
    if (size <= maxSize) return
    for (const [id, { miner }] of [...known].sort(([, a], [, b]) => b.miner.size - a.miner.size)) {
      if (size <= maxSize) return
      known.delete(id)
      size -= miner.size
    }
  }
  return {
    get: (workspaceId: string): Known | undefined => known.get(workspaceId),
    /** To be called again after the families grew. */
    set(workspaceId: string, families: Known) {
      known.delete(workspaceId)
      known.set(workspaceId, families)
      forgetSome()
    },
  }
}

function hasPrompt({ text }: PreparedPrompt): boolean {
  return text !== ''
}

function nothingKnown(): Known {
  return { miner: createFamilyMiner([]), revision: '0' }
}

/** Locks in ascending order, so that two processes never wait for each other. */
export function lockWorkspaces(workspaceIds: readonly string[]) {
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
  for (const [index, { workspace_id, id, label, state, revision }] of rows.entries()) {
    if (index % readInTurn === readInTurn - 1) await nextTurn()
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
      ON CONFLICT (workspace_id, id) DO UPDATE
      SET label = EXCLUDED.label, state = EXCLUDED.state, revision = EXCLUDED.revision
      RETURNING workspace_id, revision`,
    values: [
      changes.map(({ workspaceId }) => workspaceId),
      changes.map(({ family }) => family.id),
      changes.map(({ family }) => family.label.replaceAll('\0', '')),
      changes.map(({ family: { id: _id, label: _label, ...state } }) => JSON.stringify(state)),
    ],
  })
  for (const { workspace_id, revision } of rows) moveOn(families.get(workspace_id), revision)
}

function moveOn(known: Known | undefined, revision: string): void {
  if (known !== undefined && BigInt(revision) > BigInt(known.revision)) known.revision = revision
}

import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { manifestOf } from '../attempts/pg-checkpoints.ts'
import type { ProbeAnswer } from '../fingerprints/compare-fingerprint.ts'
import type { AdapterState, PoolReplica, PoolVersion } from './pool.ts'
import type { PoolPlace, PoolStore } from './pool-store.ts'

/** The pool in Postgres. One worker at a time writes it. */
export function createPgPool(pool: Pool): PoolStore {
  const run = async (text: string, values: readonly unknown[]) => void (await pool.query(text, [...values]))
  const onPlace = (text: string, { replica, version }: PoolPlace, ...values: readonly unknown[]) =>
    run(text, [replica, version.workspaceId, version.id, ...values])
  return {
    async takeLease(worker, forMs) {
      return (await pool.query(leaseStatement, [worker, forMs])).rowCount === 1
    },
    releaseLease: (worker) => run('DELETE FROM pool_lease WHERE worker = $1', [worker]),
    async read() {
      const [replicas, versions] = await Promise.all([
        pool.query<ReplicaRow>(replicasStatement),
        pool.query<VersionRow>(versionsStatement),
      ])
      return { replicas: replicas.rows.map(replicaOf), versions: versions.rows.map(versionOf) }
    },
    keepBases: (bases, error) => run(keepBasesStatement, [bases, error]),
    addReplica: ({ name, baseModel }) => run(addReplicaStatement, [name, baseModel]),
    startReplica: (name, address, base) => run(startReplicaStatement, [name, address, probesText(base)]),
    loseReplica: (name) => run(loseReplicaStatement, [name]),
    removeReplica: (name) => run(removeReplicaStatement, [name]),
    load: (place) => onPlace(loadStatement, place, place.version.adapter),
    prove: (place, address) => onPlace(proveStatement, place, address),
    fail: (place, error) => onPlace(failStatement, place, error),
    leave: (place) => onPlace(moveStatement, place, 'leaving'),
    bringBack: (place) => onPlace(moveStatement, place, 'ready'),
    unloaded: (place) => onPlace(unloadedStatement, place),
    async versionToLoad({ replica, version: { id, workspaceId } }) {
      const { rows } = await pool.query<ToLoadRow>(toLoadStatement, [replica, workspaceId, id])
      const [row] = rows
      if (row === undefined || row.base_probes === null) return null
      const expected = row.probes === null ? null : answersOf(row.probes)
      return { files: manifestOf(row.manifest), expected, base: answersOf(row.base_probes) }
    },
    async learn({ id, workspaceId }, answers) {
      const { rows } = await pool.query<{ probes: string }>(learnStatement, [id, workspaceId, probesText(answers)])
      return answersOf(rows[0]?.probes ?? '[]')
    },
  }
}

const leaseStatement = `
  INSERT INTO pool_lease AS l (id, worker, until) VALUES (1, $1, now() + $2 * interval '1 millisecond')
  ON CONFLICT (id) DO UPDATE SET worker = excluded.worker, until = excluded.until
  WHERE l.worker = excluded.worker OR l.until < now()`

const replicasStatement = `
  SELECT r.name, r.base_model, r.address, r.state, coalesce((
    SELECT jsonb_agg(jsonb_build_object('version', a.version_id, 'workspace', a.workspace_id, 'adapter', a.adapter,
      'state', a.state, 'since', a.since)) FROM pool_adapter a WHERE a.replica = r.name
  ), '[]') AS adapters
  FROM pool_replica r ORDER BY r.name`

const versionsStatement = `
  SELECT p.version_id, p.workspace_id, p.base_model, p.adapter, greatest(p.requested_at, u.used_at) AS used_at
  FROM pool_version p JOIN model_version v ON v.id = p.version_id AND v.archived_at IS NULL
    LEFT JOIN version_use u ON u.version_id = p.version_id`

/** Raises the revision of the workspaces in the column `workspace_id` of `changed`. */
const raised = `
  INSERT INTO version_revision AS r (workspace_id, revision) SELECT DISTINCT workspace_id, 1 FROM changed
  ON CONFLICT (workspace_id) DO UPDATE SET revision = r.revision + 1`

const keepBasesStatement = `
  WITH changed AS (
    UPDATE pool_version SET state = 'failed', error = $2 WHERE base_model <> ALL($1::text[]) AND state <> 'failed'
    RETURNING workspace_id
  )
  ${raised}`

const addReplicaStatement = `
  INSERT INTO pool_replica (name, base_model, state, since) VALUES ($1, $2, 'starting', now()) ON CONFLICT (name) DO NOTHING`

const startReplicaStatement = `
  UPDATE pool_replica SET state = 'ready', address = $2, base_probes = $3, since = now() WHERE name = $1`

const loseReplicaStatement = `
  WITH lost AS (
    UPDATE pool_replica SET state = 'starting', address = NULL, since = now() WHERE name = $1 AND state = 'ready'
  ), changed AS (
    DELETE FROM pool_adapter WHERE replica = $1 RETURNING workspace_id
  )
  ${raised}`

const removeReplicaStatement = `
  WITH changed AS (
    DELETE FROM pool_adapter WHERE replica = $1 RETURNING workspace_id
  ), removed AS (
    DELETE FROM pool_replica WHERE name = $1
  )
  ${raised}`

/** One that was proven gets no requests until it is proven again. */
const loadStatement = `
  WITH changed AS (
    SELECT a.workspace_id FROM pool_adapter a
    WHERE a.replica = $1 AND a.workspace_id = $2 AND a.version_id = $3 AND a.state = 'ready'
  ), stored AS (
    INSERT INTO pool_adapter AS a (replica, version_id, workspace_id, adapter, state, since)
    VALUES ($1, $3, $2, $4, 'loading', now())
    ON CONFLICT (replica, version_id) DO UPDATE
    SET state = 'loading', adapter = excluded.adapter, error = NULL, since = now() WHERE a.workspace_id = $2
  )
  ${raised}`

const proveStatement = `
  WITH changed AS (
    UPDATE pool_adapter a SET state = 'ready', error = NULL, since = now()
    WHERE a.replica = $1 AND a.workspace_id = $2 AND a.version_id = $3 AND a.state = 'loading' AND EXISTS (
      SELECT 1 FROM pool_replica r WHERE r.name = $1 AND r.state = 'ready' AND r.address = $4) RETURNING a.workspace_id
  ), proven AS (
    UPDATE pool_version p SET state = 'ready', error = NULL FROM changed WHERE p.workspace_id = $2 AND p.version_id = $3
  )
  ${raised}`

/** A version that another engine serves has not failed. */
const failStatement = `
  WITH changed AS (
    UPDATE pool_adapter a SET state = 'failed', error = $4, since = now()
    WHERE a.replica = $1 AND a.workspace_id = $2 AND a.version_id = $3 AND a.state = 'loading' RETURNING a.workspace_id
  ), failed AS (
    UPDATE pool_version p SET state = 'failed', error = $4 FROM changed
    WHERE p.workspace_id = $2 AND p.version_id = $3 AND NOT EXISTS (
      SELECT 1 FROM pool_adapter o WHERE o.workspace_id = $2 AND o.version_id = $3 AND o.replica <> $1 AND o.state = 'ready')
  )
  ${raised}`

const moveStatement = `
  WITH changed AS (
    UPDATE pool_adapter a SET state = $4, since = now()
    WHERE a.replica = $1 AND a.workspace_id = $2 AND a.version_id = $3 AND a.state <> $4
      AND ($4 = 'leaving' OR a.state = 'leaving') RETURNING a.workspace_id
  )
  ${raised}`

const unloadedStatement = `
  DELETE FROM pool_adapter a
  WHERE a.replica = $1 AND a.workspace_id = $2 AND a.version_id = $3 AND a.state IN ('leaving', 'failed')`

const toLoadStatement = `
  SELECT v.manifest, f.probes, r.base_probes
  FROM model_version v JOIN pool_replica r ON r.name = $1
    LEFT JOIN version_fingerprint f ON f.version_id = v.id AND f.workspace_id = v.workspace_id
  WHERE v.workspace_id = $2 AND v.id = $3`

const learnStatement = `
  WITH learned AS (
    INSERT INTO version_fingerprint (version_id, workspace_id, source, probes, created_at)
    VALUES ($1, $2, 'engine', $3, now()) ON CONFLICT (version_id) DO NOTHING RETURNING probes
  )
  SELECT probes FROM learned
  UNION ALL SELECT probes FROM version_fingerprint WHERE workspace_id = $2 AND version_id = $1`

interface AdapterJson {
  readonly version: string
  readonly workspace: string
  readonly adapter: string
  readonly state: AdapterState
  readonly since: string
}

type ReplicaRow = Pick<
  Row<'poolReplica', { state: PoolReplica['state'] }>,
  'name' | 'base_model' | 'address' | 'state'
> & {
  readonly adapters: readonly AdapterJson[]
}

function replicaOf({ name, base_model: baseModel, address, state, adapters }: ReplicaRow): PoolReplica {
  return {
    name,
    baseModel,
    address,
    state,
    adapters: adapters.map(({ version: versionId, workspace: workspaceId, adapter, state: own, since }) => {
      return { versionId, workspaceId, adapter, state: own, since: new Date(since) }
    }),
  }
}

type VersionRow = Pick<Row<'poolVersion'>, 'version_id' | 'workspace_id' | 'base_model' | 'adapter'> & {
  readonly used_at: Date
}

function versionOf(row: VersionRow): PoolVersion {
  const { version_id: id, workspace_id: workspaceId, base_model: baseModel, adapter, used_at: usedAt } = row
  return { id, workspaceId, baseModel, adapter, usedAt }
}

interface ToLoadRow {
  readonly manifest: string
  readonly probes: string | null
  readonly base_probes: string | null
}

interface ProbeJson {
  readonly probe: number
  readonly token_ids: readonly number[]
  readonly logprobs: readonly number[]
}

/** As trainers send them. */
function probesText(answers: readonly ProbeAnswer[]): string {
  const probes = answers.map(({ tokenIds, logprobs }, probe): ProbeJson => ({ probe, token_ids: tokenIds, logprobs }))
  return JSON.stringify(probes)
}

export function answersOf(text: string): readonly ProbeAnswer[] {
  return [...(JSON.parse(text) as readonly ProbeJson[])]
    .sort((one, other) => one.probe - other.probe)
    .map(({ token_ids: tokenIds, logprobs }) => ({ tokenIds, logprobs }))
}

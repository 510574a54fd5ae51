import type { ModelVersionStatus } from '@ratchet/contracts/model-versions'
import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { manifestOf } from '../attempts/pg-checkpoints.ts'
import { rootKeyOf } from '../data/read-example.ts'
import { rootsOf } from '../data/training-roots.ts'
import { addNotice } from '../notices/pg-notices.ts'
import type { StoredVersion, VersionAlias, VersionInPool, VersionProducer } from './model-version.ts'
import type { Adoption, TrainerAttempt, VersionEdge, VersionStore } from './version-store.ts'

/** Model versions in Postgres. What aliases do with them is read from the views of the alias service. */
export function createPgVersions(pool: Pool): VersionStore {
  const read = async (text: string, values: readonly unknown[]) =>
    (await pool.query<VersionRow>(text, [...values])).rows.map(versionOf)
  return {
    async list({ workspaceId, status = null, baseModel = null, producedBy = null, limit, offset }) {
      const values = [workspaceId, status, baseModel, producedBy]
      const [versions, { rows }] = await Promise.all([
        read(
          `SELECT * FROM (${versionsOfWorkspace}) v ${matching} ORDER BY created_at DESC, id DESC LIMIT $5 OFFSET $6`,
          [...values, limit, offset],
        ),
        pool.query<{ total: number }>(
          `SELECT count(*)::int AS total FROM (${versionsOfWorkspace}) v ${matching}`,
          values,
        ),
      ])
      return { total: rows[0]?.total ?? 0, versions }
    },
    async get({ workspaceId, id }) {
      return (await read(`SELECT * FROM (${versionsOfWorkspace}) v WHERE v.id = $2`, [workspaceId, id]))[0] ?? null
    },
    async named({ workspaceId, name }) {
      return (await read(`SELECT * FROM (${versionsOfWorkspace}) v WHERE v.name = $2`, [workspaceId, name]))[0] ?? null
    },
    ancestry: ({ workspaceId, id }) => read(ancestryStatement, [workspaceId, id]),
    async roots(versions) {
      const holders = versions.flatMap(({ jobId, producedBy }) => [jobId, producedBy.id].flatMap((id) => id ?? []))
      const text = 'SELECT roots FROM training_roots WHERE workspace_id = $1 AND holder = ANY($2::uuid[])'
      const values = [versions[0]?.workspaceId ?? null, holders]
      const { rows } = await pool.query<{ roots: Buffer }>(text, values)
      const prompts = await pool.query<{ messages: string }>(promptsStatement, values)
      const asked = prompts.rows.map(({ messages }) => rootKeyOf(JSON.parse(messages) as { readonly role: string }[]))
      return [...rows.map(({ roots }) => roots), rootsOf(asked)]
    },
    async edges({ workspaceId, id }) {
      const text =
        'SELECT * FROM version_edge WHERE workspace_id = $1 AND version_id = $2 ORDER BY created_at, kind, target'
      const { rows } = await pool.query<EdgeRow>(text, [workspaceId, id])
      return rows.map(edgeOf)
    },
    async attempts({ workspaceId, id }) {
      const { rows } = await pool.query<AttemptRow>(attemptsStatement, [workspaceId, id])
      return rows.map(attemptOf)
    },
    async adoptions({ workspaceId, name }) {
      const text = `SELECT * FROM model_adoption WHERE workspace_id = $1 AND model = $2 ORDER BY created_at DESC LIMIT 100`
      const { rows } = await pool.query<AdoptionRow>(text, [workspaceId, name])
      return rows.map(adoptionOf)
    },
    async users({ workspaceId, id, name }) {
      const { rows } = await pool.query<{ alias: string | null; job: string | null; endpoint: string | null }>(
        usersStatement,
        [workspaceId, id, name],
      )
      return {
        aliases: rows.flatMap(({ alias }) => alias ?? []),
        jobIds: rows.flatMap(({ job }) => job ?? []),
        endpoints: rows.flatMap(({ endpoint }) => (endpoint === null ? [] : `dedicated/${endpoint}`)),
      }
    },
    reject: ({ workspaceId, id }, { userId, reason, noticeId }) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(rejectStatement, [workspaceId, id, userId, reason])
        if (rowCount !== 1) return false
        const data = { object: 'model_version', id: publicId('modelVersion', id), status: 'rejected' }
        await addNotice(client, { id: noticeId, workspaceId, type: 'model_version.rejected', data })
        return true
      }),
    async archive({ workspaceId, id }) {
      await pool.query(archiveStatement, [workspaceId, id])
    },
  }
}

/** The versions of workspace `$1`. An alias that sends requests to a version makes it adopted, however that came about. */
const versionsOfWorkspace = `
  SELECT v.*, r.aliases, a.adopted_at, a.adopted_by, p.state AS pool_state, p.error AS pool_error,
    f.source AS fingerprint_source, encode(sha256(convert_to(f.probes, 'UTF8')), 'hex') AS fingerprint_sha256, ARRAY(
      SELECT e.routing_key FROM dedicated_endpoint e
      WHERE e.workspace_id = $1 AND e.model_version_id = v.id AND e.state <> 'DELETED'
      UNION ALL
      SELECT d.routing_key FROM dedicated_adapter d JOIN dedicated_endpoint e ON e.id = d.endpoint_id
      WHERE d.workspace_id = $1 AND d.version_id = v.id AND d.removed_at IS NULL AND e.state <> 'DELETED'
    ) AS endpoints, CASE
      WHEN v.archived_at IS NOT NULL THEN 'archived'
      WHEN r.aliases IS NOT NULL THEN 'adopted'
      WHEN v.rejected_at IS NOT NULL THEN 'rejected'
      WHEN a.adopted_at IS NOT NULL THEN 'superseded'
      ELSE 'candidate'
    END AS status
  FROM model_version v
  LEFT JOIN pool_version p ON p.version_id = v.id AND p.workspace_id = v.workspace_id
  LEFT JOIN version_fingerprint f ON f.version_id = v.id AND f.workspace_id = v.workspace_id
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('name', x.name, 'arm', x.arm, 'percent', x.percent) ORDER BY x.name) AS aliases FROM (
      SELECT name, 'target' AS arm, 100 - CASE WHEN canary_model IS NULL THEN 0 ELSE canary_percent END AS percent
      FROM alias_models WHERE workspace_id = $1 AND target_model = v.name
      UNION ALL
      SELECT name, 'canary', canary_percent FROM alias_models WHERE workspace_id = $1 AND canary_model = v.name
    ) x WHERE x.percent > 0
  ) r ON true
  LEFT JOIN LATERAL (
    SELECT created_at AS adopted_at, user_id AS adopted_by FROM model_adoption
    WHERE workspace_id = $1 AND model = v.name AND NOT promoted ORDER BY created_at DESC LIMIT 1
  ) a ON true
  WHERE v.workspace_id = $1`

const attemptsStatement = `
  SELECT trainer, code_version, started_at, exit FROM training_attempt WHERE workspace_id = $1 AND job_id = $2
  ORDER BY generation`

/** Prompts of runs are kept as they are. Those of looks have chosen the step of the version, so they prove nothing of it either. */
const promptsStatement = `
  SELECT messages FROM grpo_prompt WHERE workspace_id = $1 AND run_id = ANY($2::uuid[]) AND part IN ('train', 'guard')`

const matching = `
  WHERE ($2::text IS NULL OR v.status = $2) AND ($3::text IS NULL OR v.base_model = $3)
    AND ($4::text IS NULL OR v.produced_by = $4)`

const ancestryStatement = `
  WITH RECURSIVE line AS (
    SELECT id, parent_id, 0 AS depth FROM model_version WHERE workspace_id = $1 AND id = $2
    UNION ALL
    SELECT p.id, p.parent_id, line.depth + 1 FROM model_version p JOIN line ON p.id = line.parent_id
    WHERE p.workspace_id = $1 AND line.depth < 49
  )
  SELECT v.* FROM (${versionsOfWorkspace}) v JOIN line ON line.id = v.id ORDER BY line.depth`

/** Rules of families are JSON text; a name of a version contains no character that JSON would write otherwise. */
const usersStatement = `
  SELECT name AS alias, NULL::uuid AS job, NULL AS endpoint FROM alias_models
  WHERE workspace_id = $1 AND ($3 IN (target_model, canary_model, shadow_model) OR strpos(family_rules, '"' || $3 || '"') > 0)
  UNION ALL
  SELECT NULL, id, NULL FROM training_job
  WHERE workspace_id = $1 AND warm_start_id = $2 AND status NOT IN ('succeeded', 'failed', 'cancelled')
  UNION ALL
  SELECT NULL, NULL, routing_key FROM dedicated_endpoint
  WHERE workspace_id = $1 AND model_version_id = $2 AND state <> 'DELETED'
  UNION ALL
  SELECT NULL, NULL, a.routing_key FROM dedicated_adapter a JOIN dedicated_endpoint e ON e.id = a.endpoint_id
  WHERE a.workspace_id = $1 AND a.version_id = $2 AND a.removed_at IS NULL AND e.state <> 'DELETED'`

const rejectStatement = `
  UPDATE model_version SET rejected_at = now(), rejected_by = $3, reject_reason = $4
  WHERE workspace_id = $1 AND id = $2 AND rejected_at IS NULL AND archived_at IS NULL`

const archiveStatement = `
  WITH archived AS (
    UPDATE model_version SET archived_at = now() WHERE workspace_id = $1 AND id = $2 AND archived_at IS NULL
    RETURNING workspace_id
  )
  UPDATE version_revision r SET revision = r.revision + 1 FROM archived WHERE r.workspace_id = archived.workspace_id`

type VersionRow = Row<'modelVersion', { produced_by: VersionProducer['type'] }> & {
  readonly aliases: readonly VersionAlias[] | null
  readonly adopted_at: Date | null
  readonly adopted_by: string | null
  readonly status: ModelVersionStatus
  readonly pool_state: VersionInPool['state'] | null
  readonly pool_error: string | null
  readonly endpoints: readonly string[]
  readonly fingerprint_source: 'trainer' | 'engine' | null
  readonly fingerprint_sha256: string | null
}

function versionOf(row: VersionRow): StoredVersion {
  const { produced_by: type, producer_id: producerId } = row
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    baseModel: row.base_model,
    producedBy: type === 'import' || producerId === null ? { type: 'import', id: null } : { type, id: producerId },
    jobId: row.job_id,
    step: row.step,
    parentId: row.parent_id,
    datasetId: row.dataset_id,
    isFromReward: row.rewarded,
    files: manifestOf(row.manifest),
    sha256: row.sha256,
    bytes: Number(row.bytes),
    adapterRank: row.adapter_rank,
    metrics: JSON.parse(row.metrics) as StoredVersion['metrics'],
    servedAs: row.served_as,
    createdBy: row.created_by,
    createdAt: row.created_at,
    status: row.status,
    rejectReason: row.reject_reason,
    isArchived: row.archived_at !== null,
    endpoints: row.endpoints,
    fingerprint: fingerprintOf(row),
    pool: row.pool_state === null ? null : { state: row.pool_state, error: row.pool_error },
    aliases: row.aliases ?? [],
    adoptedAt: row.adopted_at,
    adoptedBy: row.adopted_by,
  }
}

function fingerprintOf({ fingerprint_source: source, fingerprint_sha256: sha256 }: VersionRow) {
  return source === null || sha256 === null ? null : { source, sha256 }
}

type EdgeRow = Row<'versionEdge', { kind: VersionEdge['kind'] }>

function edgeOf({ kind, target, details, created_at: createdAt }: EdgeRow): VersionEdge {
  return { kind, target, details: JSON.parse(details) as VersionEdge['details'], createdAt }
}

type AttemptRow = Pick<Row<'trainingAttempt'>, 'trainer' | 'code_version' | 'started_at' | 'exit'>

function attemptOf({ trainer, code_version: codeVersion, started_at: startedAt, exit }: AttemptRow): TrainerAttempt {
  return { trainer, codeVersion, startedAt, exit }
}

type AdoptionRow = Row<'modelAdoption', { arm: Adoption['arm'] }>

function adoptionOf(row: AdoptionRow): Adoption {
  const { event_id: eventId, alias_name: aliasName, arm, percent, promoted } = row
  return { eventId, aliasName, arm, percent, promoted, userId: row.user_id, createdAt: row.created_at }
}

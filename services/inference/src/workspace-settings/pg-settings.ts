import type { FamilyRule } from '@ratchet/contracts/family-rules'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { Budget } from '../budgets/budget.ts'
import { type DedicatedRoute, dedicatedPrefix } from '../dedicated/dedicated-route.ts'
import { whileAlive } from '../ledger/pg-while-alive.ts'
import type { AliasRoute } from './alias-route.ts'
import type { KnownRoutes, SettingsStore, StoredProviderKey, StoredSettings } from './settings-store.ts'
import type { VersionRoute } from './version-route.ts'
import type { RateLimits } from './workspace-settings.ts'

type LimitRow = Pick<Row<'workspaceSettings'>, 'requests_per_minute' | 'tokens_per_minute'>

interface KeyRow extends Pick<Row<'providerKey'>, 'id' | 'provider' | 'base_url' | 'key_id'> {
  /** As JSON writes a timestamp. */
  readonly updated_at: string
  /** Base64. */
  readonly nonce: string
  /** Base64. */
  readonly ciphertext: string
}

type AliasRow = Pick<
  Row<'alias'>,
  'id' | 'name' | 'target_model' | 'canary_model' | 'canary_percent' | 'sticky_by' | 'epoch' | 'family_rules'
>

/** As JSON writes it. */
interface VersionRow {
  readonly id: string
  readonly name: string
  readonly base_model: string
  readonly served_as: string | null
  readonly created_at: string
  readonly adapter: string | null
  readonly addresses: readonly string[] | null
}

/** As JSON writes it. */
interface DedicatedRow {
  readonly id: string
  readonly routing_key: string
  readonly base_model: string
  readonly served_as: string
  readonly state: DedicatedRoute['state']
  readonly target_concurrency: number
  readonly max_context_length: number
  readonly price_nano_per_hour: string
  readonly created_at: string
  readonly replicas: DedicatedRoute['replicas']
  readonly start_ms: number | null
}

/** As JSON writes it. */
interface BudgetRow extends Pick<Budget, 'id' | 'scope' | 'subject' | 'period'> {
  readonly amount: string
  readonly fallback_model: string | null
}

interface SettingsRow extends Omit<Row<'workspaceSettings'>, 'evidence_policy'> {
  readonly key_limits: Readonly<Record<string, LimitRow>>
  readonly key_models: Readonly<Record<string, readonly string[]>>
  readonly budgets: readonly BudgetRow[]
  readonly provider_keys: readonly KeyRow[]
  readonly alias_version: string
  /** Null: they are the known ones. */
  readonly aliases: readonly AliasRow[] | null
  readonly version_revision: number
  /** Null: they are the known ones. */
  readonly versions: readonly VersionRow[] | null
  /** Null: they are the known ones. */
  readonly dedicated: readonly DedicatedRow[] | null
}

/** Milliseconds after which the answer is not awaited any longer, because requests wait for it. */
const timeoutMs = 1_000

/** Prepared once per connection. */
const readSettings = {
  name: 'inference-read-settings',
  text: `
    SELECT s.*, coalesce((
      SELECT jsonb_agg(jsonb_build_object(
        'id', p.id, 'provider', p.provider, 'base_url', p.base_url, 'key_id', p.key_id, 'updated_at', p.updated_at,
        'nonce', encode(p.nonce, 'base64'), 'ciphertext', encode(p.ciphertext, 'base64')
      )) FROM provider_key p WHERE p.workspace_id = s.workspace_id
    ), '[]') AS provider_keys, v.alias_version, CASE
      WHEN v.alias_version <> coalesce($2::jsonb ->> s.workspace_id::text, '')
      THEN (SELECT jsonb_agg(to_jsonb(a)) FROM alias_route a WHERE a.workspace_id = s.workspace_id)
    END AS aliases, coalesce(r.revision, 0) AS version_revision, CASE
      WHEN r.revision <> coalesce(($3::jsonb ->> s.workspace_id::text)::int, 0)
      THEN (SELECT jsonb_agg(to_jsonb(m)) FROM version_route m WHERE m.workspace_id = s.workspace_id)
    END AS versions, CASE
      WHEN r.revision <> coalesce(($3::jsonb ->> s.workspace_id::text)::int, 0)
      THEN (SELECT jsonb_agg(to_jsonb(d)) FROM dedicated_route d WHERE d.workspace_id = s.workspace_id)
    END AS dedicated
    FROM workspace_inference_settings s LEFT JOIN version_revision r ON r.workspace_id = s.workspace_id CROSS JOIN LATERAL (
      SELECT coalesce(md5(string_agg(a.id::text || a.row_version, ' ' ORDER BY a.id)), '') AS alias_version
      FROM alias_route a WHERE a.workspace_id = s.workspace_id
    ) v WHERE s.workspace_id = ANY($1::uuid[])`,
} as const

/** Reads settings from Postgres with the role of inference. */
export function pgSettings(pool: Pick<Pool, 'query'>, { silenceMs = 250 } = {}): SettingsStore {
  return {
    async read(workspaceIds, known) {
      // `query_timeout` is an option of node-postgres for a single query, which its types do not list
      const versions = Object.fromEntries([...known].map(([id, { aliasVersion }]) => [id, aliasVersion]))
      const revisions = Object.fromEntries([...known].map(([id, { versionRevision }]) => [id, versionRevision]))
      const query = { ...readSettings, values: [workspaceIds, versions, revisions], query_timeout: timeoutMs }
      const { rows } = await whileAlive(pool, pool.query<SettingsRow>(query), { silenceMs, maxMs: timeoutMs })
      return new Map(rows.map((row) => [row.workspace_id, toSettings(row, known.get(row.workspace_id))]))
    },
  }
}

function toSettings(row: SettingsRow, known: KnownRoutes | undefined): StoredSettings {
  return {
    loggingEnabled: row.logging_enabled,
    logResponses: row.log_responses,
    retentionDays: row.retention_days,
    responseCache: row.response_cache,
    fallbackModels: row.fallback_models,
    limits: toLimits(row),
    keyLimits: new Map(Object.entries(row.key_limits).map(([keyId, limits]) => [keyId, toLimits(limits)])),
    keyModels: new Map(Object.entries(row.key_models)),
    budgets: row.budgets.map(toBudget),
    storedKeys: row.provider_keys.map(toStoredKey),
    aliasVersion: row.alias_version,
    aliases: aliasesOf(row, known),
    versionRevision: row.version_revision,
    versions: versionsOf(row, known),
    dedicated: dedicatedOf(row, known),
  }
}

function aliasesOf({ aliases, alias_version }: SettingsRow, known: KnownRoutes | undefined): KnownRoutes['aliases'] {
  if (aliases === null && known?.aliasVersion === alias_version) return known.aliases
  return new Map((aliases ?? []).map((alias) => [alias.name, toRoute(alias)]))
}

/** A workspace that had no version keeps the map that it has. */
function versionsOf({ versions, version_revision }: SettingsRow, known: KnownRoutes | undefined) {
  if (versions === null && known?.versionRevision === version_revision) return known.versions
  return new Map((versions ?? []).map((version) => [version.name, toVersion(version)]))
}

function dedicatedOf({ dedicated, version_revision }: SettingsRow, known: KnownRoutes | undefined) {
  if (dedicated === null && known?.versionRevision === version_revision) return known.dedicated
  return new Map((dedicated ?? []).map(toDedicated).map((route) => [route.name, route]))
}

function toDedicated(row: DedicatedRow): DedicatedRoute {
  return {
    id: row.id,
    name: `${dedicatedPrefix}${row.routing_key}`,
    baseModel: row.base_model,
    servedAs: row.served_as,
    state: row.state,
    replicas: row.replicas,
    targetConcurrency: row.target_concurrency,
    maxContextLength: row.max_context_length,
    priceNanoPerHour: BigInt(row.price_nano_per_hour),
    startMs: row.start_ms,
    createdAt: new Date(row.created_at),
  }
}

function toVersion({ id, name, base_model, served_as, created_at, adapter, addresses }: VersionRow): VersionRoute {
  const pool = adapter === null ? null : { versionId: id, adapter, addresses: addresses ?? [] }
  return { id, name, baseModel: base_model, servedAs: served_as, pool, createdAt: new Date(created_at) }
}

function toBudget({ id, scope, subject, period, amount, fallback_model: fallbackModel }: BudgetRow): Budget {
  return { id, scope, subject, period, amountNano: BigInt(amount), fallbackModel }
}

function toLimits({ requests_per_minute, tokens_per_minute }: LimitRow): RateLimits {
  return { requestsPerMinute: requests_per_minute, tokensPerMinute: tokens_per_minute }
}

function toRoute(row: AliasRow): AliasRoute {
  return {
    id: row.id,
    name: row.name,
    targetModel: row.target_model,
    canaryModel: row.canary_model,
    canaryPercent: row.canary_percent,
    stickyBy: row.sticky_by,
    epoch: row.epoch,
    familyRules: row.family_rules === null ? [] : (JSON.parse(row.family_rules) as FamilyRule[]),
  }
}

function toStoredKey({ id, provider, base_url, key_id, updated_at, nonce, ciphertext }: KeyRow): StoredProviderKey {
  return {
    id,
    version: `${id} ${updated_at}`,
    provider,
    baseUrl: base_url,
    keyId: key_id,
    nonce: fromBase64(nonce),
    ciphertext: fromBase64(ciphertext),
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64'))
}

import type { ChangeSettings, WorkspaceSettings } from '@ratchet/contracts/dashboard/settings'
import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import { givenOf } from '@ratchet/db/given'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import { differenceOf } from './difference.ts'

export type SettingsStore = ReturnType<typeof createPgSettings>

export function createPgSettings(db: DashboardDb) {
  return {
    read: (workspaceId: string) => read(db, workspaceId),
    /** Changes the given settings, and returns all. */
    change: (act: Act, changes: ChangeSettings) => db.$transaction((tx) => change(tx, act, changes)),
  }
}

type Tables = Pick<DashboardTransaction, 'workspace' | 'workspaceSettings' | 'auditEvent'>

async function change(tx: Tables, act: Act, { name, logging, limits, ...others }: ChangeSettings) {
  const { workspaceId } = act
  const before = await read(tx, workspaceId)
  if (name !== undefined) await tx.workspace.update({ where: { id: workspaceId }, data: { name } })
  const data = givenOf({
    loggingEnabled: logging?.enabled,
    retentionDays: logging?.retention_days,
    logResponses: logging?.responses,
    responseCache: others.response_cache,
    fallbackModels: others.fallback_models,
    requestsPerMinute: limits?.requests_per_minute,
    tokensPerMinute: limits?.tokens_per_minute,
    evidencePolicy: others.evidence_policy,
  })
  await tx.workspaceSettings.upsert({ where: { workspaceId }, create: { workspaceId, ...data }, update: data })
  const after = await read(tx, workspaceId)
  const difference = differenceOf(before, after)
  if (difference !== null)
    await recordChange(tx, act, { action: 'settings.changed', subject: workspaceId, ...difference })
  return after
}

async function read(tx: Pick<Tables, 'workspace'>, workspaceId: string): Promise<WorkspaceSettings> {
  const select = { slug: true, name: true, settings: true } as const
  const { slug, name, settings } = await tx.workspace.findUniqueOrThrow({ where: { id: workspaceId }, select })
  return {
    object: 'settings',
    slug,
    name,
    logging: {
      enabled: settings?.loggingEnabled ?? false,
      retention_days: retentionOf(settings?.retentionDays),
      responses: settings?.logResponses ?? false,
    },
    response_cache: settings?.responseCache ?? false,
    fallback_models: settings?.fallbackModels ?? [],
    limits: {
      requests_per_minute: settings?.requestsPerMinute ?? null,
      tokens_per_minute: settings?.tokensPerMinute ?? null,
    },
    evidence_policy: settings?.evidencePolicy ?? 'off',
  }
}

/** A constraint of the table admits no other value. */
function retentionOf(days = 30): 7 | 30 | 90 {
  return days as 7 | 30 | 90
}

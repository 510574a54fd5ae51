import type { Prisma } from './generated/client.ts'
import type { SettingsDb } from './ownership.ts'

const select = {
  loggingEnabled: true,
  retentionDays: true,
  logResponses: true,
  responseCache: true,
  fallbackModels: true,
  evidencePolicy: true,
  requestsPerMinute: true,
  tokensPerMinute: true,
  maxStorageGb: true,
  guardedCallsPerMinute: true,
} as const

type Settings = Prisma.WorkspaceSettingsGetPayload<{ select: typeof select }>

/** Settings of a workspace. Retention is 7, 30 or 90 days; at most 8 fallback models, in order. */
export interface WorkspaceSettingsRow extends Readonly<Omit<Settings, 'fallbackModels'>> {
  readonly fallbackModels: readonly string[]
}

/** Limits per minute; null: no limit. */
export type RateLimitRow = Pick<WorkspaceSettingsRow, 'requestsPerMinute' | 'tokensPerMinute'>

/** Whether repoints of aliases require evidence. */
export type EvidencePolicy = WorkspaceSettingsRow['evidencePolicy']

/** Changes the given settings. A workspace without settings gets the defaults for the others. */
export async function changeWorkspaceSettings(
  db: SettingsDb,
  { workspaceId, changes }: { workspaceId: string; changes: Partial<WorkspaceSettingsRow> },
): Promise<WorkspaceSettingsRow> {
  const { fallbackModels, ...others } = changes
  const data = { ...others, ...(fallbackModels === undefined ? {} : { fallbackModels: [...fallbackModels] }) }
  return db.workspaceSettings.upsert({
    where: { workspaceId },
    create: { workspaceId, ...data },
    update: data,
    select,
  })
}

/** Saves settings of a workspace that has none. */
export async function initWorkspaceSettings(
  db: SettingsDb,
  { workspaceId, settings }: { workspaceId: string; settings: Partial<WorkspaceSettingsRow> },
): Promise<void> {
  const { fallbackModels = [], ...others } = settings
  const data = { workspaceId, ...others, fallbackModels: [...fallbackModels] }
  await db.workspaceSettings.createMany({ data: [data], skipDuplicates: true })
}

/** What one key may do; no models: all. */
export interface KeyRules extends RateLimitRow {
  readonly expiresAt: Date | null
  readonly allowedModels: readonly string[]
}

const ruled = { display: true, requestsPerMinute: true, tokensPerMinute: true, expiresAt: true, allowedModels: true }

/** Changes the rules of one key; null for an unknown key. Of a new expiry, edges have to be told. */
export async function changeKeyRules(
  db: SettingsDb,
  { id, changes }: { id: string; changes: Partial<KeyRules> },
): Promise<(KeyRules & { readonly display: string }) | null> {
  const { allowedModels, ...others } = changes
  const data = { ...others, ...(allowedModels === undefined ? {} : { allowedModels: [...allowedModels] }) }
  const [key] = await db.apiKey.updateManyAndReturn({ where: { id }, data, select: ruled })
  return key ?? null
}

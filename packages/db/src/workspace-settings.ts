import type { SettingsDb } from './ownership.ts'

/** Per minute; null where there is no limit. */
export interface RateLimitRow {
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
}

export type EvidencePolicy = 'off' | 'enforce'

/** What a workspace has chosen. */
export interface WorkspaceSettingsRow extends RateLimitRow {
  readonly loggingEnabled: boolean
  /** 7, 30 or 90. */
  readonly retentionDays: number
  readonly responseCache: boolean
  /** At most 8, in order. */
  readonly fallbackModels: readonly string[]
  /** Whether repoints of aliases must be proven. */
  readonly evidencePolicy: EvidencePolicy
}

const select = {
  loggingEnabled: true,
  retentionDays: true,
  responseCache: true,
  fallbackModels: true,
  evidencePolicy: true,
  requestsPerMinute: true,
  tokensPerMinute: true,
} as const

/** Changes the settings that are given and leaves the others; a workspace without any gets the defaults. */
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

/** Gives a workspace settings unless it has some already. */
export async function initWorkspaceSettings(
  db: SettingsDb,
  { workspaceId, settings }: { workspaceId: string; settings: Partial<WorkspaceSettingsRow> },
): Promise<void> {
  const { fallbackModels = [], ...others } = settings
  const data = { workspaceId, ...others, fallbackModels: [...fallbackModels] }
  await db.workspaceSettings.createMany({ data: [data], skipDuplicates: true })
}

/** Changes the limits of one key; null when there is no such key. */
export async function changeKeyLimits(
  db: SettingsDb,
  { id, changes }: { id: string; changes: Partial<RateLimitRow> },
): Promise<(RateLimitRow & { readonly display: string }) | null> {
  const [key] = await db.apiKey.updateManyAndReturn({
    where: { id },
    data: changes,
    select: { display: true, requestsPerMinute: true, tokensPerMinute: true },
  })
  return key ?? null
}

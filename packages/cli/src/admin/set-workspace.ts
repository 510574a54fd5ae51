import { changeWorkspaceSettings, type EvidencePolicy, type WorkspaceSettingsRow } from '@ratchet/db/workspace-settings'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import {
  type Limit,
  parseGuard,
  parseLimit,
  parseModels,
  parsePolicy,
  parseRetention,
  parseSlug,
  parseStorage,
  parseSwitch,
  type StorageQuota,
} from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, workspaceOf } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

interface Options {
  readonly workspace: string
  readonly logging?: boolean
  readonly retention?: number
  readonly logResponses?: boolean
  readonly responseCache?: boolean
  readonly fallback?: readonly string[]
  readonly rpm?: Limit
  readonly tpm?: Limit
  readonly storage?: StorageQuota
  readonly guard?: Limit
  readonly evidencePolicy?: EvidencePolicy
}

export function setWorkspace({ admin, run }: AdminCommands): void {
  admin
    .command('set')
    .description('Change settings of a workspace. They apply within seconds.')
    .requiredOption('--workspace <slug>', 'which workspace', parseSlug)
    .option('--logging <on|off>', 'whether exchanges are logged', parseSwitch)
    .option('--retention <days>', 'how long logged exchanges are stored: 7, 30 or 90', parseRetention)
    .option('--log-responses <on|off>', 'whether the Responses API is logged too, while logging is on', parseSwitch)
    .option('--response-cache <on|off>', 'whether answers may be cached', parseSwitch)
    .option('--fallback <models>', 'models to call in order when one fails, or none', parseModels)
    .option('--rpm <count>', 'requests per minute, or none', parseLimit)
    .option('--tpm <count>', 'tokens per minute, or none', parseLimit)
    .option(
      '--storage <gigabytes>',
      'for files, datasets, training data and imported log entries, or default (10)',
      parseStorage,
    )
    .option('--guard <count>', 'calls per minute that create paid work or files, or default', parseGuard)
    .option('--evidence-policy <off|enforce>', 'whether repoints of aliases require evidence', parsePolicy)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, options: Options): Promise<Answer> {
  const changes = changesOf(options)
  if (Object.keys(changes).length === 0) {
    throw new CliError('nothing to change: give at least one setting, such as --logging on', { exitCode: 2 })
  }
  const { id: workspaceId, slug } = await workspaceOf(deps, options.workspace)
  const settings = await recordingOperator(deps, {
    workspaceId,
    action: 'settings.changed',
    subject: workspaceId,
    make: () => changeWorkspaceSettings(deps.db, { workspaceId, changes }),
    madeOf: () => changes,
  })
  return { json: toJson(slug, settings), text: describe(slug, settings) }
}

function changesOf(options: Options): Partial<WorkspaceSettingsRow> {
  const { logging, retention, logResponses, responseCache, fallback, rpm, tpm, storage, guard, evidencePolicy } =
    options
  return {
    ...(logging === undefined ? {} : { loggingEnabled: logging }),
    ...(retention === undefined ? {} : { retentionDays: retention }),
    ...(logResponses === undefined ? {} : { logResponses }),
    ...(responseCache === undefined ? {} : { responseCache }),
    ...(fallback === undefined ? {} : { fallbackModels: fallback }),
    ...(rpm === undefined ? {} : { requestsPerMinute: rpm.perMinute }),
    ...(tpm === undefined ? {} : { tokensPerMinute: tpm.perMinute }),
    ...(storage === undefined ? {} : { maxStorageGb: storage.gigabytes }),
    ...(guard === undefined ? {} : { guardedCallsPerMinute: guard.perMinute }),
    ...(evidencePolicy === undefined ? {} : { evidencePolicy }),
  }
}

function toJson(slug: string, settings: WorkspaceSettingsRow): Record<string, unknown> {
  return {
    workspace: slug,
    logging: settings.loggingEnabled,
    retention_days: settings.retentionDays,
    log_responses: settings.logResponses,
    response_cache: settings.responseCache,
    fallback_models: settings.fallbackModels,
    requests_per_minute: settings.requestsPerMinute,
    tokens_per_minute: settings.tokensPerMinute,
    max_storage_gb: settings.maxStorageGb,
    guarded_calls_per_minute: settings.guardedCallsPerMinute,
    evidence_policy: settings.evidencePolicy,
  }
}

function describe(slug: string, settings: WorkspaceSettingsRow): string {
  const onOff = (isOn: boolean) => (isOn ? 'on' : 'off')
  const { fallbackModels } = settings
  return [
    `workspace       ${slug}`,
    `logging         ${onOff(settings.loggingEnabled)}, stored for ${settings.retentionDays} days`,
    `responses       ${settings.logResponses ? 'logged too, while logging is on' : 'not logged'}`,
    `response cache  ${onOff(settings.responseCache)}`,
    `fallback        ${fallbackModels.length === 0 ? 'none' : fallbackModels.join(', ')}`,
    `limits          ${settings.requestsPerMinute ?? 'no limit of'} requests and ${settings.tokensPerMinute ?? 'no limit of'} tokens per minute`,
    `storage         ${settings.maxStorageGb ?? '10 (default)'} GB`,
    `abuse guard     ${settings.guardedCallsPerMinute ?? 'default number of'} calls per minute that create paid work or files`,
    `repoints        ${settings.evidencePolicy === 'enforce' ? 'require evidence' : 'require no evidence'}`,
  ].join('\n')
}

import {
  getModelVersion,
  listModelVersions,
  type ModelVersion,
  type ModelVersionDetail,
  modelVersionStatuses,
} from '@ratchet/contracts/model-versions'
import { Option } from 'commander'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { parsePageLimit } from '../api/page-limit.ts'
import { addAdoption } from './adopt-version.ts'
import { addDownload } from './download-version.ts'
import { addServing, servingText } from './serve-version.ts'
import { addVersionArgument } from './version-id.ts'

/** Commands of model versions: what training has made, its evidence, its adoption and its files. */
export function versionCommands(commands: ApiCommands): void {
  addList(commands)
  addShow(commands)
  addAdoption(commands)
  addServing(commands)
  addDownload(commands)
}

interface ListOptions {
  readonly limit: string
  readonly status?: string
  readonly base?: string
}

function addList({ group, run }: ApiCommands): void {
  group
    .command('list')
    .description('List model versions, newest first.')
    .option('--limit <count>', 'maximum number', parsePageLimit, '20')
    .addOption(new Option('--status <status>', 'only versions with this status').choices(modelVersionStatuses))
    .option('--base <model>', 'only versions of this base')
    .action(({ limit, status, base }: ListOptions) =>
      run(async ({ connect }) => {
        const api = await connect()
        const query = { limit, status, base_model: base }
        const { value, json } = await api.call(listModelVersions, { query })
        const table = formatTable([['ID', 'MODEL', 'STATUS', 'MADE BY', 'STEP', 'ALIASES'], ...value.data.map(rowOf)])
        return { json, text: value.data.length === 0 ? 'no versions; a fine-tuning job makes them' : table }
      }),
    )
}

function rowOf({ id, model_id, status, produced_by, step, aliases }: ModelVersion): readonly string[] {
  return [id, model_id, status, produced_by.type, step === null ? '' : String(step), aliasText(aliases)]
}

function aliasText(aliases: ModelVersion['aliases']): string {
  return aliases.map(({ name, percent }) => `${name} ${percent} %`).join(', ')
}

function addShow({ group, run }: ApiCommands): void {
  addVersionArgument(
    group.command('show').description('Show a model version and what is known of its quality.'),
  ).action((id: string) =>
    run(async ({ connect }) => {
      const api = await connect()
      const { value, json } = await api.call(getModelVersion, { params: { id } })
      return { json, text: formatTable(factsOf(value)) }
    }),
  )
}

function factsOf(version: ModelVersionDetail): readonly (readonly string[])[] {
  const { evidence, adapter, serving } = version
  const rows: readonly (readonly [string, string | null])[] = [
    ['model', version.model_id],
    ['status', version.status_reason === null ? version.status : `${version.status}: ${version.status_reason}`],
    ['base', version.base_model],
    ['made by', [version.produced_by.type, version.produced_by.id ?? ''].join(' ').trim()],
    ['trained from', version.parent_id],
    ['dataset', version.dataset_id],
    ['adapter', adapter === null ? null : `rank ${adapter.rank}, ${adapter.size_bytes} bytes`],
    ['served', servingText(serving)],
    ['aliases', aliasText(version.aliases) || null],
    ['eval', evidence.eval_id],
    ['win rate', winRateText(evidence)],
    ['guard', evidence.guard_verdict],
    ['audit', auditText(evidence)],
  ]
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}

function winRateText({ win_rate: rate, win_rate_ci: interval, baseline_model }: ModelVersionDetail['evidence']) {
  if (rate === null || interval === null) return null
  const [low, high] = interval.map((bound) => bound.toFixed(3))
  return `${rate.toFixed(3)} against ${baseline_model}, ${low} to ${high}`
}

function auditText({ audit }: ModelVersionDetail['evidence']): string | null {
  if (audit === null) return null
  return `${audit.graded} graded, ${audit.false_pass} false passes, at most ${audit.upper.toFixed(3)}`
}

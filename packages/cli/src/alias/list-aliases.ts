import { type Alias, listAliases as endpoint } from '@ratchet/contracts/aliases'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { parsePageLimit } from '../api/page-limit.ts'

export function listAliases({ group, run }: ApiCommands): void {
  group
    .command('list')
    .description('List aliases by name.')
    .option('--limit <count>', 'maximum number', parsePageLimit, '50')
    .action(({ limit }: { readonly limit: string }) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(endpoint, { query: { limit } })
        const table = formatTable([
          ['NAME', 'TARGET', 'CANARY', 'GATE', 'SHADOW', 'VERSION', 'CHANGED'],
          ...value.data.map(rowOf),
        ])
        return { json, text: value.data.length === 0 ? 'no aliases; `ratchet alias set` creates one' : table }
      }),
    )
}

function rowOf(alias: Alias): readonly string[] {
  const { name, target_model, canary_model, canary_percent, gate_mode, gate_state, shadow_model, shadow_percent } =
    alias
  return [
    name,
    target_model,
    shareOf(canary_model, canary_percent),
    gate_mode === null ? (gate_state ?? '-') : `${gate_mode}: ${gate_state ?? '-'}`,
    shareOf(shadow_model, shadow_percent),
    String(alias.version),
    `${alias.updated_at} by ${alias.updated_by}`,
  ]
}

function shareOf(model: string | null, percent: number): string {
  return model === null ? '-' : `${model} ${percent} %`
}

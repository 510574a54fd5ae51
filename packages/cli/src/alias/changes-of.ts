import type { AliasSettings } from '@ratchet/contracts/aliases'
import { defaultSettings } from './settings-of.ts'

/** A changed setting of an alias: name, value before and value after. */
export type Change = readonly [string, string, string]

/** `null` before: a new alias, whose non-default settings are listed. `null` after: a deleted one. */
export function changesOf(before: AliasSettings | null, after: AliasSettings | null): readonly Change[] {
  const nothing = defaultSettings((before ?? after)?.name ?? '')
  const [old, now] = [before ?? nothing, after ?? nothing].map(inWords)
  return Object.keys({ ...old, ...now }).flatMap((name) => {
    const [was = '-', is = '-'] = [old?.[name], now?.[name]]
    return was === is ? [] : [[name, was, is] as const]
  })
}

/** One line for each changed setting. */
export function changesText(changes: readonly Change[]): string {
  const widths = [0, 1].map((column) => Math.max(0, ...changes.map((change) => change[column]?.length ?? 0)))
  return changes
    .map(([name, was, is]) => `  ${name.padEnd(widths[0] ?? 0)}  ${was.padEnd(widths[1] ?? 0)} -> ${is}`)
    .join('\n')
}

function inWords({
  gate_guard: guard,
  family_rules: rules,
  ...settings
}: AliasSettings): Readonly<Record<string, string>> {
  const families = rules.map(({ segment, model }) => [`family ${segment}`, model ?? 'split'] as const)
  const all = [...Object.entries(settings), ...Object.entries(guard ?? {}), ...families]
  return Object.fromEntries(all.map(([name, value]) => [name, value === null || value === '' ? '-' : String(value)]))
}

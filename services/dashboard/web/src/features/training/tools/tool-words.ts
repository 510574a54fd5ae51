import type { EnvironmentTool, ToolStats, ToolTest } from '@ratchet/contracts/environment-tools'
import { count, percent } from '../../../kit/numbers.ts'
import type { State } from '../../../kit/state-mark.tsx'

const kinds: Record<EnvironmentTool['kind'], string> = {
  http: 'an address',
  static: 'fixed answers',
  recorded: 'recorded from traces',
}

export function kindText({ kind }: Pick<EnvironmentTool, 'kind'>): string {
  return kinds[kind]
}

/** How the last calls went. */
export function statsText({ calls, errors }: Pick<ToolStats, 'calls' | 'errors'>): string {
  if (calls === 0) return 'not called yet'
  return errors === 0 ? `${count(calls)}, none failed` : `${count(calls)}, ${percent(errors / calls)} failed`
}

/** A share as people read it; a dash when there is none. */
export function shareText(share: number | null): string {
  return share === null ? '–' : percent(share)
}

/** Least share of calls with a recording. Below it a run pauses. */
const minHitShare = 0.5

/** Whether a share of calls that were found is good enough for a run. */
export function coverageState(share: number | null): State {
  if (share === null) return 'none'
  return share >= minHitShare ? 'proven' : 'wrong'
}

const matches: Record<NonNullable<EnvironmentTool['recorded']>['match'], string> = {
  exact: 'equal arguments',
  normalized: 'equal arguments, without regard to case and spaces',
  nearest: 'the most similar call',
}

export function matchText(recorded: NonNullable<EnvironmentTool['recorded']>): string {
  const { match, key_arguments: keys, ignore_arguments: ignored } = recorded
  if (keys.length > 0) return `${matches[match]}; only ${keys.join(', ')}`
  return ignored.length > 0 ? `${matches[match]}; without ${ignored.join(', ')}` : matches[match]
}

const misses: Record<NonNullable<EnvironmentTool['recorded']>['on_miss'], string> = {
  error: 'an error that the model sees',
  static: 'a fixed answer',
  http: 'a call of an address',
}

export function missText({ on_miss: onMiss }: NonNullable<EnvironmentTool['recorded']>): string {
  return misses[onMiss]
}

/** What a call came to, in one line. */
export function testText({ ok, error, status, duration_ms: ms, recorded_hit: hit, truncated }: ToolTest): string {
  return [
    ok ? 'Answered' : `Failed: ${error?.code ?? 'no answer'}`,
    ...(status === null ? [] : [`HTTP ${status}`]),
    `${count(ms)} ms`,
    ...(hit === null ? [] : [hit ? 'from a recording' : 'no recording']),
    ...(truncated ? ['cut at the maximum length'] : []),
  ].join(' · ')
}

/** The arguments that a person typed: an object, or what is wrong with them. */
export function argumentsOf(text: string): { readonly value: Record<string, unknown> } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: { ...value } }
    return { problem: 'The arguments must be a JSON object.' }
  } catch {
    return { problem: 'This is not JSON.' }
  }
}

/** Arguments to begin with: every required one, empty. */
export function exampleArguments({ parameters }: Pick<EnvironmentTool, 'parameters'>): string {
  const { properties, required } = parameters as { properties?: Record<string, { type?: unknown }>; required?: unknown }
  const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : []
  const entries = names.map((name) => [name, properties?.[name]?.type === 'string' ? '' : null])
  return JSON.stringify(Object.fromEntries(entries), null, 2)
}

import type { Alias, AliasEventKind, AliasSettings, GateState } from '@ratchet/contracts/aliases'
import { otherFamilies } from '@ratchet/contracts/family-rules'
import type { State } from '../../kit/state-mark.tsx'

interface GateWord {
  readonly word: string
  readonly state: State
}

/** What a gate says about its canary, as a word and a mark. */
export const gateWords: Readonly<Record<GateState, GateWord>> = {
  collecting: { word: 'collecting', state: 'open' },
  healthy: { word: 'nothing proven', state: 'open' },
  promote_ready: { word: 'proven not worse', state: 'proven' },
  promoted: { word: 'promoted', state: 'proven' },
  rollback_recommended: { word: 'proven worse', state: 'wrong' },
  rolled_back: { word: 'rolled back', state: 'wrong' },
  inconclusive: { word: 'undecided', state: 'borderline' },
  starved: { word: 'too little traffic', state: 'open' },
  expired: { word: 'time is over', state: 'borderline' },
}

export const eventWords: Readonly<Record<AliasEventKind, string>> = {
  created: 'created',
  repoint: 'target changed',
  canary_set: 'split changed',
  rollback: 'rolled back',
  update: 'settings changed',
  gate_promote: 'promoted by the gate',
  gate_rollback: 'rolled back by the gate',
  gate_family_rollback: 'family rolled back by the gate',
  gate_starved: 'too little traffic',
  gate_ended: 'gate ended without a decision',
  gate_reset: 'judge changed, counts begin again',
  delete: 'deleted',
}

/** Whether requests are split between two models. */
export function isSplit({
  canary_model: model,
  canary_percent: percent,
}: Pick<AliasSettings, 'canary_model' | 'canary_percent'>): boolean {
  return model !== null && percent > 0 && percent < 100
}

/** Whether a gate watches a live split. */
export function isWatched(
  alias: Pick<AliasSettings, 'canary_model' | 'canary_percent' | 'gate_mode' | 'gate_criterion_id'>,
): boolean {
  return isSplit(alias) && alias.gate_mode !== null && alias.gate_criterion_id !== null
}

/** The model that most requests are meant for. */
export function mainModel({
  target_model: target,
  canary_model: canary,
  canary_percent: percent,
}: Pick<AliasSettings, 'target_model' | 'canary_model' | 'canary_percent'>): string {
  return percent === 100 && canary !== null ? canary : target
}

/** Where requests go, as a sentence without an end. */
export function routeText({
  target_model: target,
  canary_model: canary,
  canary_percent: percent,
}: Pick<Alias, 'target_model' | 'canary_model' | 'canary_percent'>): string {
  if (canary === null || percent === 0) return `all requests to ${target}`
  if (percent === 100) return `all requests to the canary ${canary}`
  return `${percent} % to the canary ${canary}, the rest to ${target}`
}

/** The name of a prompt family. */
export function familyText(segment: string, labels: ReadonlyMap<string, string>): string {
  if (segment === otherFamilies) return 'all other families'
  if (segment === 'none') return 'no system prompt'
  if (segment === 'seg_other') return 'families beyond the limit'
  return labels.get(segment) ?? segment
}

import { readGateVerdicts } from '@ratchet/contracts/internal-judging'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { Judged } from '../gate/judged-alias.ts'
import type { ShadowStore } from './pg-shadows.ts'

export interface CollectShadowsDeps {
  readonly shadows: Pick<ShadowStore, 'answered' | 'saveVerdicts'>
  readonly judging: Pick<FleetClient, 'call'>
}

const maxAnswers = 1_000

/** Collects the verdicts on shadow answers. One that judging does not know was deleted with its exchange. */
export async function collectShadowVerdicts(
  { shadows, judging }: CollectShadowsDeps,
  { alias, identity, judge }: Judged,
): Promise<void> {
  const { shadow_model: model } = alias.settings
  if (model === null) return
  const key = { aliasId: alias.id, model }
  const waiting = await shadows.answered(key, maxAnswers)
  if (waiting.length === 0) return
  const body = {
    criterion_id: judge.criterionId,
    instrument: judge.instrument,
    source: 'shadow' as const,
    shadow_of: model,
    log_ids: waiting.map((id) => publicId('log', id)),
  }
  const { data } = await judging.call(readGateVerdicts, { body }, identity)
  const found = new Map(data.map((each) => [uuidOf('log', each.log_id ?? ''), each]))
  const verdicts = waiting.flatMap((logId) => {
    const { state = 'failed', verdict = null, failure = 'gone' } = found.get(logId) ?? {}
    return state === 'pending' ? [] : [{ logId, verdict, failure: verdict === null ? (failure ?? 'gone') : null }]
  })
  if (verdicts.length > 0) await shadows.saveVerdicts(key, verdicts)
}

import type { Identity } from '@ratchet/contracts/identity'
import type { VerdictCost } from '@ratchet/contracts/internal-judging'
import { nanoToUsd } from '@ratchet/contracts/money'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { estimateCostUsd } from '../calibration/estimate-cost.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { free } from '../criteria/judge-prices.ts'
import type { GateReads } from './pg-gate-reads.ts'

export interface VerdictCostDeps {
  readonly gates: Pick<GateReads, 'recentCost'>
  readonly models: ModelCatalog
}

/** With fewer verdicts their mean says less than the price of the model. */
const minVerdicts = 5
/** The assumed size of what is judged while there are no verdicts: about 1,000 tokens of an exchange, 8,000 of a run. */
const usualBytes: Readonly<Record<StoredCriterion['unit'], number>> = { request: 4_000, trace: 32_000 }

/** What a verdict of a judge costs; null when that is not known. A refused verdict costs too, so it is paid by the others. */
export async function verdictCost(
  { gates, models }: VerdictCostDeps,
  { criterion, identity }: { readonly criterion: StoredCriterion; readonly identity: Identity },
): Promise<VerdictCost | null> {
  const { verdicts, costNano } = await gates.recentCost(criterion)
  if (verdicts >= minVerdicts) return { usd: nanoToUsd(costNano) / verdicts, from: 'verdicts' }
  const model = criterion.checks === null ? await models.find(identity, criterion.judgeModel).catch(withoutPrice) : free
  if (model === null) return null
  const { judgePrompt, unit } = criterion
  return { usd: estimateCostUsd({ rows: 1, contentBytes: usualBytes[unit], judgePrompt, model }), from: 'list_price' }
}

/** A gate works without its price, so the price must not keep it from its judge. */
function withoutPrice(error: unknown): null {
  if (error instanceof ServiceError) return null
  throw error
}

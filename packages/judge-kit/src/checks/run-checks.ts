import type { Verdict } from '@ratchet/contracts/criteria'
import type { CriterionCheck } from '@ratchet/contracts/criterion-checks'
import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { toEnd } from '@ratchet/service-kit/timing/to-end'
import type { JudgedUnit } from '../prompt/build-judge-prompt.ts'
import type { ExchangeMessage, JudgedExchange } from '../prompt/exchange.ts'
import { checkInSteps, type FitsSchema, isBeyondComparing, textOf } from './check-answer.ts'
import { countCharacters } from './count-text.ts'
import type { RunScript } from './script.ts'

export interface ChecksDeps {
  readonly fitsSchema: FitsSchema
  readonly runScript: RunScript
  /** In which checks of long answers share the event loop. */
  readonly slicedWork: SlicedWork
}

export interface CheckedItem {
  readonly checks: readonly CriterionCheck[]
  readonly exchange: JudgedExchange
  /** In a run, calls of tools by all of its steps count. */
  readonly unit: JudgedUnit
  /** The workspace that owns the checks. */
  readonly workspaceId: string
}

export type ChecksResult =
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly explanation: string }
  /** A script failed, or the answer is too long, so nothing is known of the answer. */
  | { readonly kind: 'failed'; readonly explanation: string }

/**
 * Checks an answer. It passes when each check does. The explanation names the checks that it fails, by number and type.
 *
 * @throws ServiceError `service_unavailable` when too many scripts wait
 */
export async function runChecks(item: CheckedItem, deps: ChecksDeps): Promise<ChecksResult> {
  const failed: string[] = []
  for (const [index, check] of item.checks.entries()) {
    const name = `check ${index + 1} (${check.type})`
    const { holds, reason } = await holdsFor(check, item, deps)
    if (holds === null) return { kind: 'failed', explanation: `The ${name} has no result: ${reason ?? 'unknown'}` }
    if (holds === check.negate) failed.push(reason === null ? name : `${name}: ${reason}`)
  }
  if (failed.length > 0) return { kind: 'verdict', verdict: 'fail', explanation: `It fails ${failed.join('; ')}.` }
  const explanation = item.checks.length === 1 ? 'It passes the check.' : `It passes all ${item.checks.length} checks.`
  return { kind: 'verdict', verdict: 'pass', explanation }
}

interface Held {
  /** Whether what the check names holds; null when that is not known. */
  readonly holds: boolean | null
  readonly reason: string | null
}

/** Characters of an answer whose checks take a moment. */
const maxShortChars = 16_384

async function holdsFor(check: CriterionCheck, item: CheckedItem, deps: ChecksDeps): Promise<Held> {
  const { exchange, unit, workspaceId } = item
  const text = textOf(exchange.response)
  if (check.type === 'script') {
    const { response, messages, tools } = exchange
    const answer = { text, response, messages, tools: tools ?? [] }
    const result = await deps.runScript(workspaceId, { source: check.source, answer })
    return result.kind === 'ran'
      ? { holds: result.pass, reason: result.reason }
      : { holds: null, reason: result.problem }
  }
  // Otherwise a long answer would pass whatever it must not be.
  if (check.negate && isBeyondComparing(check, text)) return { holds: null, reason: 'the answer is too long for it' }
  const steps = () => stepsOf(check, item, deps)
  // A schema is compiled before its first answer.
  const isShort = text.length <= maxShortChars && unit === 'request' && check.type !== 'json_schema'
  return { holds: await (isShort ? toEnd(steps()) : deps.slicedWork.run(steps())), reason: null }
}

type PlainCheck = Exclude<CriterionCheck, { readonly type: 'script' }>

function* stepsOf(check: PlainCheck, item: CheckedItem, { fitsSchema }: ChecksDeps): Generator<void, boolean> {
  switch (check.type) {
    case 'json':
      return yield* checkInSteps({ type: 'json_schema', schema: {} }, answerOf(item), () => true)
    case 'characters': {
      const count = countCharacters(textOf(item.exchange.response))
      return count >= check.min && count <= check.max
    }
    default:
      return yield* checkInSteps(check, answerOf(item), fitsSchema)
  }
}

function answerOf({ exchange: { messages, response }, unit }: CheckedItem) {
  const earlier: readonly ExchangeMessage[] = unit === 'trace' ? messages : []
  return { completion: [...earlier, response], reference: null }
}

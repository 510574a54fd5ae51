import { type Cell, isLeft, isMedia } from './matrix.ts'
import type { AnswerOutcome, Outcome } from './outcome.ts'
import { hiddenTokens, reasoningTokens } from './plan.ts'
import { chargeOf, type Tokens } from './prices.ts'
import type { Seen } from './run-cell.ts'
import { tokensToPay } from './tokens-to-pay.ts'

/** Computes the expected outcome of a cell, only from the provider's report and the prices of its catalog. */
export function expectedOutcome(cell: Cell, seen: Seen): Outcome {
  const { plan, paidNano } = seen
  const model = plan.spare ?? plan.model
  const tokens = tokensToPay(cell, seen)
  const amounts = tokens?.map((each) => chargeOf(model, each)) ?? []
  const chargedNano = amounts.find((amount) => amount === paidNano) ?? amounts[0] ?? 0n
  const charge: Charge = { model, chargedNano, tokens: tokens?.[0] ?? null }
  return {
    answers: plan.requests.map((isStream, index) => expectedAnswer(cell, seen, { ...charge, isStream, index })),
    calls: plan.calls,
    emitted: expectedTokens(cell, seen),
    ledgerState: {
      paidNano: chargedNano,
      chargedNano,
      held: 0n,
      open: 0,
      // The hold of a batch is a request that costs nothing.
      posted: (tokens === null ? 0 : 1) + (cell.condition === 'batch' ? 1 : 0),
      violations: [],
    },
  }
}

interface Charge {
  /** The model that answers. */
  readonly model: string
  readonly chargedNano: bigint
  readonly tokens: Tokens | null
}

interface Request extends Charge {
  readonly isStream: boolean
  /** Index among the requests of the cell. */
  readonly index: number
}

function expectedAnswer(cell: Cell, { plan }: Seen, { model, chargedNano, tokens, isStream, index }: Request) {
  const { condition } = cell
  const isReplay = index > 0 && condition === 'idempotent replay'
  const isHit = index > 0 && condition === 'cache hit'
  const answer: AnswerOutcome = {
    status: 200,
    broken: false,
    servedModel: model,
    cache: isReplay ? null : isHit ? 'hit' : condition === 'cache hit' ? 'miss' : 'off',
    fallbackFrom: plan.spare === null ? null : plan.model,
    replayed: isReplay ? 'true' : null,
    headerNano: null,
    shown: null,
  }
  const isBegun = isStream && condition !== 'leaves before the first token' && condition !== 'leaves after a fallback'
  if (isLeft(cell) || condition === 'upstream cut' || condition === 'cut after a search')
    return isBegun ? broken(answer) : failed(cell, model)
  const costNano = isHit ? 0n : chargedNano
  const { prompt = 0, completion = 0 } = tokens ?? {}
  // A sound states its cost in the header alone.
  const shown = cell.surface === 'speech' ? null : { costNano, prompt, completion }
  // A file has no headers.
  if (condition === 'batch') return { ...answer, servedModel: null, cache: null, shown }
  return { ...answer, headerNano: isStream ? null : costNano, shown }
}

/** A stream that ended before its usage. */
function broken(answer: AnswerOutcome): AnswerOutcome {
  return { ...answer, broken: true }
}

/** No answer: the client disconnected, or received an error that names the model. */
function failed(cell: Cell, model: string): AnswerOutcome {
  const isGone = isLeft(cell)
  const servedModel = isGone ? null : model
  const nothing = { servedModel, cache: null, fallbackFrom: null, replayed: null, headerNano: null, shown: null }
  return { status: isGone ? 0 : 502, broken: isGone, ...nothing }
}

/** Expected number of sent tokens: the provider must have sent what it generated and was paid for. */
function expectedTokens({ surface, delivery, condition }: Cell, { rows }: Seen): number {
  const sent = rows.at(-1)?.tokens_emitted ?? 0
  const generated = rows.at(-1)?.usage?.completion_tokens ?? 0
  if (surface === 'embeddings' || surface === 'rerank' || isMedia(surface)) return 0
  if (condition === 'cut after a search') return between(sent, 1, generated - 1)
  if (condition === 'upstream cut') return delivery === 'plain' ? 0 : between(sent, 1, generated - 1)
  if (condition === 'client leaves' && delivery === 'stream') return between(sent, 1, generated - 1)
  if (condition === 'leaves before the first token' || condition === 'leaves after a fallback') return 0
  // Some wire formats count hidden tokens as sent.
  if (condition === 'hidden reasoning') return between(sent, generated - hiddenTokens, generated)
  // Some wire formats do not send reasoning.
  return condition === 'reasoning' ? between(sent, generated - reasoningTokens, generated) : generated
}

function between(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}

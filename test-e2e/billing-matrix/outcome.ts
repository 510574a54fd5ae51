import type { Answer } from './call.ts'
import type { Cell } from './matrix.ts'
import { endOf, type Seen } from './run-cell.ts'
import { type Reported, readAnswer } from './speak.ts'

/** The expected or real outcome of a cell. Money is in nano-dollars. */
export interface Outcome {
  readonly answers: readonly AnswerOutcome[]
  /** How the provider's calls ended. */
  readonly calls: readonly string[]
  /** Number of tokens that the provider sent, over all calls. */
  readonly emitted: number
  readonly ledgerState: {
    /** Decrease of the wallet. */
    readonly paidNano: bigint
    /** Σ of the ledger's charges. */
    readonly chargedNano: bigint
    readonly held: bigint
    readonly open: number
    readonly posted: number
    readonly violations: readonly string[]
  }
}

export interface AnswerOutcome {
  /** 0 when the client disconnected before the answer. */
  readonly status: number
  readonly broken: boolean
  readonly servedModel: string | null
  readonly cache: string | null
  readonly fallbackFrom: string | null
  readonly replayed: string | null
  /** Cost in the header of a plain answer. */
  readonly headerNano: bigint | null
  /** Cost in the usage. */
  readonly shown: { readonly costNano: bigint; readonly prompt: number; readonly completion: number } | null
}

export function outcomeOf(cell: Cell, { plan, answers, rows, ledgerState, paidNano }: Seen): Outcome {
  const { held, open, posted, charged: chargedNano, violations } = ledgerState
  return {
    answers: answers.map((answer, index) => answerOutcome(cell, answer, plan.requests[index] === true)),
    calls: rows.map(endOf),
    emitted: rows.reduce((sum, { tokens_emitted }) => sum + tokens_emitted, 0),
    ledgerState: { paidNano, chargedNano, held, open, posted, violations },
  }
}

/** Usage and text of a complete answer; null for any other. */
export function reportedBy({ surface }: Cell, { status, raw }: Answer, isStream: boolean): Reported | null {
  return status === 200 && raw !== '' ? readAnswer(surface, raw, isStream) : null
}

function answerOutcome(cell: Cell, answer: Answer, isStream: boolean): AnswerOutcome {
  const { status, headers, broken } = answer
  const reported = reportedBy(cell, answer, isStream)
  const cost = headers.get('x-svc-cost-usd')
  return {
    status,
    broken,
    servedModel: headers.get('x-svc-served-model'),
    cache: headers.get('x-svc-cache'),
    fallbackFrom: headers.get('x-svc-fallback-from'),
    replayed: headers.get('idempotent-replay'),
    headerNano: cost === null ? null : nanoOf(Number(cost)),
    shown:
      reported === null
        ? null
        : { costNano: nanoOf(reported.cost), prompt: reported.prompt, completion: reported.completion },
  }
}

/** Converts US dollars, which are whole micro-dollars, to nano-dollars. */
function nanoOf(usd: number): bigint {
  return BigInt(Math.round(usd * 1e6)) * 1_000n
}

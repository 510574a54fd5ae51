import type { ChildExit } from '@ratchet/infra/child'

/** What a client of a fault run got for one request. */
export interface Answer {
  /** Sent as `user` in the body, so that the provider's report tells of it. */
  readonly tag: string
  /** Null when no head of an answer came. */
  readonly status: number | null
  readonly requestId: string | null
  /** All of it came: a JSON body, or a stream to its `[DONE]`. */
  readonly whole: boolean
  /** Nothing is charged under its own id: it came from the cache, or is billed under its idempotency key. */
  readonly free: boolean
}

/** A row of the books. */
export interface BilledRequest {
  readonly requestId: string
  readonly state: 'open' | 'posted' | 'voided'
  readonly cost: bigint
  readonly openedAtMs: number
}

/** A request that reached the provider. */
export interface ProviderCall {
  readonly tag: string | null
  readonly startedAtMs: number
}

export interface ProcessExit extends ChildExit {
  readonly name: string
  readonly wasAsked: boolean
}

/** What is known when a fault run is over and every process has been asked to stop. */
export interface Evidence {
  readonly answers: readonly Answer[]
  readonly billed: readonly BilledRequest[]
  readonly providerCalls: readonly ProviderCall[]
  /** Invariants of the books that do not hold, in words. */
  readonly violations: readonly string[]
  /** How every process ended; one that was not asked to by the oracle had ended before. */
  readonly exits: readonly ProcessExit[]
  /** Connections to Postgres and Redis that outlived them. */
  readonly openConnections: number
  /** Secrets that were found where none belongs. */
  readonly leaks: readonly { readonly secret: string; readonly place: string }[]
}

/** Milliseconds that the clocks of the database and the provider may differ by in how they round. */
const roundingMs = 5

/** Everything that must be true after any fault and is not, in words; empty when all is well. */
export function findProblems(evidence: Evidence): readonly string[] {
  const { violations, exits, openConnections, leaks } = evidence
  return [
    ...violations,
    ...chargeProblems(evidence),
    ...holdProblems(evidence),
    ...exits.flatMap(exitProblems),
    ...(openConnections === 0 ? [] : [`${openConnections} connections to the stores outlived their processes`]),
    ...leaks.map(({ secret, place }) => `${secret} was found in ${place}`),
  ]
}

/** A process ends well when it is asked to, and otherwise only where a fault kills it. */
function exitProblems({ name, code, signal, wasAsked }: ProcessExit): readonly string[] {
  const wasKilled = !wasAsked && signal === 'SIGKILL'
  return code === 0 || wasKilled ? [] : [`${name} ended with ${signal ?? code}`]
}

/** Each delivered answer is charged once; what failed is charged nothing. */
function chargeProblems({ answers, billed }: Evidence): readonly string[] {
  const byId = groupBy(billed, ({ requestId }) => requestId)
  return answers.flatMap(({ tag, status, requestId, whole, free }) => {
    const rows = requestId === null ? [] : (byId.get(requestId) ?? [])
    const posted = rows.filter(({ state }) => state === 'posted').length
    if (rows.length > 1) return [`${tag} is in the books ${rows.length} times`]
    if (status === 200 && whole && !free && posted !== 1) return [`${tag} was delivered and is not charged`]
    if (status !== null && status >= 400 && rows.some(({ cost }) => cost > 0n)) return [`${tag} failed and is charged`]
    if (free && posted > 0) return [`${tag} was free and is charged`]
    return []
  })
}

/** Nobody is called before a hold is committed. */
function holdProblems({ answers, billed, providerCalls }: Evidence): readonly string[] {
  const rowOf = new Map(billed.map((row) => [row.requestId, row]))
  const answerOf = new Map(answers.map((answer) => [answer.tag, answer]))
  const tags = new Set(providerCalls.flatMap(({ tag }) => tag ?? []))
  const many = tags.size > billed.length ? [`the provider saw ${tags.size} requests on ${billed.length} holds`] : []
  const early = providerCalls.flatMap(({ tag, startedAtMs }) => {
    const { requestId = null, free = false } = answerOf.get(tag ?? '') ?? {}
    if (requestId === null || free) return []
    const row = rowOf.get(requestId)
    if (row === undefined) return [`the provider was called for ${tag} without a hold`]
    return startedAtMs + roundingMs < row.openedAtMs ? [`the provider was called for ${tag} before its hold`] : []
  })
  return [...many, ...early]
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group === undefined) groups.set(keyOf(row), [row])
    else group.push(row)
  }
  return groups
}

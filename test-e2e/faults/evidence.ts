import type { ChildExit } from '@ratchet/infra/processes/child'

/** The answer that a client of a fault run received to one request. */
export interface Answer {
  /** Sent as `user` in the body, so that the provider's report contains it. */
  readonly tag: string
  /** Null when no head of an answer arrived. */
  readonly status: number | null
  readonly requestId: string | null
  /** Whether the answer is complete: a JSON body, or a stream with its `[DONE]`. */
  readonly whole: boolean
  /** True when its request id has no charge: it is from the cache, or is charged under its idempotency key. */
  readonly free: boolean
}

/** A billed request of the ledger. */
export interface BilledRequest {
  readonly requestId: string
  readonly state: 'open' | 'posted' | 'voided'
  readonly cost: bigint
  readonly openedAtMs: number
}

/** A part of the wallet out of which a process of inference holds without rows. */
export interface HeldBlock {
  readonly openedAtMs: number
  /** Null while it is open. */
  readonly sealedAtMs: number | null
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

/** Everything that is checked when a fault run is over and every process was sent a stop signal. */
export interface Evidence {
  readonly answers: readonly Answer[]
  readonly billed: readonly BilledRequest[]
  readonly blocks: readonly HeldBlock[]
  readonly providerCalls: readonly ProviderCall[]
  /** Descriptions of broken ledger invariants. */
  readonly violations: readonly string[]
  /** How every process ended; `wasAsked` is false for one that ended before it was sent a stop signal. */
  readonly exits: readonly ProcessExit[]
  /** Number of connections to Postgres and Redis that outlived the processes. */
  readonly openConnections: number
  /** Secrets that were found in a wrong place. */
  readonly leaks: readonly { readonly secret: string; readonly place: string }[]
}

/** Milliseconds by which times of the database and of the provider may differ because of rounding. */
const roundingMs = 5

/** Describes everything that must hold after any fault and does not; empty when all is correct. */
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

/** A process must exit with 0 when it is sent a stop signal; before that, only a fault may kill it. */
function exitProblems({ name, code, signal, wasAsked }: ProcessExit): readonly string[] {
  const wasKilled = !wasAsked && signal === 'SIGKILL'
  return code === 0 || wasKilled ? [] : [`${name} ended with ${signal ?? code}`]
}

/** Each delivered answer must be charged once, and a failed one not at all. */
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

/** No provider may be called before a hold is committed: a row, or a block that is open. */
function holdProblems({ answers, billed, blocks, providerCalls: calls }: Evidence): readonly string[] {
  const providerCalls = calls.filter(({ startedAtMs }) => !blocks.some((block) => covers(block, startedAtMs)))
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

function covers({ openedAtMs, sealedAtMs }: HeldBlock, atMs: number): boolean {
  return openedAtMs <= atMs + roundingMs && (sealedAtMs === null || sealedAtMs >= atMs)
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

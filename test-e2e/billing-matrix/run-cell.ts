import { randomUUID } from 'node:crypto'
import type { SimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { eventually } from '@ratchet/testing/eventually'
import type { Fleet } from '../fleet.ts'
import { type LedgerState, readLedger } from '../ledger-oracle.ts'
import type { Answer, Call } from './call.ts'
import { type Cell, isLeft } from './matrix.ts'
import { type CallEnd, type Plan, planOf } from './plan.ts'
import { send, sendAndGiveUp, sendAndLeave } from './send.ts'
import { sendBatch } from './send-batch.ts'
import { bodyOf, lastToken } from './speak.ts'
import type { FreshWorkspace, WorkspaceOpener } from './workspaces.ts'

export type ProviderRow = Awaited<ReturnType<SimulatedProvider['report']>>['requests'][number]

/** Everything that was observed of a cell. */
export interface Seen {
  readonly plan: Plan
  readonly answers: readonly Answer[]
  /** Requests that the provider received, from its report. */
  readonly rows: readonly ProviderRow[]
  readonly ledgerState: LedgerState
  /** Decrease of the wallet, nano-dollars. */
  readonly paidNano: bigint
}

export interface RunDeps {
  readonly fleet: Fleet
  readonly workspaces: WorkspaceOpener
}

const balanceNano = 10_000_000_000n
/** Number of chunks that a client reads of a stream before it disconnects. */
const chunksRead = 4
/** Long enough for a slow model to send its complete answer. */
const deadline = { withinMs: 45_000 }

/** How often a cache hit is set up again because Redis did not answer in time. */
const maxLateCaches = 5

/** Runs one cell in a new workspace. No other cell may use the same wire format meanwhile, because calls are identified by it. */
export async function runCell(deps: RunDeps, cell: Cell): Promise<Seen> {
  for (let late = 0; ; late += 1) {
    const seen = await runOnce(deps, cell)
    // The condition of the cell is a hit. A busy machine can exceed the cache's timeout of 50 ms; then there was no hit,
    // and nothing of the cell was checked yet.
    const isLate = cell.condition === 'cache hit' && seen.answers.at(-1)?.headers.get('x-svc-cache') === 'miss'
    if (!isLate || late === maxLateCaches) return seen
  }
}

async function runOnce({ fleet, workspaces }: RunDeps, cell: Cell): Promise<Seen> {
  const plan = planOf(cell, randomUUID())
  const { spare, spareFrom, script } = plan
  const since = await lastSequence(fleet.provider)
  if (script !== null) await fleet.provider.script(script)
  const workspace = await workspaces.open(balanceNano, spare !== null && spareFrom === 'workspace' ? [spare] : [])
  const rowsSoFar = async () => {
    const { requests } = await fleet.provider.report({ since })
    return requests.filter(({ model }) => model?.startsWith(`${cell.wire}/`))
  }
  const answers: Answer[] = []
  for (const stream of plan.requests) {
    const call = callOf({ fleet, workspace, plan, body: bodyOf(cell, { model: plan.model, stream }) })
    answers.push(await sendAs(cell, call, rowsSoFar))
  }
  const rows = await eventually(async () => {
    const now = await rowsSoFar()
    return now.every((row) => isOver(row, plan)) ? now : null
  }, deadline)
  const ledgerState = await ledgerOf(fleet, workspace, cell)
  return { plan, answers, rows, ledgerState, paidNano: balanceNano - ledgerState.balance }
}

/** How a call ended, in the values of a plan. */
export function endOf({ status, completed, peer_left_at_ms }: ProviderRow): CallEnd | string {
  if (peer_left_at_ms !== null) return 'left'
  return completed ? String(status) : 'unfinished'
}

function isOver(row: ProviderRow, { calls }: Plan): boolean {
  return calls.includes('unfinished') || endOf(row) !== 'unfinished'
}

async function lastSequence(provider: SimulatedProvider): Promise<number> {
  const { requests } = await provider.report()
  return Number(requests.at(-1)?.id.slice('req_sim_'.length) ?? 0)
}

interface CallParts {
  readonly fleet: Fleet
  readonly workspace: FreshWorkspace
  readonly plan: Plan
  readonly body: Record<string, unknown>
}

function callOf({ fleet, workspace, plan, body }: CallParts): Call {
  const { spare, spareFrom, headers, model } = plan
  const models = spare !== null && spareFrom === 'request' ? { models: [model, spare] } : {}
  return { url: fleet.url, apiKey: workspace.apiKey, headers, body: { ...body, ...models } }
}

function sendAs(cell: Cell, call: Call, rowsSoFar: () => Promise<readonly ProviderRow[]>): Promise<Answer> {
  const { surface, delivery, condition } = cell
  if (condition === 'batch') return sendBatch(surface, call)
  if (!isLeft(cell)) return send(surface, call)
  if (condition === 'leaves before the first token') return sendAndGiveUp(surface, call, accepted(call, rowsSoFar))
  if (condition === 'leaves after a fallback') {
    const fromSpare = async () => (await rowsSoFar()).filter(({ model }) => model?.includes('pace-'))
    return sendAndGiveUp(surface, call, accepted(call, fromSpare))
  }
  if (delivery === 'plain') {
    const reached = eventually(async () => (await rowsSoFar()).length === 1)
    return sendAndGiveUp(surface, call, reached)
  }
  if (condition === 'client leaves') return sendAndLeave(surface, call, (_text, chunks) => chunks === chunksRead)
  return sendAndLeave(surface, call, (text) => text.includes(JSON.stringify(lastToken)))
}

/** Resolves when the gateway has the head of the provider's answer: it answered a request that was sent after it. */
async function accepted({ url, apiKey }: Call, rowsSoFar: () => Promise<readonly ProviderRow[]>): Promise<void> {
  await eventually(async () => (await rowsSoFar()).some(({ status }) => status === 200))
  for (let i = 0; i < 3; i++) await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
}

/** An answer is charged before it ends, so only a client that disconnected must wait for the ledger. */
function ledgerOf(fleet: Fleet, { workspaceId }: FreshWorkspace, cell: Cell): Promise<LedgerState> {
  const read = () => readLedger(fleet.databaseUrl, workspaceId)
  if (!isLeft(cell) && cell.condition !== 'batch') return read()
  return eventually(async () => {
    const now = await read()
    return now.open === 0 && now.held === 0n ? now : null
  }, deadline)
}

import { textArray, wordArray } from '@ratchet/db/plain-statement'
import { smaller } from './charge.ts'
import type { EscrowClosing } from './escrow-store.ts'
import { endUserValues, labelValues } from './pg-usage-values.ts'

export interface Draw {
  readonly statement: 'draw' | 'drawAlike' | 'drawOne'
  readonly values: readonly string[]
}

/** The statement that charges these requests with the least work, and its parameters. */
export function cheapestDraw(closings: readonly EscrowClosing[]): Draw {
  const { shared, places } = sharedOf(closings)
  const [common, ...others] = shared
  if (common === undefined || others.length > 0)
    return { statement: 'draw', values: drawValues(closings, { shared, places }) }
  if (closings.length > 1) return { statement: 'drawAlike', values: commonValues(itemValues(closings, listOf), common) }
  return { statement: 'drawOne', values: commonValues(itemValues(closings, onlyOf), common) }
}

/** What each request has for itself; null where it has nothing. */
interface ItemValues {
  readonly ids: string
  readonly costs: string
  readonly writeOffs: string
  readonly logRequests: string
  readonly logDays: string
  readonly promptTokens: string
  readonly completionTokens: string
}

type Write = (values: readonly (string | null)[]) => string

const listOf: Write = (values) => wordArray(values.map((value) => value ?? 'NULL'))
const onlyOf: Write = ([value]) => value ?? ''

function itemValues(closings: readonly EscrowClosing[], write: Write): ItemValues {
  const costs = closings.map(({ costNano, escrow }) => smaller(costNano, escrow.holdNano))
  const numbers = (values: readonly (number | bigint | undefined)[]) =>
    write(values.map((value) => (value === undefined ? null : String(value))))
  return {
    ids: write(closings.map(({ billingId }) => billingId)),
    costs: numbers(costs),
    writeOffs: numbers(closings.map(({ costNano }, index) => costNano - (costs[index] ?? 0n))),
    logRequests: write(closings.map(({ logRow }) => logRow?.requestId ?? null)),
    logDays: write(closings.map(({ logRow }) => logRow?.expiresOn ?? null)),
    promptTokens: numbers(closings.map(({ tokens }) => tokens?.promptTokens)),
    completionTokens: numbers(closings.map(({ tokens }) => tokens?.completionTokens)),
  }
}

/** The parameters of `drawOne` and `drawAlike`, with what the requests share. */
function commonValues(items: ItemValues, { workspaceId, escrow }: EscrowClosing): readonly string[] {
  const { blockId, kind, model, priceVersion, labels } = escrow
  const { ids, costs, writeOffs, logRequests, logDays, promptTokens, completionTokens } = items
  const usage = [labels?.keyId ?? '', labels?.tag ?? '', labels?.alias ?? '']
  const own = [ids, workspaceId, blockId, costs, writeOffs, logRequests, logDays]
  return [...own, kind, model, priceVersion, ...usage, promptTokens, completionTokens, labels?.endUserId ?? '']
}

interface Shared {
  readonly shared: readonly EscrowClosing[]
  readonly places: readonly string[]
}

function drawValues(closings: readonly EscrowClosing[], { shared, places }: Shared): readonly string[] {
  const { ids, costs, writeOffs, logRequests, logDays, promptTokens, completionTokens } = itemValues(closings, listOf)
  return [
    ...[ids, costs, writeOffs, logRequests, logDays],
    wordArray(places),
    wordArray(shared.map(({ workspaceId }) => workspaceId)),
    wordArray(shared.map(({ escrow }) => escrow.blockId)),
    textArray(shared.map(({ escrow }) => escrow.kind)),
    textArray(shared.map(({ escrow }) => escrow.model)),
    textArray(shared.map(({ escrow }) => escrow.priceVersion)),
    ...labelValues(shared.map(({ escrow }) => escrow)),
    ...[promptTokens, completionTokens],
    endUserValues(shared.map(({ escrow }) => escrow)),
  ]
}

/** The values that requests share, each combination once, and for each request the place of its combination, from 1. */
function sharedOf(closings: readonly EscrowClosing[]): Shared {
  const shared: EscrowClosing[] = []
  const known = new Map<string, number>()
  const places = closings.map((closing) => {
    const { blockId, kind, model, priceVersion, labels } = closing.escrow
    const usage = `${labels?.keyId ?? ''}\0${labels?.alias ?? ''}\0${labels?.tag ?? ''}\0${labels?.endUserId ?? ''}`
    const key = `${closing.workspaceId} ${blockId} ${kind}\0${model}\0${priceVersion}\0${usage}`
    const place = known.get(key) ?? shared.push(closing)
    known.set(key, place)
    return String(place)
  })
  return { shared, places }
}

import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { CallMeter, CallMoney, CallUsage, PaidCall } from '../calls/call-money.ts'
import { larger, smaller, totalCost, worstSlice } from './call-lines.ts'
import { createMeter, type MeterDeps } from './create-meter.ts'
import { chargeSlice } from './finish-slices.ts'
import { createOpenSlice, type HeldSlice, type OpenSlice } from './open-slice.ts'
import type { CallRates, PriceBook } from './price-book.ts'
import type { SliceCheckpoints } from './slice-checkpoints.ts'
import type { StoredSlice } from './slice-journal.ts'

export interface CallMoneyDeps extends Omit<MeterDeps, 'openSlice' | 'checkpoints'> {
  readonly prices: PriceBook
  /** Null in a process that holds no calls: it cannot begin one. */
  readonly checkpoints: SliceCheckpoints | null
}

/** What a wallet must have beside the first slice: about the cost of one answer of a language model. */
export const reserveNano = 10_000_000n

const freeMeter: CallMeter = { checkpoint: () => undefined, settle: async () => undefined }

/** Money of calls: in the ledger of inference, and written down in the journal of the voice service. */
export function createCallMoney(deps: CallMoneyDeps): CallMoney {
  const { ledger, journal, checkpoints } = deps
  const openWaiting = createOpenSlice(deps, null)
  const openHere = createOpenSlice(deps, checkpoints?.ownerId ?? null)
  return {
    hasPrice: (call) => call.env === 'test' || deps.prices.ratesOf(call) !== null,
    hold: (call) =>
      orUnavailable(async () => {
        const rates = ratesOf(deps, call)
        const amountNano = rates === null ? 0n : worstSlice(rates)
        if ((await ledger.available(call.workspaceId)) < amountNano + reserveNano) {
          // what is held already counts: a repetition must not refuse what the first one held
          const isHeld = rates !== null && (await journal.of(call)).some(({ state }) => state === 'held')
          if (!isHeld) return 'refused'
        }
        if (rates === null) return 'held'
        const opened = await openWaiting(call, { number: 0, rates, amountNano })
        return opened === 'refused' || opened === 'closed' ? 'refused' : 'held'
      }),
    async release(call) {
      await orUnavailable(async () => {
        for (const slice of await journal.of(call)) {
          if (slice.state === 'held' || slice.state === 'ended') await finish(deps, slice, slice.costNano)
        }
      })
    },
    begin: (call, { generation, usage }, events) =>
      orUnavailable(async () => {
        const rates = ratesOf(deps, call)
        if (rates === null) return freeMeter
        if (checkpoints === null) throw new Error('this process holds no calls')
        const slices = await journal.of(call)
        const first = await firstSlice({ deps, openHere }, { call, slices, generation, usage, rates })
        if (first === 'refused') return 'refused'
        const meterDeps = { ...deps, checkpoints, openSlice: openHere }
        return createMeter(meterDeps, { call, usage, ...first }, events)
      }),
  }
}

interface Beginning {
  readonly call: PaidCall
  readonly slices: readonly StoredSlice[]
  readonly generation: number
  readonly usage: CallUsage
  /** Of a call without slices. */
  readonly rates: CallRates
}

interface FirstSlice {
  readonly slice: HeldSlice
  readonly paidNano: bigint
  readonly rates: CallRates
}

/** The slice of the create, for the first worker while it is held; else a new one, after those of earlier workers were charged. */
async function firstSlice(
  { deps, openHere }: { readonly deps: CallMoneyDeps; readonly openHere: OpenSlice },
  { call, slices, generation, usage, rates: present }: Beginning,
): Promise<FirstSlice | 'refused'> {
  const rates = slices[0]?.rates ?? present
  const [created] = slices
  if (generation === 1 && slices.length === 1 && created?.state === 'held') {
    const { number, amountNano } = created
    const slice = await openHere(call, { number, rates, amountNano })
    if (slice !== 'refused' && slice !== 'closed') return { slice, paidNano: 0n, rates }
  }
  let paidNano = 0n
  for (const slice of slices) paidNano += await paidFor(deps, slice, { usage, paidNano })
  const number = (slices.at(-1)?.number ?? -1) + 1
  const slice = await openHere(call, { number, rates, amountNano: worstSlice(rates) })
  return slice === 'refused' || slice === 'closed' ? 'refused' : { slice, paidNano, rates }
}

interface Used {
  readonly usage: CallUsage
  /** For earlier slices. */
  readonly paidNano: bigint
}

/** What a slice of an earlier worker was charged. One that still has to be is charged now, if the ledger answers. */
async function paidFor(deps: CallMoneyDeps, slice: StoredSlice, { usage, paidNano }: Used): Promise<bigint> {
  if (slice.chargedNano !== null) return slice.chargedNano
  if (slice.state === 'ended') return slice.costNano
  const dueNano = totalCost(usage, slice.rates) - paidNano
  const costNano = larger(smaller(dueNano, slice.amountNano), slice.costNano)
  return finish(deps, slice, costNano)
}

async function finish(
  { journal, ledger, onLate }: CallMoneyDeps,
  slice: StoredSlice,
  costNano: bigint,
): Promise<bigint> {
  const ended = { ...slice, costNano }
  await journal.end(ended)
  return chargeSlice({ journal, ledger }, ended).catch((cause: unknown) => {
    onLate(cause)
    return costNano
  })
}

/** Null for a call that costs only its language model. */
function ratesOf({ prices }: CallMoneyDeps, call: PaidCall): CallRates | null {
  if (call.env === 'test') return null
  const rates = prices.ratesOf(call)
  if (rates !== null) return rates
  throw new ServiceError(
    'service_unavailable',
    `A part of the call with the voice ${call.voice} has no price at the moment.`,
  )
}

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    const message = 'Billing does not answer at the moment. Retry.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 2, cause })
  }
}

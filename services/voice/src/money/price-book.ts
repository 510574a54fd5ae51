import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { PaidCall } from '../calls/call-money.ts'

/** Where a price comes from, for those who check it. */
const source = z.string().min(1).optional()
/** Nano-dollars that fit a price: up to a thousand dollars. */
const Nano = z.int().min(0).max(1e12)
const ofTime = {
  nano_per_minute: Nano,
  /** Time is billed in whole increments. */
  increment_ms: z.int().min(1).max(60_000).default(1_000),
  minimum_ms: z.int().min(0).max(600_000).default(0),
}

export const Rate = z.discriminatedUnion('kind', [
  z.strictObject({
    id: z.string().min(1),
    kind: z.literal('recognition'),
    provider: z.string().min(1),
    /** Only of this model of the provider; absent: the provider has no models. */
    model: z.string().min(1).optional(),
    source,
    ...ofTime,
  }),
  z.strictObject({
    id: z.string().min(1),
    kind: z.literal('synthesis'),
    provider: z.string().min(1),
    /** Only of this voice of the provider; absent: of all that have no rate of their own. */
    voice: z.string().min(1).optional(),
    nano_per_character: Nano,
    source,
  }),
  z.strictObject({
    id: z.string().min(1),
    kind: z.literal('telephony'),
    provider: z.string().min(1),
    direction: z.enum(['inbound', 'outbound']),
    /** Of the number that is called, such as `+49`; the longest that fits counts. Empty: all others. */
    prefix: z.string().regex(/^(?:\+\d{1,15})?$/),
    ...ofTime,
  }),
])
export type Rate = z.output<typeof Rate>

/** A price per minute. */
export const TimeRate = z.object({
  nanoPerMinute: z.int().min(0),
  incrementMs: z.int().min(1),
  minimumMs: z.int().min(0),
})
export type TimeRate = z.output<typeof TimeRate>

/** What a call costs by its use. It is fixed when the call is created. */
export const CallRates = z.object({
  recognition: TimeRate,
  synthesisNanoPerCharacter: z.int().min(0),
  /** For each minute of a call. */
  platform: TimeRate,
  /** The same, of the telephone network. Calls from before telephones have none. */
  telephony: TimeRate.default({ nanoPerMinute: 0, incrementMs: 1_000, minimumMs: 0 }),
})
export type CallRates = z.output<typeof CallRates>

export interface PriceBook {
  /** Null: a part of the call has no price, so it is not run. */
  ratesOf(call: Pick<PaidCall, 'voice' | 'recognizer' | 'telephony'>): CallRates | null
}

/** @param platformNanoPerMinute what this installation adds for each minute of a call */
export function createPriceBook(rates: readonly Rate[], platformNanoPerMinute: number): PriceBook {
  const platform = { nanoPerMinute: platformNanoPerMinute, incrementMs: 1_000, minimumMs: 0 }
  return {
    ratesOf({ voice, recognizer, telephony: line }) {
      const synthesisNanoPerCharacter = synthesisRate(rates, voice)
      const heard = rates.find((rate) => rate.kind === 'recognition' && recognizerId(rate) === recognizer)
      const telephony = line === null ? free : telephonyRate(rates, line)
      if (synthesisNanoPerCharacter === null || heard?.kind !== 'recognition' || telephony === null) return null
      return { recognition: timeRateOf(heard), synthesisNanoPerCharacter, platform, telephony }
    },
  }
}

const free: TimeRate = { nanoPerMinute: 0, incrementMs: 1_000, minimumMs: 0 }

function timeRateOf(rate: {
  readonly nano_per_minute: number
  readonly increment_ms: number
  readonly minimum_ms: number
}): TimeRate {
  return { nanoPerMinute: rate.nano_per_minute, incrementMs: rate.increment_ms, minimumMs: rate.minimum_ms }
}

function telephonyRate(
  rates: readonly Rate[],
  { provider, direction, calledNumber }: NonNullable<PaidCall['telephony']>,
): TimeRate | null {
  const [longest] = rates
    .filter((rate) => rate.kind === 'telephony')
    .filter((rate) => rate.provider === provider && rate.direction === direction)
    .filter(({ prefix }) => calledNumber.startsWith(prefix))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  return longest === undefined ? null : timeRateOf(longest)
}

/** `<provider>/<model>`, or `<provider>` of one without models. */
export function recognizerId({
  provider,
  model,
}: {
  readonly provider: string
  readonly model?: string | null | undefined
}): string {
  return model == null ? provider : `${provider}/${model}`
}

/** Nano-dollars per character of a voice, `<provider>/<name>`; null when it has no price. */
export function synthesisRate(rates: readonly Rate[], voice: string): number | null {
  const [provider = '', ...rest] = voice.split('/')
  const name = rest.join('/')
  const ofProvider = rates.filter((rate) => rate.kind === 'synthesis').filter((rate) => rate.provider === provider)
  const found = ofProvider.find((rate) => rate.voice === name) ?? ofProvider.find((rate) => rate.voice === undefined)
  return found?.nano_per_character ?? null
}

/** Where the rates are that ship with the service. */
export const shippedRatesDir = path.join(import.meta.dirname, '../../catalog/rates')

/** @throws Error naming the file and the field that is wrong, or an id that occurs twice */
export async function loadRates(dir: string): Promise<readonly Rate[]> {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.json')).toSorted()
  const parts = await Promise.all(files.map((name) => readRates(path.join(dir, name))))
  const rates = parts.flat()
  const ids = new Set<string>()
  for (const { id } of rates) {
    if (ids.has(id)) throw new Error(`two rates have the id ${id}`)
    ids.add(id)
  }
  return rates
}

async function readRates(file: string): Promise<readonly Rate[]> {
  const parsed = z.array(Rate).safeParse(JSON.parse(await readFile(file, 'utf8')))
  if (parsed.success) return parsed.data
  throw new Error(`${file}: ${z.prettifyError(parsed.error)}`)
}
